// SPDX-License-Identifier: MIT
// Send and receive, of channels, tasks and timers, between the opcodes and
// sched/.
//
// Before an operation that may park, the goroutine is complete: pc and base are
// saved, and on_resume says what to finish. After the scheduler has answered
// CHAN_PARKED, this M touches the goroutine no more.
#include "vm/interp/channels.h"

#include "vm/code/operands.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/object/channel_memory.h"
#include "vm/object/value_text.h"

// The SEND before g->pc was refused: its channel wants more room, and then it
// begins again, or is closed.
static Next send_refused(Local *local, Goroutine *g, ChanResult r) {
  if (r != CHAN_WANTS_ROOM) {
    vm_panic(local, g, "send on closed channel");
    return THROW;
  }
  Value to = *operand_a(g->base, g->pc[-1]);
  Chan *chan = &((ObjChan *)value_obj(to))->chan;
  if (!channel_grow(local, chan) &&
      !(memory_again(local, g) && channel_grow(local, chan))) {
    vm_panic_memory(local, g);
    return THROW;
  }
  g->pc--;
  return RELOAD;
}

Next channel_send(Local *local, Goroutine *g, Value to, Value v) {
  bool fine;
  Chan *chan = channel_of(local, g, to, "send to", &fine);
  if (!fine) return THROW;
  g->on_resume = RESUME_SEND;
  RT_ASSERT(goroutine_is_valid(g));
  ChanResult r = chan_send(local->p, &g->g, chan, v);
  if (r == CHAN_DONE) return GO_ON;
  if (r == CHAN_PARKED) return LEFT;
  return send_refused(local, g, r);
}

static Next recv_task(Local *local, Goroutine *g, Instr i, ObjTask *task) {
  uint64_t word;
  g->on_resume = RESUME_RECV;
  RT_ASSERT(goroutine_is_valid(g));
  // acquire: pairs with release in finish_task
  bool runs = rt_load_acquire(&task->state) == TASK_RUNNING;
  if ((runs || local->vm->spans) &&
      chan_recv(local->p, &g->g, &task->done, &word, WAIT_TASK) == CHAN_PARKED)
    return LEFT;
  bool fine =
      task_deliver(local, g, task, operand_a(g->base, i), (int)INSTR_C(i));
  return fine ? GO_ON : THROW;
}

Chan *channel_from(Local *local, Goroutine *g, Value v, bool *fine) {
  *fine = true;
  if (value_is_type(v, OBJ_TIMER))
    return &((ObjTimer *)value_obj(v))->chan->chan;
  return channel_of(local, g, v, "receive from", fine);
}

static inline __attribute__((always_inline)) Next recv_chan(Local *local,
                                                            Goroutine *g,
                                                            Instr i,
                                                            Chan *chan) {
  uint64_t word = VALUE_NIL;
  g->on_resume = RESUME_RECV;
  RT_ASSERT(goroutine_is_valid(g));
  ChanResult r = chan_recv(local->p, &g->g, chan, &word, WAIT_CHAN_RECV);
  if (r == CHAN_PARKED) return LEFT;
  return channel_received(local, g, operand_a(g->base, i), word, r == CHAN_DONE,
                          (int)INSTR_C(i));
}

// From what is neither a channel nor a task.
static __attribute__((noinline)) Next recv_other(Local *local, Goroutine *g,
                                                 Instr i, Value from) {
  bool fine;
  Chan *chan = channel_from(local, g, from, &fine);
  return fine ? recv_chan(local, g, i, chan) : THROW;
}

Next channel_recv(Local *local, Goroutine *g, Instr i) {
  Value from = *operand_b(g->base, i);
  if (value_is_type(from, OBJ_CHAN))
    return recv_chan(local, g, i, &((ObjChan *)value_obj(from))->chan);
  if (value_is_type(from, OBJ_TASK))
    return recv_task(local, g, i, (ObjTask *)value_obj(from));
  return recv_other(local, g, i, from);
}

Next channel_recv_resume(Local *local, Goroutine *g, Instr i) {
  Value from = *operand_b(g->base, i);
  Value *to = operand_a(g->base, i);
  if (value_is_type(from, OBJ_TASK)) {
    ObjTask *task = (ObjTask *)value_obj(from);
    return task_deliver(local, g, task, to, (int)INSTR_C(i)) ? GO_ON : THROW;
  }
  return channel_received(local, g, to, g->g.wait.elem, g->g.wait.success,
                          (int)INSTR_C(i));
}

const char *channel_wait_name(const Goroutine *g) {
  WaitReason reason = (WaitReason)g->g.reason;
  const Chan *chan = rt_load_relaxed(&g->g.wait.chan);  // relaxed: nothing runs
  bool waits = reason == WAIT_CHAN_RECV || reason == WAIT_CHAN_SEND;
  if (!waits || chan == NULL) return g_wait_name(reason);
  const ObjChan *object =
      (const ObjChan *)(const void *)((const char *)chan -
                                      offsetof(ObjChan, chan));
  const char *lock = lock_wait_name(g, object);
  if (lock != NULL) return lock;
  const ObjTimer *timer = object->timer;
  bool value = timer != NULL && (timer->obj.flags & TIMER_IS_VALUE);
  return value ? "timer" : g_wait_name(reason);
}
