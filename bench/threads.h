/* threads.h: where OpenMP's threads are. */
#ifndef THREADS_H
#define THREADS_H

/* The system may wake a thread on a core that another thread uses, and leave both there for milliseconds, or for good,
 * while a core is idle: one core would then be timed. Moves threads until OpenMP's threads meet as soon as those do
 * that have a core each, or gives up after a while, for lack of cores. Never moves the calling thread. */
void threads_spread(int threads);

/* Seconds until one OpenMP thread sees what another has just stored: some 50 ns where their cores share a cache,
 * several times that where they do not. The system or the hypervisor may move threads, which changes the time of
 * everything they do together. 0 if there is only one thread. */
double threads_handoff(void);

#endif
