/* gate.h: the gate around calls into other libraries. No thread is inside while the process forks: in the child, a lock
 * that a library held would stay taken for ever, and a setting changed for a call would never be restored. */
#ifndef MMS_GATE_H
#define MMS_GATE_H

/* Counts threads that are inside. */
typedef struct mms_gate_place mms_gate_place;

/* Enters, as soon as no fork() is under way. Pass the result to mms_gate_leave(); it is NULL if the thread was already
 * inside. Entering and leaving each wait for the thread's stores, so a tile does it once, not once for each block. */
mms_gate_place *mms_gate_enter(void);
void mms_gate_leave(mms_gate_place *place);

/* Closes the gate and waits until all threads inside have left; opens it again. One thread at a time may do so. */
void mms_gate_close(void);
void mms_gate_open(void);

/* Opens the gate in a forked child, which has no other thread. */
void mms_gate_open_in_child(void);

#endif
