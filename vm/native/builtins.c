// SPDX-License-Identifier: MIT
// The predeclared functions that schedule nothing: output, sizes, errors,
// comparisons. Conversions are in builtins_convert.c, channels and tasks in
// builtins_sched.c, time in timers.c.
//
// What needs a string() method of a struct, or a loop over a function or a
// channel, is left to the prelude (stdlib/prelude.csp) by a tail call. Names
// that begin with _ are seen by the library's own sources only.
#include "vm/native/builtins.h"

#include <math.h>
#include <stdlib.h>

#include "vm/heap/work.h"
#include "vm/interp/access.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/places.h"
#include "vm/native/order.h"
#include "vm/object/box.h"
#include "vm/object/compare.h"
#include "vm/object/error.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/range.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/value/proto_layout.h"

static bool is_nil_value(CspValue v) { return v.word == VALUE_NIL; }

// --- Text -------------------------------------------------------------------
// Whether an argument's text has to be made by the prelude. Given up: false.
static bool text_needs_call(CspCall *call) {
  for (int i = 0; i < call->argc; i++) {
    if (value_needs_call(call->local, call->args[i], false)) return true;
    if (!work_on(call->local, 2)) break;
  }
  return false;
}

// Calls `name` again with all arguments that need it turned into strings.
static CspStatus builtin_with_strings(CspCall *call, const char *name) {
  ObjList *args = list_new(call->local, (size_t)call->argc);
  if (args == NULL ||
      !list_append(call->local, args, call->args, (size_t)call->argc)) {
    return csp_panic_memory(call);
  }
  CspValue argv[2] = {csp_builtin(call, name), csp_wrap(value_from_obj(args))};
  return csp_tail_named(call, "_with_strings", 2, argv);
}

// The text of all arguments is made first, and written in one piece.
static CspStatus write_args(CspCall *call, const char *end) {
  Text text = {.memory = call->vm->memory,
               .most = heap_room(call->vm->heap),
               .local = call->local};
  for (int i = 0; i < call->argc && !text.failed; i++) {
    if (i > 0) text_add(&text, " ", 1);
    format_value(&text, call->vm, call->args[i], false);
    text.failed |= !work_on(call->local, 24);
  }
  text_add(&text, end, strlen(end));
  if (text.failed) {
    text_free(&text);
    return csp_panic_memory(call);
  }
  if (text.len > 0) csp_write_out(call, text.data, text.len);
  csp_charge(call, text.len / 64);
  text_free(&text);
  return csp_ok_nothing(call);
}

static CspStatus builtin_print(CspCall *call) {
  if (text_needs_call(call)) return builtin_with_strings(call, "print");
  return write_args(call, "");
}

static CspStatus builtin_println(CspCall *call) {
  if (text_needs_call(call)) return builtin_with_strings(call, "println");
  return write_args(call, "\n");
}

static CspStatus ok_format(CspCall *call, CspValue v, bool quoted) {
  size_t len;
  char *text = csp_alloc_format(call, v, quoted, &len);
  if (text == NULL) return csp_panic_memory(call);
  csp_charge(call, len / 64);
  return csp_ok(call, csp_alloc_take(call, text, len));
}

// The text of bytes that is made: `done` bytes of it are there.
typedef struct BytesText {
  CspValue bytes, text;  // kept
  char *to;
  size_t len, done;
} BytesText;

static CspStatus str_of_bytes_on(CspCall *call, void *data, bool on) {
  enum { PIECE = 1 << 16, KEPT = 2 };
  BytesText *made = data;
  if (!on) return CSP_PANIC;
  while (made->done < made->len) {
    size_t left = made->len - made->done, n = left < PIECE ? left : PIECE;
    char *to = made->to + made->done;
    size_t copied = csp_bytes_read(made->bytes, made->done, to, n);
    memset(to + copied, 0, n - copied);  // somebody may have cut them
    made->done += n;
    if (csp_spent(call, n / 8) && made->done < made->len)
      return csp_again(call, str_of_bytes_on, made, sizeof *made, KEPT);
  }
  return csp_ok(call, made->text);
}

static CspStatus str_of_bytes(CspCall *call, CspValue bytes) {
  BytesText made = {.bytes = bytes, .len = csp_bytes_len(bytes)};
  made.text = csp_string_room(call, made.len, &made.to);
  if (csp_is_undef(made.text)) return csp_panic_memory(call);
  return str_of_bytes_on(call, &made, true);
}

// The most frequent conversion, without a buffer.
static CspStatus str_of_int(CspCall *call, int64_t n) {
  char digits[20];
  size_t at = sizeof digits;
  uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
  do {
    digits[--at] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (n < 0) digits[--at] = '-';
  return csp_ok_string(call, digits + at, sizeof digits - at);
}

// str(x): the text that println writes, or bytes as they are, read as UTF-8.
static CspStatus builtin_str(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (is_obj(v, OBJ_STRING)) return csp_ok(call, v);
  if (value_is_int(v.word)) return str_of_int(call, value_int(v.word));
  if (is_obj(v, OBJ_BYTES)) return str_of_bytes(call, v);
  if (csp_needs_call_on(call, v)) return csp_tail_named(call, "_str", 1, &v);
  return ok_format(call, v, false);
}

static CspStatus builtin_type(CspCall *call) {
  const char *name = csp_type_name(csp_arg(call, 0));
  return csp_ok_string(call, name, strlen(name));
}

// --- Sizes ------------------------------------------------------------------
static CspStatus range_len(CspCall *call, const ObjRange *range) {
  uint64_t last;
  if (!range_last(range, &last)) return csp_ok_int(call, 0);
  if (last >= INT64_MAX)
    return csp_panic(call, "len: the range has more elements than an int");
  return csp_ok_int(call, (int64_t)last + 1);
}

// _part(x, from, to): what part_of (stdlib/part.c) has checked. A `to` of nil
// is the end.
static CspStatus builtin_part(CspCall *call) {
  Value from = call->args[1], to = call->args[2];
  RT_ASSERT(value_is_int(from) && (to == VALUE_NIL || value_is_int(to)));
  Obj *part = access_part(call->local, call->args[0], value_int(from),
                          to == VALUE_NIL ? INT64_MAX : value_int(to));
  if (part == NULL) return csp_panic_memory(call);
  return csp_ok(call, csp_wrap(value_from_obj(part)));
}

// range.by(step): with the same ends, and that step instead of its own.
static CspStatus range_by(CspCall *call) {
  CspValue v;
  int64_t step;
  if (!csp_need_type(call, 0, CSP_RANGE, &v) || !csp_need_int(call, 1, &step))
    return CSP_PANIC;
  if (step == 0) return csp_panic(call, "range.by: step must not be 0");
  const ObjRange *of = (ObjRange *)value_obj(v.word);
  ObjRange *range =
      range_new(call->local, of->from, of->to, range_is_inclusive(of));
  if (range == NULL) return csp_panic_memory(call);
  range->step = step;
  return csp_ok(call, csp_wrap(value_from_obj(range)));
}

// len(x): a string's or bytes' bytes, a list's elements, a map's keys, a
// range's numbers, and how many values wait in a channel's buffer.
CspStatus builtin_len(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  int64_t own;
  // Without csp_type, which would settle it: the next append would copy it.
  if (value_is_type(v.word, OBJ_STRING))
    return csp_ok_int(call, (int64_t)((ObjString *)value_obj(v.word))->len);
  switch (csp_type(v)) {
    case CSP_BYTES:
      return csp_ok_int(call, (int64_t)csp_bytes_len(v));
    case CSP_LIST:
    case CSP_TUPLE:
      return csp_ok_int(call, (int64_t)csp_list_len(v));
    case CSP_MAP:
      return csp_ok_int(call, (int64_t)csp_map_len(v));
    case CSP_RANGE:
      return range_len(call, (ObjRange *)value_obj(v.word));
    case CSP_CHAN:
      return csp_ok_int(call,
                        chan_count(&((ObjChan *)value_obj(v.word))->chan));
    case CSP_HOST:
      if (host_len(v.word, &own)) return csp_ok_int(call, own);
      break;
    default:
      break;
  }
  return csp_bad_arg(call, 0,
                     "a string, bytes, list, tuple, map, range or channel");
}

// list.push(values...): all of them or, without memory, none. Gives the list.
CspStatus builtin_push(CspCall *call) {
  CspValue list;
  if (!csp_need_type(call, 0, CSP_LIST, &list)) return CSP_PANIC;
  if (call->local->raced ||
      !list_append(call->local, (ObjList *)value_obj(list.word), call->args + 1,
                   (size_t)call->argc - 1))
    return csp_panic_memory(call);
  return csp_ok(call, list);
}

static CspStatus builtin_cap(CspCall *call) {
  CspValue v;
  if (!csp_need_type(call, 0, CSP_CHAN, &v)) return CSP_PANIC;
  return csp_ok_int(call, chan_cap(&((ObjChan *)value_obj(v.word))->chan));
}

static CspStatus builtin_delete(CspCall *call) {
  CspValue map;
  if (!csp_need_type(call, 0, CSP_MAP, &map)) return CSP_PANIC;
  if (!csp_map_delete(call, map, csp_arg(call, 1), NULL)) return CSP_PANIC;
  return csp_ok_nothing(call);
}

// --- Comparing --------------------------------------------------------------
// equal(a, b), in pieces. `kept` is a list of the objects that the comparison
// is inside of, four for each pair. Only this native has it.
typedef struct Equal {
  CspValue kept;
  Deep deep;
} Equal;

// What the collector takes for a value: an object, or nil.
static bool keep_object(CspCall *call, CspValue list, const void *object) {
  Value v =
      object != NULL ? value_from_obj((Obj *)(uintptr_t)object) : VALUE_NIL;
  return csp_list_push(call, list, csp_wrap(v));
}

// Those of pairs that were there before the piece are in the list.
static bool keep_pairs(CspCall *call, Equal *equal) {
  Deep *deep = &equal->deep;
  enum { EACH = 4 };
  if (csp_type(equal->kept) == CSP_NIL)
    equal->kept = csp_list(call, EACH * deep->depth);
  if (csp_is_undef(equal->kept)) {
    csp_panic_memory(call);
    return false;
  }
  size_t stay = EACH * deep->low, len = csp_list_len(equal->kept);
  csp_list_remove(call, equal->kept, stay, len - stay);
  for (size_t at = deep->low; at < deep->depth; at++) {
    DeepPair pair = deep_pair(deep, at);
    if (!keep_object(call, equal->kept, pair.a) ||
        !keep_object(call, equal->kept, pair.b) ||
        !keep_object(call, equal->kept, pair.x) ||
        !keep_object(call, equal->kept, pair.y))
      return false;
  }
  deep->low = deep->depth;
  return true;
}

static CspStatus equal_end(CspCall *call, Equal *equal) {
  const char *failed = equal->deep.failed;
  deep_free(&equal->deep);
  if (failed != NULL) return csp_panic(call, "equal: %s", failed);
  return csp_ok_bool(call, equal->deep.same);
}

static CspStatus equal_on(CspCall *call, void *data, bool on) {
  enum { AT_ONCE = 64 };
  Equal *equal = data;
  RT_ASSERT(equal->deep.depth <= equal->deep.cap);
  while (on && deep_some(&equal->deep, call->local, AT_ONCE)) {
    if (!csp_spent(call, 0)) continue;
    if (keep_pairs(call, equal))
      return csp_again(call, equal_on, equal, sizeof *equal, 1);
    deep_free(&equal->deep);
    return CSP_PANIC;
  }
  return equal_end(call, equal);
}

static CspStatus builtin_equal(CspCall *call) {
  Equal equal;
  equal.kept = csp_nil();
  deep_begin(&equal.deep, call->local, csp_arg(call, 0).word,
             csp_arg(call, 1).word);
  return equal_on(call, &equal, true);
}

// The i-th of the compared values: arguments, or the elements of the only
// argument, a list or tuple.
static CspValue extreme_value(CspCall *call, bool of_list, size_t i) {
  return of_list ? csp_list_get(csp_arg(call, 0), i) : csp_arg(call, (int)i);
}

// The least (sign -1) or the greatest (1), the first of equal ones. NaN wins,
// in tuples at its position.
static CspStatus extreme_arg(CspCall *call, int sign) {
  bool of_list =
      call->argc == 1 && sequence_block(csp_arg(call, 0).word) != NULL;
  size_t count = of_list ? csp_list_len(csp_arg(call, 0)) : (size_t)call->argc;
  if (count == 0) {
    return csp_panic(call, "%s: %s", call->def->name,
                     !of_list ? "nothing to compare"
                     : csp_type(csp_arg(call, 0)) == CSP_LIST
                         ? "the list is empty"
                         : "the tuple is empty");
  }
  CspValue best = extreme_value(call, of_list, 0);
  if (csp_compare(best, best) == 3) {
    return csp_panic(call, "%s: values of type %s have no order",
                     call->def->name, csp_type_name(best));
  }
  for (size_t i = 1; i < count; i++) {
    CspValue v = extreme_value(call, of_list, i);
    int order = order_of(call, v, best, sign);
    if (!csp_work(call, 12)) return CSP_PANIC;
    if (order == 3) return order_refuse(call, best, v);
    if (order == sign) best = v;
  }
  return csp_ok(call, best);
}

CspStatus builtin_min(CspCall *call) { return extreme_arg(call, -1); }

CspStatus builtin_max(CspCall *call) { return extreme_arg(call, 1); }

static CspStatus builtin_abs(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (value_is_int(v.word)) {
    int64_t n = value_int(v.word);
    if (n == INT64_MIN) return csp_panic(call, "abs: integer overflow");
    return n < 0 ? csp_ok_int(call, -n) : csp_ok(call, v);
  }
  double d;
  if (!csp_need_number(call, 0, &d)) return CSP_PANIC;
  return csp_ok_float(call, fabs(d));
}

// --- Errors -----------------------------------------------------------------
static CspStatus builtin_error(CspCall *call) {
  CspValue cause = csp_arg(call, 1);
  if (!is_nil_value(cause) && !csp_is_error(cause))
    return csp_bad_arg(call, 1, "an error or nil");
  CspValue code = csp_arg(call, 2);
  CspType type = csp_type(code);
  if (type != CSP_STRING && type != CSP_INT && type != CSP_NIL)
    return csp_bad_arg(call, 2, "a string or an int");
  return csp_ok(call, csp_error_coded(call, csp_arg(call, 0), cause, code));
}

static CspStatus builtin_panic(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (is_nil_value(v)) return csp_panic(call, "panic called with nil");
  vm_panic_value(call->local, call->g, v.word);
  call->panicked = true;
  return CSP_PANIC;
}

// assert(condition, message): panics when the condition is nil or false.
static CspStatus builtin_assert(CspCall *call) {
  if (csp_truthy(csp_arg(call, 0))) return csp_ok_nothing(call);
  CspValue message = csp_arg(call, 1);
  if (is_nil_value(message)) return csp_panic(call, "assertion failed");
  if (csp_is_error(message)) {
    vm_panic_value(call->local, call->g, message.word);
    call->panicked = true;
    return CSP_PANIC;
  }
  if (csp_needs_call_on(call, message))
    return builtin_with_strings(call, "assert");
  char *text = csp_alloc_format(call, message, false, NULL);
  if (text == NULL) return csp_panic_memory(call);
  csp_panic(call, "assertion failed: %s", text);
  mem_free(text);
  return CSP_PANIC;
}

enum { ASSERT_LINE = 60 };

static CspStatus assert_panic(CspCall *call, const char *op, const char *left,
                              const char *right) {
  bool equal = strcmp(op, "equal") == 0;
  if (strlen(left) + strlen(right) <= ASSERT_LINE)
    return equal
               ? csp_panic(call, "assertion failed: equal(%s, %s)", left, right)
               : csp_panic(call, "assertion failed: %s %s %s", left, op, right);
  return csp_panic(call,
                   equal ? "assertion failed: %s(left, right)\n"
                           "  left:  %s\n  right: %s"
                         : "assertion failed: left %s right\n"
                           "  left:  %s\n  right: %s",
                   op, left, right);
}

// _assert_failed(operator, left, right, texts = nil): what the compiler calls
// when the comparison in an assert does not hold. texts: the values' are made.
static CspStatus builtin_assert_failed(CspCall *call) {
  CspValue argv[3] = {csp_arg(call, 0), csp_arg(call, 1), csp_arg(call, 2)};
  bool quoted = !csp_truthy(csp_arg(call, 3));
  if (value_needs_call(call->local, argv[1].word, quoted) ||
      value_needs_call(call->local, argv[2].word, quoted))
    return csp_tail_named(call, "_assert_texts", 3, argv);
  char *left = csp_alloc_format(call, argv[1], quoted, NULL);
  char *right = csp_alloc_format(call, argv[2], quoted, NULL);
  if (left != NULL && right != NULL) {
    assert_panic(call, csp_to_string(argv[0], NULL), left, right);
  } else {
    csp_panic_memory(call);
  }
  mem_free(left);
  mem_free(right);
  return CSP_PANIC;
}

// _no_case(value): what the compiler calls where a switch that has to give a
// value has no case that fits it. Without one: no case holds.
static CspStatus builtin_no_case(CspCall *call) {
  enum { SHOWN = 100 };
  if (csp_argc(call) == 0)
    return csp_panic(call, "no case of the `switch` holds");
  char *text = csp_alloc_format(call, csp_arg(call, 0), true, NULL);
  if (text == NULL) return csp_panic_memory(call);
  csp_panic(call, "no case of the `switch` fits %.*s%s", SHOWN, text,
            strlen(text) > SHOWN ? "..." : "");
  mem_free(text);
  return CSP_PANIC;
}

// --- For the prelude --------------------------------------------------------
// _needs_call(v, quoted): whether the prelude makes its text.
static CspStatus builtin_needs_call(CspCall *call) {
  bool quoted = csp_truthy(csp_arg(call, 1));
  return csp_ok_bool(call,
                     value_needs_call(call->local, call->args[0], quoted));
}

// _show(v, quoted): its text, without calling string() methods.
static CspStatus builtin_show(CspCall *call) {
  return ok_format(call, csp_arg(call, 0), csp_truthy(csp_arg(call, 1)));
}

static CspValue or_nil(Value v) {
  return v == VALUE_UNDEF ? csp_nil() : csp_wrap(v);
}

// _show_some(v, table, at): the next piece of a long text, see format_run. It
// gives the text, a map's table, where the next piece begins (nil: this is the
// last), and a key and a value that the caller is to write after it, or nil. A
// table goes nowhere but into the next call.
static CspStatus builtin_show_some(CspCall *call) {
  Value table = call->args[1];
  TextRun run = {.at = (uint64_t)value_int(call->args[2])};
  Text text = {.memory = call->vm->memory,
               .most = heap_room(call->vm->heap),
               .local = call->local};
  if (value_is_obj(table)) run.table = value_obj(table);
  format_run(&text, call->args[0], &run);
  ObjString *piece =
      text.failed ? NULL : string_new(call->local, text.data, text.len);
  text_free(&text);
  if (piece == NULL) return csp_panic_memory(call);
  csp_return(call, csp_wrap(value_from_obj(piece)));
  if (run.table == NULL)
    csp_return(call, csp_nil());
  else
    csp_return(call, csp_wrap(value_from_obj((Obj *)(uintptr_t)run.table)));
  csp_return(call, run.ended ? csp_nil() : csp_int(call, (int64_t)run.at));
  csp_return(call, or_nil(run.key));
  return csp_ok(call, or_nil(run.part));
}

// The method that gives the instance's text. NULL: none.
static const char *text_method(const ObjStruct *type) {
  if (heap_load(&type->string_method) != VALUE_NIL) return "string";
  return heap_load(&type->error_method) != VALUE_NIL ? "error" : NULL;
}

// _parts(instance): its field names and values, one after the other, or the
// name of the method that gives its text, unless all is true. _parts(error):
// [message].
static CspStatus builtin_parts(CspCall *call) {
  CspValue v = csp_arg(call, 0), list = csp_list(call, 8);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  if (is_obj(v, OBJ_ERROR)) {
    csp_list_push(call, list, csp_error_message(v));
    return csp_ok(call, list);
  }
  if (!is_obj(v, OBJ_INSTANCE)) return csp_bad_arg(call, 0, "a struct");
  ObjInstance *instance = (ObjInstance *)value_obj(v.word);
  const char *method = text_method(instance->type);
  if (method != NULL && !csp_truthy(csp_arg(call, 1)))
    return csp_ok_string(call, method, strlen(method));
  for (size_t i = 0; i < instance->obj.aux; i++) {
    csp_list_push(call, list,
                  csp_wrap(value_from_obj(instance->type->fields[i])));
    csp_list_push(call, list, csp_wrap(heap_load(&instance->fields[i])));
  }
  return csp_ok(call, list);
}

// _also(v): the errors of deferred calls that v carries, a list.
static CspStatus builtin_also(CspCall *call) {
  CspValue also = csp_wrap(error_also(csp_arg(call, 0).word));
  return csp_ok(call, is_nil_value(also) ? csp_list(call, 0) : also);
}

// _places(v, first): the code and the places of an error, as lines of a report
// that _describe makes, or "". first: v is the panic's value, not a cause of
// it. The newest panic's trace is printed below them. nil: v is one that
// another error carries, of which the code is shown.
static CspStatus builtin_places(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  const Panic *panic = panic_in_description(call->g);
  bool traced = csp_truthy(csp_arg(call, 1)) && panic == call->g->panic;
  Text text = {.memory = call->vm->memory};
  if (is_obj(v, OBJ_ERROR)) {
    const ObjError *error = (ObjError *)value_obj(v.word);
    bool carried = is_nil_value(csp_arg(call, 1));
    error_print_code(&text, call->vm, error, carried ? "    " : "  ");
    if (!carried)
      places_print(&text, error, traced && panic != NULL ? panic->trace : NULL);
  }
  CspStatus status =
      text.failed
          ? csp_panic_memory(call)
          : csp_ok_string(call, text.data != NULL ? text.data : "", text.len);
  text_free(&text);
  return status;
}

// _described(text): the text is that of a panic that nobody stopped.
static CspStatus builtin_described(CspCall *call) {
  const char *text;
  size_t len;
  if (!csp_need_string(call, 0, &text, &len)) return CSP_PANIC;
  panic_set_text(call->g, text, len);
  return CSP_OK;
}

// _kind(v): "list", "tuple", "map", "struct", "error", "text" (a string, or
// bytes) or "other", whatever the struct is called.
static CspStatus builtin_kind(CspCall *call) {
  const char *kind;
  switch (csp_type(csp_arg(call, 0))) {
    case CSP_LIST:
      kind = "list";
      break;
    case CSP_TUPLE:
      kind = "tuple";
      break;
    case CSP_MAP:
      kind = "map";
      break;
    case CSP_INSTANCE:
      kind = "struct";
      break;
    case CSP_ERROR:
      kind = "error";
      break;
    case CSP_STRING:
    case CSP_BYTES:
      kind = "text";
      break;
    default:
      kind = "other";
  }
  return csp_ok_string(call, kind, strlen(kind));
}

static int required_arguments(Value f) {
  const Obj *obj = value_obj(f);
  if (obj->type == OBJ_CLOSURE)
    return ((const ObjClosure *)obj)->proto->nrequired;
  if (obj->type == OBJ_NATIVE) return ((const ObjNative *)obj)->def->nrequired;
  RT_ASSERT(obj->type == OBJ_BOUND);
  return required_arguments(((const ObjBound *)obj)->function) - 1;
}

// _needs_arguments(f): whether a call of the function f without any would fail.
static CspStatus builtin_needs_arguments(CspCall *call) {
  CspValue f;
  if (!csp_need_type(call, 0, CSP_FUNC, &f)) return CSP_PANIC;
  return csp_ok_bool(call, required_arguments(f.word) > 0);
}

const CspFunction list_core_methods[] = {
    CSP_REPEATABLE,
    {"push", "list, values...", builtin_push},
    {NULL, NULL, NULL}};

const CspFunction range_methods[] = {
    CSP_REPEATABLE, {"by", "range, step", range_by}, {NULL, NULL, NULL}};

const CspFunction builtin_functions[] = {
    {"panic", "value", builtin_panic},
    CSP_REPEATABLE,
    {"print", "values...", builtin_print},
    {"println", "values...", builtin_println},
    {"str", "x", builtin_str},
    {"type", "x", builtin_type},
    {"len", "x", builtin_len},
    {"cap", "channel", builtin_cap},
    {"delete", "map, key", builtin_delete},
    {"int", "x", builtin_int},
    {"float", "x", builtin_float},
    {"bool", "x", builtin_bool},
    {"bytes", "x = nil", builtin_bytes},
    {"list", "x = nil", builtin_list},
    {"tuple", "x = nil", builtin_tuple},
    {"map", "x = nil, default = nil", builtin_map},
    {"copy", "x", builtin_copy},
    {"equal", "a, b", builtin_equal},
    {"min", "values...", builtin_min},
    {"max", "values...", builtin_max},
    {"abs", "x", builtin_abs},
    {"error", "message, cause = nil, code = nil", builtin_error},
    {"assert", "condition, message = nil", builtin_assert},
    {"_assert_failed", "operator, left, right, texts = nil",
     builtin_assert_failed},
    {"_part", "x, from, to", builtin_part},
    {"_no_case", "values...", builtin_no_case},
    {"_needs_call", "v, quoted", builtin_needs_call},
    {"_show", "v, quoted", builtin_show},
    {"_show_some", "v, table, at", builtin_show_some},
    {"_parts", "v, all = nil", builtin_parts},
    {"_also", "v", builtin_also},
    {"_places", "v, first", builtin_places},
    {"_described", "text", builtin_described},
    {"_kind", "v", builtin_kind},
    {"_needs_arguments", "f", builtin_needs_arguments},
    {NULL, NULL, NULL},
};
