/* test_gate.c: fork() in a signal handler, wherever the interrupted thread is on its way in or out of the gate; and two
 * threads that are counted in one place.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "support/child.h"
#include "support/sanitized.h"
#include "unit/gate.h"

enum { PATIENCE = 60 /* seconds until an alarm ends a hang */ };

static void pass_through(void) { mms_gate_leave(mms_gate_enter()); }

/* ---- After every instruction ------------------------------------------------------------------------------------- */

static volatile sig_atomic_t forks, failed;

/* The child goes through the gate, in the state in which it finds it. */
static void fork_here(int signal) {
  (void)signal;
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(PATIENCE / 4);
    pass_through();
    mms_gate_close();
    _exit(0);
  }
  if (exit_of(pid) != 0) failed++;
  forks++;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define CAN_STEP true

/* Sets and clears the trap flag: while it is set there is a SIGTRAP after every instruction. Below the stack pointer is
 * memory of the compiler's. */
#define CHANGE_FLAGS(operation)                                                                                        \
  __asm__ volatile("subq $128, %%rsp\n\tpushfq\n\t" operation ", (%%rsp)\n\tpopfq\n\taddq $128, %%rsp" ::              \
                       : "memory", "cc")

static void step_through(void) {
  CHANGE_FLAGS("orq $0x100");
  pass_through();
  CHANGE_FLAGS("andq $~0x100");
}
#else
#define CAN_STEP false
static void step_through(void) {}
#endif

static int fork_at_each_step(void) {
  alarm(PATIENCE);
  signal(SIGTRAP, fork_here);
  step_through();
  if (failed || forks < 20) return 1;
  mms_gate_close(); /* nobody is counted who is not inside */
  return 0;
}

TEST(test_each_step) {
  skip_if(!CAN_STEP || is_instrumented(), "a fork after each instruction: not on this machine, or under an instrument");
  struct outcome o = ask_self("step", NULL, 0);
  if (o.exit != 0) fail_msg("the child ended with %d: %s", o.exit, o.print);
}

/* ---- Two threads in one place ------------------------------------------------------------------------------------ */

/* Half the range of addresses that share a place. */
enum { STACK = 32 << 10 };
static _Alignas(2 * STACK) char stacks[2][STACK];

static atomic_bool is_inside, leaves;

static void *stay_inside(void *unused) {
  mms_gate_place *place = mms_gate_enter();
  atomic_store(&is_inside, true);
  while (!atomic_load(&leaves)) usleep(100);
  mms_gate_leave(place);
  return unused;
}

static void *leave_later(void *unused) {
  usleep(50000);
  atomic_store(&leaves, true);
  return unused;
}

/* Inside itself, it waits until the other has left. */
static void *close_from_inside(void *is_right) {
  pthread_t later;
  mms_gate_place *place = mms_gate_enter();
  if (pthread_create(&later, NULL, leave_later, NULL) != 0) return NULL;
  mms_gate_close();
  *(bool *)is_right = atomic_load(&leaves);
  mms_gate_open();
  mms_gate_leave(place);
  pthread_join(later, NULL);
  return NULL;
}

static bool start(pthread_t *thread, char *stack, void *(*call)(void *), void *argument) {
  pthread_attr_t as;
  pthread_attr_init(&as);
  const bool started =
      pthread_attr_setstack(&as, stack, STACK) == 0 && pthread_create(thread, &as, call, argument) == 0;
  pthread_attr_destroy(&as);
  return started;
}

TEST(test_one_place) {
  pthread_t inside = pthread_self(), closer;
  bool is_right = false;
  skip_if(is_instrumented() || !start(&inside, stacks[0], stay_inside, NULL),
          "two threads in one place: no threads with stacks so small");
  while (!atomic_load(&is_inside)) usleep(100);
  assert_true(start(&closer, stacks[1], close_from_inside, &is_right));
  pthread_join(closer, NULL);
  pthread_join(inside, NULL);
  assert_true(is_right);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"step", fork_at_each_step}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  return run_all_tests(NULL, NULL);
}
