/* gate.h: the gate of other people's libraries. While the process forks nobody is inside: a lock that a library held
 * would be taken for ever in the child, and what it was told would be told for ever. */
#ifndef MMS_GATE_H
#define MMS_GATE_H

/* Where those inside are counted. */
typedef struct mms_gate_place mms_gate_place;

/* Comes in, once nobody forks. What it returns is for leave(); it is NULL where the thread was inside already. To come
 * in and to leave waits for the thread's stores: a tile of products does so once, and not each of its blocks. */
mms_gate_place *mms_gate_enter(void);
void mms_gate_leave(mms_gate_place *place);

/* Keeps everybody out, once those inside have left; and lets them in again. One at a time. */
void mms_gate_close(void);
void mms_gate_open(void);

/* Opens it in the child of a fork, where nobody else is. */
void mms_gate_open_in_child(void);

#endif
