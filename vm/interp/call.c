// SPDX-License-Identifier: MIT
// Calls: everything but a closure whose parameters fit exactly (handlers.h).
//
// A window is where a call's frame begins. window[0..2] is the header, with the
// function in window[2]. Arguments begin at window[3], and results go to
// window[0]. g->base is the caller's frame throughout, until the callee's frame
// is pushed. stack_reserve may move everything, and windows are then found
// again by offset.

#include "vm/interp/call.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/access.h"
#include "vm/interp/call_native.h"
#include "vm/interp/drop.h"
#include "vm/interp/explain.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/object/error.h"
#include "vm/object/list.h"

// --- Names for messages -----------------------------------------------------
const char *function_name(Value f) {
  if (!value_is_obj(f)) return value_type_name(f);
  switch (value_obj(f)->type) {
    case OBJ_CLOSURE:
      return ((ObjClosure *)value_obj(f))->proto->name->own;
    case OBJ_NATIVE:
      return ((ObjNative *)value_obj(f))->def->name;
    case OBJ_BOUND:
      return function_name(((ObjBound *)value_obj(f))->function);
    case OBJ_STRUCT:
      return ((ObjStruct *)value_obj(f))->name->own;
    default:
      return value_type_name(f);
  }
}

bool call_deliver(Local *local, Goroutine *g, Value *to, Results results,
                  int want, const char *name) {
  int n = results.count;
  RT_ASSERT(n >= 0 && want >= 0 && want <= WANT_ALL);
  if (want == 0)
    return n == 0 || !value_is_error(results.first[n - 1]) ||
           drop_error(local, g, to, results.first[n - 1]);
  if (want == WANT_DROP) return true;
  if (want == WANT_ALL)
    g->multi = (uint32_t)n;
  else if (want != n)
    return drop_wrong_count(local, g, to, results, want, name);
  if (n > 0) memmove(to, results.first, (size_t)n * sizeof(Value));
  return true;
}

__attribute__((noinline)) bool call_reserve_slow(Local *local, Goroutine *g,
                                                 const Value *top,
                                                 const Value *end) {
  ptrdiff_t room = top - g->base, alive = end - g->base;
  while (!stack_reserve(local, g, g->base + room))
    if (!memory_panic_again_here(local, g, g->base + alive)) return false;
  return true;
}

// --- Arguments --------------------------------------------------------------
// What a message counts is what the call has in its parentheses. A receiver is
// not. (But for a method that a host has taken from a type, and calls with its
// receiver: it is not told from others.)
static int receiver_among(const Proto *proto, int argc) {
  return (proto->flags & PROTO_METHOD) != 0 && argc > 0;
}

static bool too_few(Local *local, Goroutine *g, const Proto *proto, int argc,
                    bool more) {
  int receiver = receiver_among(proto, argc);
  RT_ASSERT(argc >= receiver && argc < proto->nparams);
  return vm_panic(local, g,
                  "%s: too few arguments: %d given, %s%d needed (`%s` is "
                  "missing)",
                  proto->name->own, argc - receiver, more ? "at least " : "",
                  proto->nrequired - receiver, proto->param_names[argc]->own);
}

static bool too_many(Local *local, Goroutine *g, const Proto *proto, int argc) {
  int receiver = receiver_among(proto, argc);
  RT_ASSERT(argc > proto->nparams && proto->nparams >= receiver);
  return vm_panic(local, g, "%s: too many arguments: %d given, %d taken",
                  proto->name->own, argc - receiver, proto->nparams - receiver);
}

// Named arguments leave undef where nothing was given.
static bool missing_named(Local *local, Goroutine *g, const Proto *proto,
                          const Value *args, int argc) {
  for (int n = 0; n < argc && n < proto->nrequired; n++)
    if (args[n] == VALUE_UNDEF)
      return vm_panic(local, g, "%s: argument `%s` is missing",
                      proto->name->own, proto->param_names[n]->own);
  return true;
}

// A list of the n values from `from`, which end what is alive on the stack.
// NULL: panicked.
static ObjList *list_of_top(Local *local, Goroutine *g, const Value *from,
                            size_t n) {
  for (;;) {
    ObjList *list = list_new(local, n);
    if (list != NULL && list_append(local, list, from, n)) return list;
    vm_panic_memory(local, g);
    if (!memory_panic_again_here(local, g, from + n)) return NULL;
  }
}

// Moves what stands above the fixed parameters into a list.
static __attribute__((noinline)) bool collect_rest(Local *local, Goroutine *g,
                                                   Value *args, int fixed,
                                                   int argc) {
  size_t n = argc > fixed ? (size_t)(argc - fixed) : 0;
  ObjList *rest = list_of_top(local, g, args + fixed, n);
  if (rest == NULL) return false;
  args[fixed] = value_from_obj(rest);
  return true;
}

// All but the list of the rest.
static bool fit_arguments(Local *local, Goroutine *g, const Proto *proto,
                          Value *args, int argc) {
  bool rest = (proto->flags & PROTO_REST) != 0;
  int fixed = proto->nparams - rest;
  bool open = rest || (proto->flags & PROTO_DEFAULTS);
  if (argc < proto->nrequired) return too_few(local, g, proto, argc, open);
  if (argc > fixed && !rest) return too_many(local, g, proto, argc);
  if (!missing_named(local, g, proto, args, argc)) return false;
  for (int n = argc; n < fixed; n++) args[n] = VALUE_UNDEF;
  return true;
}

// at: how far it is from the caller's.
static void lay_frame(Goroutine *g, Value *callee, ptrdiff_t at, int want,
                      const Instr *ret) {
  callee[-3] = (Value)(uintptr_t)ret;
  callee[-2] = (Value)((uint64_t)at << 8 | (uint64_t)want) << 2;
  g->base = callee;
}

// The frame of try. R[0] is the function, R[1] the list of arguments, or nil
// where there are none. It is pushed first. So it ends the panic of what finds
// no memory from here on.
static __attribute__((noinline, cold)) Next enter_try(Local *local,
                                                      Goroutine *g,
                                                      Value *window, int argc,
                                                      int want,
                                                      const Instr *ret) {
  const Proto *proto = frame_closure(window + FRAME_WORDS)->proto;
  RT_ASSERT(proto->nregs <= STACK_MARGIN && window + FRAME_WORDS <= g->limit);
  Value *callee = window + FRAME_WORDS;
  lay_frame(g, callee, callee - g->base, want, ret);
  g->pc = proto->code + 1;
  int words = argc > proto->nregs ? argc : proto->nregs;
  if (!call_reserve(local, g, g->base + words, g->base + argc)) return THROW;
  if (argc == 1)
    g->base[1] = VALUE_NIL;
  else if (!collect_rest(local, g, g->base, 1, argc))
    return THROW;
  g->pc = proto->code;
  return RELOAD;
}

static Next enter_closure(Local *local, Goroutine *g, Value *window, int argc,
                          int want, const Instr *ret) {
  RT_ASSERT(window >= g->base && argc >= 0);
  const Proto *proto = ((ObjClosure *)value_obj(window[2]))->proto;
  ptrdiff_t at = window + FRAME_WORDS - g->base;
  int words = argc > proto->nregs ? argc : proto->nregs;
  const Value *args = g->base + at;
  bool tries = (proto->flags & PROTO_TRY) != 0 && args <= g->limit && argc > 0;
  if (args + words > g->limit) {
    if (tries) return enter_try(local, g, window, argc, want, ret);
    if (!call_reserve(local, g, args + words, args + argc)) return THROW;
  }
  Value *callee = g->base + at;
  if (!fit_arguments(local, g, proto, callee, argc)) return THROW;
  if (proto->flags & PROTO_REST) {
    if (tries) return enter_try(local, g, window, argc, want, ret);
    if (!collect_rest(local, g, callee, proto->nparams - 1, argc)) return THROW;
  }
  lay_frame(g, callee, at, want, ret);
  g->pc = proto->code;
  RT_ASSERT(frame_is_valid(g, callee));
  return RELOAD;
}

// Puts the bound receiver in front of the arguments.
static bool unbind(Local *local, Goroutine *g, Value **window, int argc) {
  ObjBound *bound = (ObjBound *)value_obj((*window)[2]);
  ptrdiff_t at = *window - g->base;
  const Value *end = *window + FRAME_WORDS + argc;
  if (!call_reserve(local, g, end + 1, end)) return false;
  Value *moved = *window = g->base + at;
  memmove(moved + 4, moved + 3, (size_t)argc * sizeof(Value));
  moved[3] = bound->receiver;
  moved[2] = bound->function;
  return true;
}

Next call_value(Local *local, Goroutine *g, Value *window, int argc, int want,
                const Instr *ret) {
  for (;;) {
    Value f = window[2];
    ObjType type = value_is_obj(f) ? (ObjType)value_obj(f)->type : OBJ_INT;
    switch (type) {
      case OBJ_CLOSURE:
        return enter_closure(local, g, window, argc, want, ret);
      case OBJ_NATIVE:
        g->pc = ret;
        return call_native(local, g, window, argc, want);
      case OBJ_BOUND:
        if (!unbind(local, g, &window, argc)) return THROW;
        argc++;
        break;
      case OBJ_STRUCT:
        window[2] = value_from_obj(((ObjStruct *)value_obj(f))->make);
        break;
      default:
        explain_panic(local, g, "cannot call %s", value_type_name(f));
        return THROW;
    }
  }
}

bool call_find_method(Local *local, Goroutine *g, Instr a, int argc) {
  Value *window = g->base + a;
  const Value *constants = frame_closure(g->base)->proto->constants;
  RT_ASSERT(argc > 0 && g->pc[0] < frame_closure(g->base)->proto->nconstants);
  ObjString *name = (ObjString *)value_obj(constants[g->pc[0]]);
  uint32_t *cache = (uint32_t *)(uintptr_t)(g->pc + 1);
  Callee callee;
  if (!access_method(local, g, window[3], name, cache, &callee)) return false;
  window[2] = callee.function;
  if (!callee.method) {
    argc--;
    memmove(window + 3, window + 4, (size_t)argc * sizeof(Value));
  }
  g->multi = (uint32_t)argc;
  return true;
}

Next call_method(Local *local, Goroutine *g, Instr a, int argc, int want) {
  if (!call_find_method(local, g, a, argc)) return THROW;
  argc = (int)g->multi;
  g->multi = 0;
  return call_value(local, g, g->base + a, argc, want, g->pc + 2);
}

Next call_message(Local *local, Goroutine *g, Instr a) {
  Value *window = g->base + a;
  RT_ASSERT(value_is_struct_error(window[0]));
  window[3] = window[0];
  window[2] =
      heap_load(&((ObjInstance *)value_obj(window[0]))->type->error_method);
  return call_value(local, g, window, 1, 1, g->pc + 2);
}

// Its arguments would be on the stack, which grows in one piece.
enum { SPREAD_MAX = 1000000 };

bool call_spread(Local *local, Goroutine *g, int a, int b, int c) {
  Value x = g->base[a + FRAME_WORDS + b];
  const ObjValues *block = sequence_block(x);
  if (block == NULL)
    return vm_panic(local, g, "`...` spreads a list or tuple, not %s",
                    value_type_name(x));
  size_t n = values_len(block);
  if (n > SPREAD_MAX)
    return vm_panic(local, g,
                    "`...` spreads a %s of %zu elements: a call may have at "
                    "most %d of them as arguments",
                    value_type_name(x), n, SPREAD_MAX);
  const Value *end = g->base + a + FRAME_WORDS + b + 1 + c;
  if (!call_reserve(local, g, end - 1 + n, end)) return false;
  Value *at = g->base + a + FRAME_WORDS + b;
  memmove(at + n, at + 1, (size_t)c * sizeof(Value));
  for (size_t e = 0; e < n;) {
    ValueRun run = values_run(block, e, n - e);
    for (size_t i = 0; i < run.count; i++) at[e++] = heap_load(&run.from[i]);
  }
  charge_steps(local, n);
  g->multi = (uint32_t)((size_t)b + n + (size_t)c);
  return true;
}

// --- Named arguments --------------------------------------------------------
typedef struct Params {
  ObjString *const *names;
  int count;  // that can be named
  int skip;   // 1: a bound receiver comes first
} Params;

static bool find_params(Value f, Params *out) {
  out->skip = 0;
  if (value_is_type(f, OBJ_BOUND)) {
    f = ((ObjBound *)value_obj(f))->function;
    out->skip = 1;
  }
  const Proto *proto = NULL;
  if (value_is_type(f, OBJ_CLOSURE)) {
    proto = ((ObjClosure *)value_obj(f))->proto;
  } else if (value_is_type(f, OBJ_STRUCT)) {
    proto = ((ObjStruct *)value_obj(f))->constructor;
  } else if (value_is_type(f, OBJ_NATIVE)) {
    const NativeDef *def = ((ObjNative *)value_obj(f))->def;
    out->names = def->param_names + out->skip;
    out->count = def->nparams - out->skip;
    return true;
  } else {
    return false;
  }
  out->names = proto->param_names + out->skip;
  out->count = proto->nparams - ((proto->flags & PROTO_REST) != 0) - out->skip;
  return true;
}

static int param_index(const Params *params, const ObjString *name) {
  for (int n = 0; n < params->count; n++)
    if (params->names[n] == name) return n;
  return -1;
}

// Parameters that other languages have there, with what is written here.
static const char *foreign_parameter(const char *function, const char *name) {
  static const struct {
    const char *function, *name, *here;
  } known[] = {
      {"list.sort", "key", "xs.sort_by(f)"},
      {"list.sort", "reverse", "xs.sort(func(a, b) => a > b)"},
      {"list.sort_by", "reverse", "xs.sort_by(f).reverse()"},
      {"max", "key", "xs.max_by(f)"},
      {"min", "key", "xs.min_by(f)"},
      {"println", "end", "print(x)"},
      {"print", "file", "fmt.eprint(x)"},
      {"println", "file", "fmt.eprintln(x)"},
      {"println", "sep", "println(xs.join(sep))"},
  };
  for (size_t n = 0; n < sizeof known / sizeof *known; n++)
    if (strcmp(known[n].function, function) == 0 &&
        strcmp(known[n].name, name) == 0)
      return known[n].here;
  return NULL;
}

static bool no_parameter(Local *local, Goroutine *g, Value f,
                         const Params *params, const char *name) {
  const char *here = foreign_parameter(function_name(f), name);
  if (here != NULL)
    return vm_panic(local, g, "%s has no parameter `%s`: write `%s`",
                    function_name(f), name, here);
  Suggest suggest = {.wanted = name};
  for (int n = 0; n < params->count; n++)
    suggest_try(&suggest, params->names[n]->own);
  return access_unknown(local, g, &suggest, "%s has no parameter `%s`",
                        function_name(f), name);
}

bool call_named(Local *local, Goroutine *g, int a, int positional,
                Value names) {
  RT_ASSERT(list_is_valid((ObjList *)value_obj(names)));
  ObjValues *wanted = list_block((ObjList *)value_obj(names));
  int count = (int)values_len(wanted);
  if (positional == 255) positional = (int)g->multi - count;
  RT_ASSERT(positional >= 0 && count <= WANT_ALL);
  Value *args = g->base + a + FRAME_WORDS;
  Value f = args[-1];
  Params params;
  if (!find_params(f, &params))
    return vm_panic(local, g, "cannot call %s", value_type_name(f));
  Value given[256];
  memcpy(given, args + positional, (size_t)count * sizeof(Value));
  if (!call_reserve(local, g, args + params.count + 1,
                    args + positional + count))
    return false;
  args = g->base + a + FRAME_WORDS;
  int used = positional;
  for (int n = 0; n < count; n++) {
    ObjString *name = (ObjString *)value_obj(wanted->slots[n]);
    int at = param_index(&params, name);
    if (at < 0) return no_parameter(local, g, f, &params, name->own);
    if (at < positional)
      return vm_panic(local, g, "%s: argument `%s` is given twice",
                      function_name(f), name->own);
    while (used <= at) args[used++] = VALUE_UNDEF;
    args[at] = given[n];
  }
  RT_ASSERT(used <= params.count + 1 || used == positional);
  g->multi = (uint32_t)used;
  return true;
}

// --- Returns and deferred calls ---------------------------------------------
Next call_return(Local *local, Goroutine *g, const Value *from, int n) {
  Value *base = g->base;
  RT_ASSERT(frame_is_valid(g, base) && base > g->stack + FRAME_WORDS);
  Value info = base[-2];
  const Proto *proto = frame_closure(base)->proto;
  int want = (int)(info >> 2 & 0xff);
  if (want == 0 && (proto->flags & PROTO_STORED)) want = WANT_DROP;
  g->pc = (const Instr *)(uintptr_t)base[-3];
  g->base = base - (info >> 10);
  RT_ASSERT(frame_is_valid(g, g->base));
  bool fine = call_deliver(local, g, base - FRAME_WORDS, (Results){from, n},
                           want, proto->name->own);
  return fine ? RELOAD : THROW;
}

// The first caller that does not return what the top frame returns as its own.
// want: how many values its call wants. fits: a FIT without a number ends the
// walk, too, as it fills a lone error by itself. (Else an error that leaves
// many such calls would walk over all of them in each.)
typedef struct Taker {
  int want;
  bool fit;   // a FIT without a number
  bool task;  // no caller but a wait for the task, which says how many then
} Taker;

static Taker taker_of(const Goroutine *g, bool fits) {
  const Value *base = g->base;
  for (;;) {
    int want = (int)(base[-2] >> 2 & 0xff);
    if (want != WANT_ALL) return (Taker){.want = want};
    Instr next = *(const Instr *)(uintptr_t)base[-3];
    Op op = INSTR_OP(next);
    if (op == OP_FIT && INSTR_B(next) != 0)
      return (Taker){.want = (int)INSTR_B(next)};
    if (op == OP_FIT && fits) return (Taker){.want = want, .fit = true};
    if (op != OP_FIT && op != OP_RETV && op != OP_PACK)
      return (Taker){.want = want, .task = op == OP_GOEXIT};
    base -= base[-2] >> 10;
  }
}

// How many it takes, of which `all` are enough for one that takes any number.
static int taker_count(Taker taker, int all) {
  if (taker.want == WANT_ALL) return all;
  return taker.want > REGISTERS_MAX ? 0 : taker.want;
}

int call_wants_nils(Goroutine *g, int count) {
  Taker taker = taker_of(g, false);
  if (taker.task) g->fills = count >= NRESULTS_PASSED;
  if (count < NRESULTS_PASSED) return count;
  return taker_count(taker, count == NRESULTS_PASSED ? 2 : 1);
}

static bool fill_nils(Local *local, Goroutine *g, int a, Taker taker) {
  int n = taker_count(taker, 2);
  if (n == 0) n = 1;  // the error itself
  Value *values = g->base + a;
  Value last = values[0];
  const Value *end = g->base + frame_closure(g->base)->proto->nregs;
  if (!call_reserve(local, g, values + n, end)) return false;
  if (taker.task) g->fills = true;
  values = g->base + a;
  for (int r = 0; r < n - 1; r++) values[r] = VALUE_NIL;
  values[n - 1] = last;
  g->multi = (uint32_t)n;
  return true;
}

bool call_fill(Local *local, Goroutine *g, int a) {
  return fill_nils(local, g, a, taker_of(g, false));
}

// A FIT that has no number of its own.
static bool fit_lone_error(Local *local, Goroutine *g, int a) {
  Value v = g->base[a];
  if (g->multi != 1 || v == VALUE_NIL) return true;
  if (!value_is_error(v)) return panic_no_error(local, g, v, true);
  Taker taker = taker_of(g, true);
  return taker.fit || fill_nils(local, g, a, taker);
}

bool call_fit(Local *local, Goroutine *g, int a, int want, bool any) {
  if (want == 0) return fit_lone_error(local, g, a);
  int n = (int)g->multi;
  Value *values = g->base + a;
  if (n != 1) {
    const char *name = frame_closure(g->base)->proto->name->own;
    return vm_panic_because(local, g, n > 0 ? values[n - 1] : VALUE_NIL,
                            "%s returns %d value%s, as it has a `?`, and this "
                            "call gives %d",
                            name, want, want == 1 ? "" : "s", n);
  }
  Value v = values[0];
  bool last = v == VALUE_NIL || value_is_error(v);
  if (!last && !any) return panic_no_error(local, g, v, true);
  for (int r = 0; r < want; r++) values[r] = VALUE_NIL;
  values[last ? want - 1 : 0] = v;
  g->multi = (uint32_t)want;
  return true;
}

// A block for `count` values, where those up to `end` are alive. NULL:
// panicked.
static ObjValues *new_block(Local *local, Goroutine *g, size_t count,
                            const Value *end) {
  for (;;) {
    ObjValues *block = values_new(local, count);
    if (block != NULL) return block;
    vm_panic_memory(local, g);
    if (!memory_panic_again_here(local, g, end)) return NULL;
  }
}

ObjValues *call_pack(Local *local, Goroutine *g, const Value *from,
                     uint32_t n) {
  ObjValues *block = new_block(local, g, n, from + n);
  if (block == NULL) return NULL;
  memcpy(block->slots, from, n * sizeof(Value));
  block->len = n;
  charge_bytes(local, n * sizeof(Value));
  return block;
}

bool call_defer(Local *local, Goroutine *g, int a, int argc) {
  const Value *end = g->base + a + FRAME_WORDS + argc;
  ObjValues *record = new_block(local, g, (size_t)argc + 3, end);
  if (record == NULL) return false;
  record->slots[0] = g->defers;
  record->slots[1] = value_from_small(g->base - g->stack);
  for (int n = 0; n <= argc; n++) record->slots[2 + n] = g->base[a + 2 + n];
  record->len = (uint64_t)argc + 3;
  RT_ASSERT(values_is_valid(record));
  heap_store(&local->heap, &g->defers, value_from_obj(record));
  return true;
}

// A deferred call without memory for its record is the first that the panic
// calls, at once: it may give back a lock. Its values are still on the stack,
// with those of a spread list above the frame's registers.
Next call_instead_of_deferring(Local *local, Goroutine *g, int a, int argc) {
  if (!panic_calls(local, g)) return interp_throw(local, g);
  int at = frame_closure(g->base)->proto->nregs, from = a + 2;
  const Value *end = g->base + (from + argc < at ? at : from + argc + 1);
  Next next = THROW;
  if (call_reserve(local, g, g->base + at + FRAME_WORDS + argc, end)) {
    Value *window = g->base + at;
    memmove(window + 2, g->base + from, ((size_t)argc + 1) * sizeof(Value));
    group_shield(g, window - g->stack);
    next = call_value(local, g, window, argc, 0, vm_code(local->vm)->panic_go);
  }
  return next == THROW ? interp_throw(local, g) : next;
}

// The newest deferred call of the top frame, taken off; or NULL.
ObjValues *call_pop_deferred(Local *local, Goroutine *g) {
  if (g->defers == VALUE_NIL) return NULL;
  RT_ASSERT(value_is_type(g->defers, OBJ_VALUES));
  ObjValues *record = (ObjValues *)value_obj(g->defers);
  RT_ASSERT(values_is_valid(record) && record->len >= 3);
  // (Those of frames above were called, or dropped with their frames.)
  RT_ASSERT(value_small(record->slots[1]) <= g->base - g->stack);
  if (value_small(record->slots[1]) != g->base - g->stack) return NULL;
  heap_store(&local->heap, &g->defers, record->slots[0]);
  return record;
}

Next call_deferred(Local *local, Goroutine *g, const ObjValues *record,
                   const Instr *ret) {
  RT_ASSERT(values_is_valid(record) && record->len >= 3);
  int argc = (int)record->len - 3;
  size_t at = frame_closure(g->base)->proto->nregs;
  // The record is off the list: by its slot it is alive.
  g->base[at] = value_from_obj(record);
  const Value *end = g->base + at + 1;
  if (!call_reserve(local, g, g->base + at + FRAME_WORDS + argc, end))
    return THROW;
  Value *window = g->base + at;
  memcpy(window + 2, record->slots + 2, ((size_t)argc + 1) * sizeof(Value));
  group_shield(g, window - g->stack);
  return call_value(local, g, window, argc, 0, ret);
}

// Whether that was all of the call.
static bool deferred_quick(Local *local, const ObjValues *record) {
  if (!value_is_type(record->slots[2], OBJ_NATIVE)) return false;
  const NativeDef *def = ((ObjNative *)value_obj(record->slots[2]))->def;
  Value none;
  return def->quick != NULL &&
         def->quick(local, def, record->slots + 3, (int)record->len - 3, &none);
}

// A deferred call at the return `self`. What throws before it has a frame, or
// is a native, has left the return: see drop_raised.
static Next call_before_return(Local *local, Goroutine *g,
                               const ObjValues *record, const Instr *self) {
  ptrdiff_t window = g->base - g->stack + frame_closure(g->base)->proto->nregs;
  g->returns_at = (uint32_t)window;
  Next next = call_deferred(local, g, record, self);
  if (next == THROW && g->returns_at != 0) g->pc = self;
  return next;
}

Next call_return_deferred(Local *local, Goroutine *g, const Instr *self,
                          Value *from, int n) {
  const ObjValues *record;
  group_unshield(g);
  g->returns_at = 0;
  do {
    record = call_pop_deferred(local, g);
  } while (record != NULL && deferred_quick(local, record));
  if (record != NULL) return call_before_return(local, g, record, self);
  if (n >= 0) return call_return(local, g, from, n);
  RT_ASSERT(value_is_type(*from, OBJ_VALUES));
  const ObjValues *list = (const ObjValues *)value_obj(*from);
  RT_ASSERT(values_is_valid(list));
  return call_return(local, g, list->slots, (int)list->len);
}

// --- try, modules --------------------------------------------
// In the frame of try (enter_try) R[2] begins the call's window.
Next call_try(Local *local, Goroutine *g) {
  RT_ASSERT(frame_closure(g->base)->proto->flags & PROTO_TRY);
  g->base[4] = g->base[0];
  g->base[5] = g->base[1];
  if (g->base[1] == VALUE_NIL)
    return call_value(local, g, g->base + 2, 0, WANT_ALL, g->pc);
  if (!call_spread(local, g, 2, 0, 0)) return THROW;
  int argc = (int)g->multi;
  g->multi = 0;
  return call_value(local, g, g->base + 2, argc, WANT_ALL, g->pc);
}

// An error that the function gave last is the error. A last nil beside values
// says that there is none.
Next call_try_return(Local *local, Goroutine *g) {
  Value *results = g->base + 2;
  uint32_t n = g->multi;
  Value last = n > 0 ? results[n - 1] : VALUE_NIL;
  bool failed = value_is_error(last);
  if (failed || (n > 1 && last == VALUE_NIL)) n--;
  if (n > 1) {
    ObjList *list = list_of_top(local, g, results, n);
    if (list == NULL) return THROW;
    results[0] = value_from_obj(list);
  }
  if (n == 0) results[0] = VALUE_NIL;
  results[1] = failed ? last : VALUE_NIL;
  return call_return(local, g, results, 2);
}

Next call_module(Local *local, Goroutine *g, int a, Value v) {
  RT_ASSERT(value_is_type(v, OBJ_MODULE));
  ObjModule *module = (ObjModule *)value_obj(v);
  if (module->started || module->main == NULL) return GO_ON;
  module->started = 1;
  Value *window = g->base + a;
  window[2] = value_from_obj(module->main);
  return call_value(local, g, window, 0, 0, g->pc);
}
