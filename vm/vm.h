// SPDX-License-Identifier: MIT
// What the files of vm/ (and lang/, which compiles into it) show each other.
#ifndef CSP_VM_VM_H
#define CSP_VM_VM_H

#include <stdarg.h>

#include "vm/goroutine.h"
#include "vm/heap.h"

struct CompileInput;
struct CspLoad;
struct NativeModule;

// Per-P data: p->local.
struct Local {
  LocalHeap heap;
  Vm *vm;
  P *p;
  Goroutine *all;   // goroutines born on this P (weak list)
  Goroutine *free;  // dead ones to reuse; dropped by each collection
  uint32_t free_count;
  int64_t balance;  // atomic: goroutines started here, less those ended here
  uint32_t grow;    // registers a call could not get (handlers.h)
  int64_t debt;     // work that natives charged (csp_charge), for the counter
  const void *retried;  // where memory_again collected last
  // The interpreter's, by opcode byte: here, where a register leads (interp.c).
  void (*handlers[256])(void);
};

// The methods of a built-in type; names are interned.
typedef struct MethodTable {
  uint32_t count;
  Method methods[];
} MethodTable;

struct Vm {
  Sched *sched;
  bool child_first;  // immutable: CspConfig's
  Heap *heap;
  uint64_t hash_seed;
  Local *boot;    // the Local of P 0, for work before sched_run
  Proto *protos;  // all; guarded by compile_lock
  Goroutine *main;
  // Interned names: an open-addressing table of ObjString*, permanent.
  ObjString **names;
  uint32_t names_count, names_cap;
  uint32_t next_struct_id;
  MethodTable *methods[OBJ_TYPE_COUNT];  // of built-in types, malloced
  ObjMap *builtins;                      // predeclared names -> value
  ObjMap *modules;                       // path -> ObjModule
  ObjString *type_names[OBJ_TYPE_COUNT];
  ObjFloat *float_zero, *float_neg_zero, *float_inf, *float_neg_inf, *float_nan;
  ObjString *empty_string;
  uint64_t stack_limit_bytes;  // 256 MB
  uint64_t frame_limit;        // 1,000,000
  uint64_t goroutine_limit;    // 0: none
  uint64_t goroutines;  // atomic; with a limit: that were started, less ended
  int safepoint_count;  // safepoints between two looks
  uint64_t interrupt;  // atomic: id of the goroutine to be interrupted; 0: none
  // The compiler, installed by the layer above (lang_install).
  struct ObjClosure *(*compile)(Vm *vm, const struct CompileInput *input,
                                char **errors);
  struct NativeModule *native_modules;  // registered, not necessarily loaded
  struct HostMethods *host_methods;     // of host classes (api.c)
  // A panic of the main goroutine is reported after that time though members of
  // its groups have not ended: group.c.
  int64_t patience_ns;
  Timer late;
  void *state;  // vm.c's own (options, output, exit status)
};

// What the compiler is asked. Only one thread compiles at a time (before the
// main goroutine runs, or on it); objects come from vm->boot.
typedef struct CompileInput {
  const char *path;  // as messages show it; imports are relative to it
  const char *text;
  size_t len;
  bool privileged;    // an embedded library file: may use builtins that
                      // begin with _ and add methods to built-in types
  bool warnings;      // *errors also gets warnings
  ObjModule *module;  // its members become / are its top-level names; NULL:
                      // the main script, a fresh module is made
  const char *test;   // csp_run_test's function, or NULL
} CompileInput;

// --- module.c: built-in modules ---------------------------------------------
// The module of that import path if it is built in (made on first use, with
// its native members; its CSP part is compiled into it by the importer), or
// NULL. *source: its CSP part, or NULL. *no_memory: set to true when it is
// built in, but could not be made.
ObjModule *vm_builtin_module(Vm *vm, const char *path, const char **source,
                             size_t *source_len, bool *no_memory);
// Feeds every built-in module's path (for "did you mean").
void vm_each_builtin_module(Vm *vm, void (*fn)(void *arg, const char *path),
                            void *arg);
// Asks CspConfig.load. false: there is none, or it has no such module.
bool vm_load(Vm *vm, struct CspLoad *load);
// Whether scripts may use all of these (CSP_FILES | ...).
bool vm_allows(Vm *vm, uint32_t what);
ObjModule *module_new(Vm *vm, const char *name);
// Bytes that compiling one file may take; SIZE_MAX: any number.
size_t vm_compile_room(Vm *vm);
// The cell of a member, made if missing (value UNDEF).
ObjCell *module_cell(Vm *vm, ObjModule *module, ObjString *name);
// Adds a method to a built-in type (boot and compile time only). false: out
// of memory.
bool vm_add_method(Vm *vm, ObjType type, ObjString *name, Value function);
// The method, or VALUE_UNDEF.
Value vm_method(Vm *vm, ObjType type, const ObjString *name);

static inline Local *local_of(P *p) { return (Local *)p->local; }

// Long work counts as safepoints (SCHEDULER row 21): one is about 25 ns.
static inline void charge_bytes(Local *local, size_t bytes) {
  local->debt += (int64_t)(bytes / 256);
}
static inline void charge_steps(Local *local, size_t steps) {
  local->debt += (int64_t)(steps / 8);
}

// --- number.c: boxes --------------------------------------------------------
// NULL-safe: out of memory gives VALUE_UNDEF from these.
Value value_box_int(Local *local, int64_t i);
Value value_box_float(Local *local, double d);
static inline Value value_from_int(Local *local, int64_t i) {
  return __builtin_expect(int_fits_small(i), 1) ? value_from_small(i)
                                                : value_box_int(local, i);
}
static inline Value value_from_float(Local *local, double d) {
  Value v;
  return __builtin_expect(value_try_flo(d, &v), 1) ? v
                                                   : value_box_float(local, d);
}
static inline bool value_is_int(Value v) {
  return value_is_small(v) || value_is_type(v, OBJ_INT);
}
static inline int64_t value_int(Value v) {
  return value_is_small(v) ? value_small(v) : ((ObjInt *)value_obj(v))->value;
}
// Both for handlers: false where the slow path must decide.
static inline bool value_wide(Value v, int64_t *out) {
  if (__builtin_expect(value_is_small(v), 1)) {
    *out = value_small(v);
    return true;
  }
  if (!value_is_type(v, OBJ_INT)) return false;
  *out = ((ObjInt *)value_obj(v))->value;
  return true;
}
static inline __attribute__((always_inline)) bool value_try_int(Local *local,
                                                                int64_t i,
                                                                Value *out) {
  *out = value_from_small(i);
  if (__builtin_expect(value_small(*out) == i, 1)) return true;
  ObjInt *box = (ObjInt *)heap_try_alloc(&local->heap, sizeof *box, OBJ_INT);
  if (box == NULL) return false;
  box->value = i;
  *out = value_from_obj(box);
  return true;
}
static inline bool value_is_float(Value v) {
  return value_is_flo(v) || value_is_type(v, OBJ_FLOAT);
}
static inline double value_float(Value v) {
  return value_is_flo(v) ? value_flo(v) : ((ObjFloat *)value_obj(v))->value;
}
// For handlers: a float, boxed or not, or a small int, as a double.
static inline bool value_as_double(Value v, double *out) {
  if (value_is_float(v)) {
    *out = value_float(v);
  } else {
    *out = (double)value_small(v);
    return value_is_small(v);
  }
  return true;
}
// The word of d, which may be zero: all share its box, which is made before any
// code runs. false: d must be boxed.
static inline bool value_pack_float(const Vm *vm, double d, Value *out) {
  if (__builtin_expect(value_try_flo(d, out), 1)) return true;
  if (*out != 0) return false;  // 0.0's bits, but not -0.0's
  *out = value_from_obj(vm->float_zero);
  return true;
}
static inline bool value_is_number(Value v) {
  return value_is_int(v) || value_is_float(v);
}
// Exact comparison of an int with a float: -1, 0, 1; 2 when d is NaN.
int number_compare(int64_t i, double d);

// --- string.c ---------------------------------------------------------------
// NULL: out of memory (or longer than STRING_LEN_MAX). Owner P.
#define STRING_LEN_MAX ((uint64_t)1 << 31)
ObjString *string_new(Local *local, const char *data, size_t len);
ObjString *string_alloc(Local *local, size_t len);  // fill data[] before use
ObjString *string_format(Local *local, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ObjString *string_concat(Local *local, ObjString *a, ObjString *b);
uint32_t string_hash(Vm *vm, ObjString *s);
bool string_equal(const ObjString *a, const ObjString *b);
int string_compare(const ObjString *a, const ObjString *b);
// memmem-like: byte offset of needle from `from` on, or -1 (two-way/memmem).
int64_t string_find(const ObjString *s, const ObjString *needle, size_t from);
// Decodes one code point at data[at] (at < len): its length; invalid bytes
// give 0xFFFD and length 1.
int utf8_decode(const char *data, size_t len, size_t at, uint32_t *rune);
int utf8_encode(uint32_t rune, char out[4]);  // length; 0 for no code point
// The permanent string of a name in code. Only while compiling or booting
// (the world's one compiler at a time, see vm.c).
ObjString *vm_intern(Vm *vm, const char *text, size_t len);

// --- list.c -----------------------------------------------------------------
ObjList *list_new(Local *local, size_t cap);           // NULL: out of memory
ObjValues *values_new(Local *local, size_t cap);       // all nil, len 0
bool list_push(Local *local, ObjList *list, Value v);  // false: out of memory
bool list_append(Local *local, ObjList *list, const Value *from, size_t count);
bool list_insert(Local *local, ObjList *list, size_t at, Value v);
void list_remove(Local *local, ObjList *list, size_t at, size_t count);
// A consistent view: block, and length clamped to its capacity.
static inline ObjValues *list_block(const ObjList *list) {
  return heap_load(&list->block);
}
static inline size_t values_len(const ObjValues *block) {
  // Never above cap: whoever stores it has compared with the same block's.
  return (size_t)rt_load_relaxed(&block->len);
}

// --- channel.c --------------------------------------------------------------
enum { CHAN_MOST = 1 << 27 };  // values that one may hold
// NULL: out of memory.
ObjChan *channel_new(Local *local, uint32_t cap);
ObjChan *channel_new_drops(Local *local, uint32_t cap);
ObjChan *channel_new_grows(Local *local, uint32_t room, uint32_t limit);
// Its next ring, if one is wanted. false: out of memory.
bool channel_grow(Local *local, Chan *c);

// --- bytes.c ----------------------------------------------------------------
ObjBytes *bytes_new(Local *local, size_t len);  // zeroed
bool bytes_append(Local *local, ObjBytes *b, const void *from, size_t count);
static inline ObjRaw *bytes_block(const ObjBytes *b) {
  return heap_load(&b->block);
}
static inline size_t raw_len(const ObjRaw *block) {
  uint64_t len = rt_load_relaxed(&block->len);
  return (size_t)(len <= block->cap ? len : block->cap);
}

// --- map.c ------------------------------------------------------------------
typedef enum MapResult {
  MAP_OK,
  MAP_NO_MEMORY,
  MAP_BAD_KEY,     // NaN or bytes
  MAP_CONCURRENT,  // another writer is inside
} MapResult;
const char *map_result_text(MapResult r);  // for panics
ObjMap *map_new(Local *local, size_t cap);
// false: not there (or a key that can be in no map).
bool map_get(Vm *vm, const ObjMap *map, Value key, Value *out);
MapResult map_set(Local *local, ObjMap *map, Value key, Value v);
MapResult map_delete(Local *local, ObjMap *map, Value key, bool *found);
size_t map_len(const ObjMap *map);
// Walks a snapshot: start with *at = 0 and table = the map's table at that
// time. Entries deleted since are skipped; values are current. false: end.
bool map_next(Vm *vm, const ObjMap *map, const ObjTable *table, uint64_t *at,
              Value *key, Value *value);

// --- compare.c: what == and map keys mean, and equal() ----------------------
bool value_equal(Value a, Value b);  // ==
// <: -1, 0, 1 for two numbers, two strings or two bytes; 2: unordered (NaN);
// 3: types that have no order.
int value_compare(Value a, Value b);
uint32_t value_hash(Vm *vm, Value key);  // for keys that may be in a map
// Deep; cycles are handled. *work counts visited values. *failed: NULL, or why
// it gave up: nested deeper than 10,000, or memory.
bool value_deep_equal(Vm *vm, Value a, Value b, uint64_t *work,
                      const char **failed);

// --- format.c: values as text -----------------------------------------------
typedef struct Text {  // a growing malloced buffer
  char *data;
  size_t len, cap;
  size_t most;  // bytes; 0: any number
  bool failed;  // out of memory, or more than that: data is not complete
  bool full;    // failed: it was more than that
} Text;
void text_add(Text *text, const char *data, size_t len);
// The decimal digits of i, written in front of `end`: how many (at most 20).
enum { INT_DIGITS = 20 };
size_t format_int(int64_t i, char *end);
void text_addf(Text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_free(Text *text);
// The shortest decimal that reads back; buffer of 32 bytes; its length.
int format_float(double d, char *out);
// As println prints it. quoted: strings in source form. Structs print as
// Name(field: value); their string() methods are NOT called: see
// value_needs_call. Containers nest; a container inside itself prints as
// [...] or {...}.
void format_value(Text *text, Vm *vm, Value v, bool quoted);
// Whether printing v would have to call a string() method somewhere inside.
bool value_needs_call(Value v);
const char *value_type_name(Value v);  // "int", "nil", a struct's own name

#endif
