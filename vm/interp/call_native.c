// SPDX-License-Identifier: MIT
// Calling native functions, and finishing the calls that blocked or slept.
//
// A native runs on the C stack with a CspCall that lives there. One that
// leaves something to the runtime (CSP_LATER) is finished here: blocking work
// runs without a P (the call is copied into a Pending record that the
// goroutine points to, since another M may finish it). Where it is to wait
// first, for a descriptor or a time, the goroutine parks with that record.
#include "vm/interp/call_native.h"

#include <stdlib.h>

#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/again.h"
#include "vm/interp/block_fd.h"
#include "vm/interp/call.h"
#include "vm/interp/drop.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/select_cases.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/object/list.h"

#define NO_RESULTS ((Results){NULL, 0})

typedef struct Pending {
  CspCall call;
  ptrdiff_t window;  // from base
  int want;
  bool entered;  // the call was made, or is being made
} Pending;

CspStatus call_out_of_memory(CspCall *call) {
  if (!call->panicked && call->g != NULL && call->local != NULL) {
    if (call->local->raced)
      vm_panic(call->local, call->g, "concurrent writes to one list");
    else
      vm_panic_memory(call->local, call->g);
    call->local->raced = false;
  }
  call->panicked = !call->hosts;
  return CSP_PANIC;
}

// --- Finishing --------------------------------------------------------------
static Next later(CspCall *call, Value *window, int want);

// A host's function may say that it has panicked when it has not. (Another
// panic may be under way, in whose deferred functions it is called.)
static __attribute__((noinline, cold)) Next throw_call(const CspCall *call,
                                                       const Value *window) {
  Goroutine *g = call->g;
  bool panicked = call->panicked || (!call->def->host && g->panic != NULL);
  if (!panicked && !g->gave_up)
    vm_panic(call->local, g, "%s: CSP_PANIC, but csp_panic was not called",
             call->def->name);
  drop_threw(call->local, g, window);
  return THROW;
}

// What follows the native's own return. In line where most come from.
static inline __attribute__((always_inline)) Next finish_call(CspCall *call,
                                                              CspStatus status,
                                                              Value *window,
                                                              int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  RT_ASSERT(call->nresults >= 0 && call->nresults <= NATIVE_RESULTS_MAX);
  if (status == CSP_LATER) return later(call, window, want);
  if (status == CSP_PANIC || call->panicked || g->gave_up)
    return throw_call(call, window);
  if (want == 0 && (call->nresults == 0 || call->def->stored)) return RELOAD;
  if (!call_deliver(local, g, window, (Results){call->results, call->nresults},
                    want, call->def->name))
    return THROW;
  return RELOAD;
}

Next native_finish(CspCall *call, CspStatus status, Value *window, int want) {
  return finish_call(call, status, window, want);
}

// Keeps the arguments above the frame's registers visible to the collector.
void native_cover_arguments(const CspCall *call) {
  RT_ASSERT(call->args >= call->g->base + FRAME_WORDS && call->argc >= 0);
  stack_cover(call->g, call->args + call->argc);
}

// The goroutine does not go on. The native frees its data, and its result goes
// to nobody.
static void drop_call(CspCall *call, CallFate fate, bool made) {
  RT_ASSERT(call->later.kind == LATER_BLOCK && call->later.done != NULL);
  Goroutine *g = call->g;
  const Panic *before = g->panic;
  native_give_up(call, fate);
  for (CspStatus status = CSP_LATER;
       status == CSP_LATER && call->later.kind == LATER_BLOCK; made = false) {
    call->later.kind = LATER_NONE;
    native_enter(call);
    status = call->later.done(call, call->later.data, made);
  }
  while (g->panic != before) panic_drop(g);
}

static bool says(const CspCall *call, CspStatus status, LaterKind kind) {
  return status == CSP_LATER && call->later.kind == kind;
}

static void pend(Pending *pending, CspCall *call, const Value *window,
                 int want) {
  Goroutine *g = call->g;
  RT_ASSERT(g->pending == NULL && call->later.done != NULL);
  call->later.kind = LATER_NONE;
  call->repeated = true;  // its work acts, also where pieces follow it
  *pending = (Pending){*call, window - g->base, want, false};
  g->pending = pending;
  native_cover_arguments(call);
}

// false: panicked, without memory for the record.
static bool pend_anew(CspCall *call, const Value *window, int want) {
  Pending *pending = mem_alloc(call->vm->memory, sizeof *pending);
  if (pending != NULL) {
    pend(pending, call, window, want);
    return true;
  }
  drop_call(call, CALL_GIVEN_UP, false);
  vm_panic_memory(call->local, call->g);
  return false;
}

// What the native has said after blocking work, or in the pieces that follow.
// false: it blocks again.
static bool finish_pieces(CspCall *call, CspStatus status, Value *window,
                          int want, Next *how) {
  if (says(call, status, LATER_AGAIN) &&
      !again_run(call, window, want, &status, how))
    return true;
  if (says(call, status, LATER_BLOCK) && !call->g->gave_up) {
    *how = THROW;
    return !pend_anew(call, window, want);
  }
  *how = finish_call(call, status, window, want);
  return true;
}

// The blocking work has run, or cannot: the rest of the native, on whichever
// P. false: it blocks again. (The caller loops, as natives may do so for ever,
// with pieces in between.)
static bool finish_blocking(P **p, Goroutine *g, bool *moved, Next *how) {
  Pending *pending = g->pending;
  RT_ASSERT(pending != NULL && pending->call.g == g);
  g->pending = NULL;
  g->on_resume = RESUME_NOTHING;
  g->multi = 0;
  CspCall call = pending->call;
  Value *window = g->base + pending->window;
  int want = pending->want;
  call.local = local_of(*p);
  native_enter(&call);
  CspStatus status = call.later.done(&call, call.later.data, pending->entered);
  bool again =
      call.local != NULL && !g->gave_up && says(&call, status, LATER_BLOCK);
  bool ends = !again;
  if (again) pend(pending, &call, window, want);
  if (!again) mem_free(pending);
  if (!again && call.local != NULL)
    ends = finish_pieces(&call, status, window, want, how);
  if (call.local == NULL) {
    *how = RETURN;
    return true;
  }
  *moved |= call.local->p != *p;  // by a csp_call
  *p = call.local->p;
  return ends;
}

static void drop_pending(Local *local, Goroutine *g);

// The timer of all sleeps of g, in a block of its own, because a thread that
// cancels one may look at it later. NULL: no memory, after a collection.
static Timer *sleep_timer(Local *local, Goroutine *g) {
  if (g->sleep_block != NULL) return (Timer *)(void *)g->sleep_block->data;
  size_t size = sizeof(ObjRaw) + sizeof(Timer);
  ObjRaw *raw = (ObjRaw *)heap_alloc(&local->heap, size, OBJ_RAW);
  if (raw == NULL && memory_again(local, g))
    raw = (ObjRaw *)heap_alloc(&local->heap, size, OBJ_RAW);
  if (raw == NULL) return NULL;
  raw->cap = raw->len = sizeof(Timer);
  memset(raw->data, 0, sizeof(Timer));
  g->sleep_block = raw;
  Timer *timer = (Timer *)(void *)raw->data;
  timer->arg = g;
  return timer;
}

// The call is to be made after that time: LEFT, or THROW without memory.
static Next sleep_first(Local *local, Goroutine *g, int64_t ns) {
  Timer *timer = sleep_timer(local, g);
  if (timer == NULL) {
    drop_pending(local, g);
    vm_panic_memory(local, g);
    return THROW;
  }
  g->on_resume = RESUME_CALL;
  sched_sleep(local->p, &g->g, timer, ns);
  return LEFT;
}

// In the call. LEFT: it was given up before its work, and g runs again to see
// why. Otherwise as make_call.
static Next work_without_p(P **p, Goroutine *g, M *m) {
  Pending *pending = g->pending;
  const FdWait *fd = &pending->call.later.fd_wait;
  bool works = !fd->blocks || fd_wait_block(pending->call.vm, g, fd);
  pending->entered = works;
  if (works) pending->call.later.work(pending->call.later.data);
  *p = sched_syscall_exit(m, &g->g);
  if (*p == NULL) return RETURN;
  charge_look(local_of(*p));
  if (works) return GO_ON;
  sched_look_now(*p, &g->g);  // where the runtime ends it does so here
  sched_preempt(*p, &g->g);
  return LEFT;
}

// Makes the call, on *p, which may be another afterwards (*moved). GO_ON: it
// was made, or cannot be. LEFT: g has left. RETURN: g has no P. THROW: it could
// not wait for its time.
static Next make_call(P **p, Goroutine *g, bool *moved) {
  Pending *pending = g->pending;
  RT_ASSERT(pending != NULL && pending->call.g == g && !pending->entered);
  FdWait *fd = &pending->call.later.fd_wait;
  int64_t after = pending->call.later.after;
  M *m;
  pending->call.later.after = 0;
  if (after > 0) return sleep_first(local_of(*p), g, after);
  g->on_resume = RESUME_CALL;
  if (fd->wait != NULL && fd->desc != NULL) {
    fd_wait_over(*p, fd);
  } else if (fd->wait != NULL && fd_wait_begin(*p, g, fd)) {
    return LEFT;
  }
  if (fd->refused) return GO_ON;
  bool quick = pending->call.later.quick && !fd->blocks;
  switch (sched_syscall_enter(*p, &g->g, quick, &m)) {
    case CALL_ENTERED:
      *moved = true;
      return work_without_p(p, g, m);
    case CALL_QUEUED:
      return LEFT;
    case CALL_REFUSED:
      return GO_ON;
    default:
      rt_throw("a blocking call was neither made nor refused");
  }
}

// After a csp_call the goroutine has another P, or none, which the interpreter
// is told only by RELOAD and RETURN.
static Next finish_moved(CspCall *call, CspStatus status, Value *window,
                         int want) {
  if (call->local == NULL) return RETURN;
  Next how = finish_call(call, status, window, want);
  if (how == THROW) how = interp_throw(call->local, call->g);
  return how == LEFT ? RETURN : how;
}

static void out_flush_work(void *data);

// The call will not be made.
static void drop_pending(Local *local, Goroutine *g) {
  Pending *pending = g->pending;
  RT_ASSERT(pending != NULL && !pending->entered);
  CspCall call = pending->call;
  if (call.later.fd_wait.desc != NULL)
    fd_wait_over(local->p, &call.later.fd_wait);
  g->pending = NULL;
  g->multi = 0;
  call.local = local;
  call.later.kind = LATER_BLOCK;
  drop_call(&call, CALL_GIVEN_UP, false);
  mem_free(pending);
}

static Next cancel_call(Local *local, Goroutine *g) {
  drop_pending(local, g);
  group_raise(local, g);
  return THROW;
}

// Output is never lost. A place that is kept for g is to be used.
static bool is_cancelled(const Goroutine *g, bool output) {
  return !output && !g->g.has_slot && g_cancelled(&g->g) != NOT_CANCELLED;
}

// The interpreter, which knows local's P, is told of another one only by RELOAD
// and RETURN.
static Next run_blocking(Local *local, Goroutine *g) {
  RT_ASSERT(g->pending != NULL && goroutine_is_valid(g));
  P *p = local->p;
  bool moved = false;
  bool output = ((Pending *)g->pending)->call.later.work == out_flush_work;
  Next how = GO_ON;
  do {
    bool entered = ((Pending *)g->pending)->entered;
    if (!entered && is_cancelled(g, output)) {
      how = cancel_call(local_of(p), g);
      break;
    }
    bool taken = g->g.cancelled;  // output, out of the queue for calls
    g->g.cancelled = false;
    if (!entered && !taken) how = make_call(&p, g, &moved);
    if (how == RETURN) return RETURN;
    if (how == LEFT) return moved ? RETURN : LEFT;
    if (how == THROW) break;
  } while (!finish_blocking(&p, g, &moved, &how));
  if (!moved || how == RETURN) return how;
  if (how == THROW) how = interp_throw(local_of(p), g);
  return how == LEFT ? RETURN : how;
}

static Next block(CspCall *call, Value *window, int want) {
  return pend_anew(call, window, want) ? run_blocking(call->local, call->g)
                                       : THROW;
}

// The arguments of csp_tail, into the native's window, which may move. false:
// panicked.
static bool tail_arguments(CspCall *call, Value **window, int *argc) {
  Goroutine *g = call->g;
  if (call->later.value2 == VALUE_NIL) {
    *argc = call->nresults;
    memcpy(*window + FRAME_WORDS, call->results, (size_t)*argc * sizeof(Value));
    return true;
  }
  RT_ASSERT(list_is_valid((ObjList *)value_obj(call->later.value2)));
  ObjValues *args = list_block((ObjList *)value_obj(call->later.value2));
  size_t n = values_len(args);
  ptrdiff_t at = *window - g->base;
  const Value *end = *window + FRAME_WORDS + 1;
  (*window)[3] = call->later.value2;  // alive by that
  if (!call_reserve(call->local, g, end - 1 + n, end)) return false;
  *window = g->base + at;
  for (size_t a = 0; a < n; a++) (*window)[3 + a] = args->slots[a];
  *argc = (int)n;
  return true;
}

static Next tail_call(CspCall *call, Value *window, int want) {
  int argc;
  window[2] = call->later.value;
  if (!tail_arguments(call, &window, &argc)) return THROW;
  if (want == 0 && call->def->stored) want = WANT_DROP;
  return call_value(call->local, call->g, window, argc, want, call->g->pc);
}

static Next sleep_native(CspCall *call, Value *window, int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  if (!call_deliver(local, g, window, NO_RESULTS, want, call->def->name))
    return THROW;
  if (group_cancels(local, g)) return THROW;
  Timer *timer = sleep_timer(local, g);
  if (timer == NULL) {
    vm_panic_memory(local, g);
    return THROW;
  }
  g->on_resume = RESUME_SLEEP;
  sched_sleep(local->p, &g->g, timer, call->later.number);
  return LEFT;
}

// The old number is the result; the P may be another afterwards.
static Next set_procs(CspCall *call, Value *window, int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  Value old = value_from_small(sched_procs(call->vm->sched));
  if (!call_deliver(local, g, window, (Results){&old, 1}, want,
                    call->def->name))
    return THROW;
  g->on_resume = RESUME_NOTHING;
  P *p = sched_set_procs(local->p, &g->g, (int)call->later.number);
  return p != NULL ? RELOAD : RETURN;
}

// The native has been told to end, and asks for more.
static __attribute__((noinline, cold)) Next later_given_up(CspCall *call,
                                                           Value *window) {
  if (call->later.kind == LATER_BLOCK) drop_call(call, CALL_GIVEN_UP, false);
  return throw_call(call, window);
}

static Next later(CspCall *call, Value *window, int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  // The pieces look before each by themselves.
  if (g->gave_up && call->later.kind != LATER_AGAIN)
    return later_given_up(call, window);
  switch (call->later.kind) {
    case LATER_BLOCK:
      return block(call, window, want);
    case LATER_TAIL:
      return tail_call(call, window, want);
    case LATER_SLEEP:
      return sleep_native(call, window, want);
    case LATER_YIELD:
      if (!call_deliver(local, g, window, NO_RESULTS, want, call->def->name) ||
          group_cancels(local, g))
        return THROW;
      g->on_resume = RESUME_NOTHING;
      sched_yield_g(local->p, &g->g);
      return LEFT;
    case LATER_ENTER:
      return lock_enter(call, window, want);
    case LATER_SELECT:
      return select_native(call, window, want);
    case LATER_PROCS:
      return set_procs(call, window, want);
    case LATER_GC:
      if (!call_deliver(local, g, window, NO_RESULTS, want, call->def->name))
        return THROW;
      heap_want_gc(local->vm->heap);
      gc_collect(local->p, g);
      return RELOAD;
    case LATER_AGAIN:
      return again_begin(call, window, want);
    case LATER_EXIT:
      return local->vm->hooks->exit(local, g, (int)call->later.number);
    case LATER_NONE:
    default:
      rt_throw("native %s said later, but not what", call->def->name);
  }
}

void native_drop(Goroutine *g) {
  Pending *pending = g->pending;
  RT_ASSERT(pending == NULL || pending->call.g == g);
  if (pending != NULL && pending->call.later.fd_wait.wait != NULL)
    fd_wait_drop(&pending->call.later.fd_wait);
}

void native_close(Local *local, Goroutine *g) {
  Pending *pending = g->pending;
  again_close(local, g);
  if (g->on_resume != RESUME_CALL || pending == NULL) return;
  native_drop(g);
  CspCall call = pending->call;
  call.local = local;
  call.later.kind = LATER_BLOCK;
  drop_call(&call, CALL_OVER, pending->entered);
}

const char *native_blocked_in(const Goroutine *g) {
  const Pending *pending = g->pending;
  bool calls = g->on_resume == RESUME_CALL && pending != NULL;
  const char *name = calls ? pending->call.def->name : again_waits_in(g);
  if (name == NULL) return NULL;
  return name[0] == '_' ? NULL : name;
}
Next call_native_done(Local *local, Goroutine *g) {
  return run_blocking(local, g);
}

// Output is full, or a terminal waits for its line: written by a blocking call
// whose result is what the native had. Without a thread for it this one does
// it, with its P: output is not lost, and its buffer has a bound.
static void out_flush_work(void *data) {
  Vm *vm = data;
  vm->hooks->flush(vm);
}
static CspStatus flush_done(CspCall *call, void *data, bool made) {
  (void)call;
  if (!made) out_flush_work(data);
  return CSP_OK;
}

static CspStatus block_for_output(CspCall *call) {
  call->later.kind = LATER_BLOCK;
  call->later.quick = true;
  call->later.after = 0;
  call->later.fd_wait = (FdWait){.copy = -1};
  call->later.work = out_flush_work;
  call->later.done = flush_done;
  call->later.data = call->vm;
  return CSP_LATER;
}

// All that the native still has are its arguments: what is in its window beside
// them is dead, and may hold what the last call gave.
static void keep_arguments(const CspCall *call) {
  Goroutine *g = call->g;
  native_cover_arguments(call);
  const Value *end = g->base + frame_closure(g->base)->proto->nregs;
  call->args[-3] = call->args[-2] = VALUE_NIL;
  for (Value *v = call->args + call->argc; v < end; v++) *v = VALUE_NIL;
}

bool csp_make_room(CspCall *call) {
  bool may = call->local != NULL && call->g != NULL && call->args != NULL;
  if (!may || call->panicked) return false;
  RT_ASSERT(call->nresults == 0);
  keep_arguments(call);
  bool again = memory_call_again(call->local, call->g);
  call->g->multi = 0;
  return again;
}

// The native has panicked: when memory was out, it is called once more.
__attribute__((noinline)) CspStatus native_call_again(CspCall *call) {
  Goroutine *g = call->g;
  if (call->repeated || !memory_panicked(call->local, g)) return CSP_PANIC;
  call->repeated = true;
  keep_arguments(call);
  bool again = memory_panic_again(call->local, g);
  g->multi = 0;
  if (!again) return CSP_PANIC;
  RT_ASSERT(call->args + call->argc <= g->block->slots + g->block->cap);
  call->nresults = 0;
  call->panicked = false;
  call->later.kind = LATER_NONE;
  native_enter(call);
  return call->def->fn(call);
}

// Panics unless the number of arguments is right.
static bool count_fits(Local *local, Goroutine *g, const NativeDef *def,
                       int argc) {
  bool few = argc < def->nrequired;
  if (!few && (argc <= def->nparams || def->rest)) return true;
  bool least = few && (def->rest || def->nparams > argc + 1);
  int taken = few ? def->nrequired : def->nparams;
  int receiver = def->method;  // is not among what the call counts
  return vm_panic(local, g, "%s: too %s arguments: %d given, %s%d %s",
                  def->name, few ? "few" : "many", argc - receiver,
                  least ? "at least " : "", taken - receiver,
                  few ? "needed" : "taken");
}

// Arguments that are not given are nil, or it panics.
static bool arguments_fit(Local *local, Goroutine *g, const NativeDef *def,
                          Value *args, int argc) {
  for (int n = 0; n < argc; n++) {
    if (args[n] != VALUE_UNDEF) continue;
    if (n < def->nrequired)
      return vm_panic(local, g, "%s: argument `%s` is missing", def->name,
                      def->param_names[n]->own);
    args[n] = VALUE_NIL;
  }
  return true;
}

// Results would not be seen by a collection meanwhile. What writes has none.
static bool is_to_flush(const CspCall *call, CspStatus status) {
  // relaxed: a hint, set in output_write. The flush takes the lock
  return status == CSP_OK && call->nresults == 0 &&
         rt_load_relaxed(&call->vm->output_full);
}

Next call_native(Local *local, Goroutine *g, Value *window, int argc,
                 int want) {
  const ObjNative *native = (ObjNative *)value_obj(window[2]);
  const NativeDef *def = native->def;
  RT_ASSERT(def->nrequired <= def->nparams && argc >= 0);
  RT_ASSERT(window >= g->base &&
            window + FRAME_WORDS + argc <= g->block->slots + g->block->cap);
  CspCall call;
  call.local = local;
  call.vm = local->vm;
  call.g = g;
  call.def = def;
  call.data = native->data;
  call.args = window + FRAME_WORDS;
  call.argc = argc;
  call.nresults = 0;
  call.hosts = false;
  call.panicked = false;
  call.repeated = false;
  call.fate = CALL_GOES_ON;
  call.later.kind = LATER_NONE;
  if (!count_fits(local, g, def, argc) ||
      !arguments_fit(local, g, def, call.args, argc)) {
    drop_threw(local, g, window);
    return THROW;
  }
  if (__builtin_expect(def->host, 0)) sched_enter_host(local->p);
  CspStatus status = def->fn(&call);
  if (__builtin_expect(call.local != local, 0))
    return finish_moved(&call, status, window, want);
  if (__builtin_expect(status == CSP_PANIC, 0) && def->repeatable)
    status = native_call_again(&call);
  // relaxed: output.c stores it. Seen soon is enough
  if (status == CSP_OK && rt_load_relaxed(&local->vm->output_failed))
    return local->vm->hooks->exit(local, g, 1);
  if (is_to_flush(&call, status)) status = block_for_output(&call);
  return finish_call(&call, status, window, want);
}
