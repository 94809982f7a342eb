// SPDX-License-Identifier: MIT
// Native functions: making them, calling them, and finishing the calls that
// blocked, slept or parked.
//
// A native runs on the C stack with a CspCall that lives there. One that
// leaves something to the runtime (CSP_LATER) is finished here: blocking work
// runs without a P (the call is copied into a Pending record that the
// goroutine points to, since another M may finish it).
#include "vm/native.h"

#include <stdlib.h>

#include "vm/interp.h"

typedef struct Pending {
  CspCall call;
  ptrdiff_t window;  // from base
  int want;
  bool entered;  // the call was made, or is being made
} Pending;

// --- Making -----------------------------------------------------------------
// Reads "a, b = 1, rest..." into def. false: out of memory.
static bool parse_params(Vm *vm, NativeDef *def, const char *params) {
  int count = *params != '\0';
  for (const char *s = params; *s; s++) count += *s == ',';
  def->param_names = calloc((size_t)count + 1, sizeof *def->param_names);
  if (def->param_names == NULL) return false;
  for (const char *s = params; count > 0; count--) {
    while (*s == ' ') s++;
    size_t word = strcspn(s, " =,.");
    size_t all = strcspn(s, ",");
    if (strncmp(s + word, "...", 3) == 0) {
      def->rest = true;
    } else {
      def->param_names[def->nparams++] = vm_intern(vm, s, word);
      if (memchr(s, '=', all) == NULL) def->nrequired = def->nparams;
    }
    s += all + (s[all] == ',');
  }
  return true;
}

Value native_new(Vm *vm, const char *module, const CspFunction *function,
                 void *data) {
  NativeDef *def = calloc(1, sizeof *def);
  ObjNative *native =
      (ObjNative *)heap_alloc(&vm->boot->heap, sizeof *native, OBJ_NATIVE);
  char *name = NULL;
  if (def == NULL || native == NULL ||
      asprintf(&name, "%s%s%s", module ? module : "", module ? "." : "",
               function->name) < 0 ||
      !parse_params(vm, def, function->params)) {
    free(def);
    return VALUE_UNDEF;
  }
  def->name = name;
  def->fn = function->fn;
  native->def = def;
  native->data = data;
  vm_keep_native(vm, def);
  return value_from_obj(native);
}

void native_def_free(NativeDef *def) {
  free((char *)(uintptr_t)def->name);
  free(def->param_names);
  free(def);
}

// --- Finishing --------------------------------------------------------------
static Next later(CspCall *call, Value *window, int want);

// What follows the native's own return.
static Next finish(CspCall *call, CspStatus status, Value *window, int want) {
  Local *l = call->local;
  Goroutine *g = call->g;
  if (status == CSP_LATER) return later(call, window, want);
  if (status == CSP_PANIC || call->panicked) return THROW;
  if (!call_deliver(l, g, window, call->results, call->nresults, want,
                    call->def->name))
    return THROW;
  return RELOAD;
}

// Keeps the arguments above the frame's registers visible to the collector.
static void cover_arguments(Goroutine *g, const CspCall *call) {
  ptrdiff_t above = call->args + call->argc -
                    (g->base + frame_closure(g->base)->proto->nregs);
  g->multi = above > 0 ? (uint32_t)above : 0;
}

// The blocking work has run, or cannot: the rest of the native, on whichever
// P.
static Next finish_blocking(Local *l, Goroutine *g) {
  Pending *pending = g->pending;
  bool made = pending->entered;
  g->pending = NULL;
  g->on_resume = RESUME_NOTHING;
  g->multi = 0;
  CspCall call = pending->call;
  Value *window = g->base + pending->window;
  int want = pending->want;
  free(pending);
  call.local = l;
  return finish(&call, call.done(&call, call.work_data, made), window, want);
}

// The same on a P that the interpreter does not know yet: RELOAD and RETURN
// are all that it may be told.
static Next finish_elsewhere(P *p, Goroutine *g) {
  Next how = finish_blocking(local_of(p), g);
  if (how == THROW) how = interp_throw(local_of(p), g);
  return how == LEFT ? RETURN : how;
}

// Makes the call, waits for its turn to make it, or finds that it cannot be.
static Next enter_blocking(P *p, Goroutine *g) {
  Pending *pending = g->pending;
  M *m;
  g->on_resume = RESUME_CALL;
  switch (sched_syscall_enter(p, &g->g, &m)) {
    case CALL_ENTERED:
      pending->entered = true;
      pending->call.work(pending->call.work_data);
      p = sched_syscall_exit(m, &g->g);
      return p == NULL ? RETURN : finish_elsewhere(p, g);
    case CALL_QUEUED:
      return LEFT;
    case CALL_REFUSED:
    default:
      return finish_blocking(local_of(p), g);
  }
}

static Next block(CspCall *call, Value *window, int want) {
  Goroutine *g = call->g;
  Pending *pending = malloc(sizeof *pending);
  if (pending == NULL) {
    vm_panic_memory(call->local, g);
    return THROW;
  }
  call->later = LATER_NONE;
  *pending = (Pending){*call, window - g->base, want, false};
  g->pending = pending;
  cover_arguments(g, call);
  return enter_blocking(call->local->p, g);
}

static Next tail_call(CspCall *call, Value *window, int want) {
  Goroutine *g = call->g;
  ObjValues *args = list_block((ObjList *)value_obj(call->later_value2));
  size_t n = values_len(args);
  ptrdiff_t at = window - g->base;
  const Value *top = window + FRAME_WORDS + n;
  if (top > g->limit && !stack_reserve(call->local, g, top)) return THROW;
  window = g->base + at;
  window[2] = call->later_value;
  for (size_t a = 0; a < n; a++) window[3 + a] = args->slots[a];
  return call_value(call->local, g, window, (int)n, want, g->pc);
}

static Next sleep_native(CspCall *call, Value *window, int want) {
  Local *l = call->local;
  Goroutine *g = call->g;
  if (!call_deliver(l, g, window, NULL, 0, want, call->def->name)) return THROW;
  if (g->sleep_block == NULL) {
    size_t size = sizeof(ObjRaw) + sizeof(Timer);
    ObjRaw *raw = (ObjRaw *)heap_alloc(&l->heap, size, OBJ_RAW);
    if (raw == NULL) {
      vm_panic_memory(l, g);
      return THROW;
    }
    raw->cap = raw->len = sizeof(Timer);
    memset(raw->data, 0, sizeof(Timer));
    g->sleep = (Timer *)(void *)raw->data;
    g->sleep_block = raw;
  }
  g->sleep->arg = g;
  g->on_resume = RESUME_NOTHING;
  sched_sleep(l->p, &g->g, g->sleep, call->later_int);
  return LEFT;
}

// The old number is the result; the P may be another afterwards.
static Next set_procs(CspCall *call, Value *window, int want) {
  Local *l = call->local;
  Goroutine *g = call->g;
  Value old = value_from_small(sched_procs(call->vm->sched));
  if (!call_deliver(l, g, window, &old, 1, want, call->def->name)) return THROW;
  g->on_resume = RESUME_NOTHING;
  P *p = sched_set_procs(l->p, &g->g, (int)call->later_int);
  return p != NULL ? RELOAD : RETURN;
}

static Next later(CspCall *call, Value *window, int want) {
  Local *l = call->local;
  Goroutine *g = call->g;
  switch (call->later) {
    case LATER_BLOCK:
      return block(call, window, want);
    case LATER_TAIL:
      return tail_call(call, window, want);
    case LATER_SLEEP:
      return sleep_native(call, window, want);
    case LATER_YIELD:
      if (!call_deliver(l, g, window, NULL, 0, want, call->def->name))
        return THROW;
      g->on_resume = RESUME_NOTHING;
      sched_yield_g(l->p, &g->g);
      return LEFT;
    case LATER_SELECT:
      return conc_select_native(call, window, want);
    case LATER_PROCS:
      return set_procs(call, window, want);
    case LATER_GC:
      if (!call_deliver(l, g, window, NULL, 0, want, call->def->name))
        return THROW;
      heap_want_gc(l->vm->heap);
      gc_collect(l->p, g);
      return RELOAD;
    case LATER_EXIT:
      return vm_exit(l, g, (int)call->later_int);
    case LATER_NONE:
    default:
      rt_throw("native %s said later, but not what", call->def->name);
  }
}

Next call_native_done(Local *l, Goroutine *g) {
  if (((Pending *)g->pending)->entered) return finish_blocking(l, g);
  return enter_blocking(l->p, g);
}

// Output is full, or a terminal waits for its line: written by a blocking call
// whose result is what the native had. Without a thread for it this one does
// it, with its P: output is not lost, and its buffer has a bound.
static void flush_work(void *data) { vm_out_flush(data); }
static CspStatus flush_done(CspCall *call, void *data, bool made) {
  (void)call;
  if (!made) vm_out_flush(data);
  return CSP_OK;
}

Next call_native(Local *l, Goroutine *g, Value *window, int argc, int want) {
  const ObjNative *native = (ObjNative *)value_obj(window[2]);
  const NativeDef *def = native->def;
  CspCall call;
  call.local = l;
  call.vm = l->vm;
  call.g = g;
  call.def = def;
  call.data = native->data;
  call.args = window + FRAME_WORDS;
  call.argc = argc;
  call.nresults = 0;
  call.charged = 0;
  call.panicked = false;
  call.later = LATER_NONE;
  if (argc < def->nrequired || (argc > def->nparams && !def->rest)) {
    vm_panic(l, g, "%s: too %s arguments: %d given, %s%d %s", def->name,
             argc < def->nrequired ? "few" : "many", argc,
             argc < def->nrequired && (def->rest || def->nparams > argc + 1)
                 ? "at least "
                 : "",
             argc < def->nrequired ? def->nrequired : def->nparams,
             argc < def->nrequired ? "needed" : "taken");
    return THROW;
  }
  for (int n = 0; n < argc; n++) {
    if (call.args[n] != VALUE_UNDEF) continue;
    if (n < def->nrequired) {
      vm_panic(l, g, "%s: argument `%s` is missing", def->name,
               def->param_names[n]->data);
      return THROW;
    }
    call.args[n] = VALUE_NIL;
  }
  CspStatus status = def->fn(&call);
  l->debt += (int64_t)call.charged;
  if (status == CSP_OK && vm_out_failed(l->vm)) return vm_exit(l, g, 1);
  // (Results would not be seen by a collection meanwhile; what writes has
  // none.)
  if (status == CSP_OK && call.nresults == 0 && vm_out_full(l->vm))
    status = csp_block(&call, flush_work, flush_done, l->vm);
  return finish(&call, status, window, want);
}
