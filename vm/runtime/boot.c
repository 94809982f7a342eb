// SPDX-License-Identifier: MIT
// What a Vm has before any script: numbers and names that are always there,
// the code of the interpreter's own frames, the predeclared functions.
#include "vm/runtime/boot.h"

#include <math.h>
#include <stdlib.h>

#include "sched/plain.h"
#include "vm/code/proto.h"
#include "vm/heap/lasting.h"
#include "vm/heap/mark.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/native/builtins.h"
#include "vm/native/whose.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/runtime/api_threads.h"
#include "vm/runtime/builtins_runtime.h"
#include "vm/runtime/park.h"
#include "vm/runtime/runtime.h"

static ObjFloat *make_float(Vm *vm, double d) {
  ObjFloat *number =
      (ObjFloat *)heap_alloc(&vm->boot->heap, sizeof *number, OBJ_FLOAT);
  if (number != NULL) number->value = d;
  return number;
}

static bool boot_values(Vm *vm) {
  vm->float_zero = make_float(vm, 0.0);
  vm->float_neg_zero = make_float(vm, -0.0);
  vm->float_inf = make_float(vm, INFINITY);
  vm->float_neg_inf = make_float(vm, -INFINITY);
  vm->float_nan = make_float(vm, NAN);
  vm->builtins = map_new(vm->boot, 64);
  vm->modules = map_new(vm->boot, 16);
  vm->empty_string = string_new(vm->boot, "", 0);
  static const char *const names[] = {
#define X(name, text) text,
      OBJ_TYPES(X)
#undef X
  };
  for (int n = 0; n < OBJ_TYPE_COUNT; n++) {
    vm->type_names[n] = vm_intern(vm, names[n], strlen(names[n]));
    if (vm->type_names[n] == NULL) return false;
  }
  return vm->float_zero != NULL && vm->float_neg_zero != NULL &&
         vm->float_inf != NULL && vm->float_neg_inf != NULL &&
         vm->float_nan != NULL && vm->builtins != NULL && vm->modules != NULL &&
         vm->empty_string != NULL;
}

typedef struct OwnCode {
  const char *name;
  Instr code[2];
  uint16_t nregs;
  uint8_t nparams, flags;
} OwnCode;

// A proto of the interpreter's own, with this code.
static Proto *own_proto(Vm *vm, const OwnCode *own) {
  uint8_t nparams = own->nparams;
  Proto *proto = proto_new(vm);
  if (proto == NULL) return NULL;
  proto->code = mem_alloc(vm->memory, sizeof own->code);
  proto->param_names =
      mem_zeroed(vm->memory, (nparams + 1u) * sizeof(ObjString *));
  if (proto->code == NULL || proto->param_names == NULL) return NULL;
  memcpy(proto->code, own->code, sizeof own->code);
  proto->ncode = sizeof own->code / sizeof *own->code;
  proto->nregs = own->nregs;
  proto->nparams = nparams;
  proto->nrequired = nparams ? 1 : 0;
  proto->nresults = 2;
  proto->flags = (uint16_t)(own->flags | PROTO_TOP);
  proto->name = vm_intern(vm, own->name, strlen(own->name));
  proto->path = vm_intern(vm, "(runtime)", 9);
  bool named = proto->name != NULL && proto->path != NULL;
  static const char *const params[] = {"f", "args"};
  for (int n = 0; n < nparams; n++) {
    proto->param_names[n] = vm_intern(vm, params[n], strlen(params[n]));
    named = named && proto->param_names[n] != NULL;
  }
  return named ? proto : NULL;
}

// One that all share. NULL: no memory, also where there is no text.
static ObjError *shared_error(Vm *vm, ObjString *text, const char *code) {
  ObjString *word = string_new(vm->boot, code, strlen(code));
  if (text == NULL || word == NULL) return NULL;
  ObjError *error = error_new(vm->boot, value_from_obj(text), VALUE_NIL,
                              value_from_obj(word));
  if (error != NULL) error->obj.flags |= ERROR_PLAIN | ERROR_SHARED;
  return error;
}

static bool boot_cancel_errors(Vm *vm, VmCode *code) {
  static const char *const texts[] = {[CANCELLED] = "cancelled",
                                      [CANCEL_DEADLINE] = "deadline exceeded",
                                      [CANCEL_INTERRUPT] = "interrupted"};
  static const char *const codes[] = {[CANCELLED] = "cancelled",
                                      [CANCEL_DEADLINE] = "timeout",
                                      [CANCEL_INTERRUPT] = "interrupted"};
  code->cancel_errors[NOT_CANCELLED] = VALUE_NIL;
  for (int n = CANCELLED; n < CANCEL_REASONS; n++) {
    ObjError *error =
        shared_error(vm, string_format(vm->boot, "%s", texts[n]), codes[n]);
    if (error == NULL) return false;
    code->cancel_errors[n] = value_from_obj(error);
  }
  return true;
}

static bool boot_code(Vm *vm, VmCode *code) {
  const OwnCode goexit = {.name = "goexit",
                          .code = {instr_abc(OP_CALLV, 0, 0, WANT_ALL),
                                   instr_abc(OP_GOEXIT, 0, 0, 0)},
                          .nregs = FRAME_WORDS};
  const OwnCode try_ = {
      .name = "try",
      .code = {instr_abc(OP_TRYCALL, 0, 0, 0), instr_abc(OP_TRYRET, 0, 0, 0)},
      .nregs = 6,
      .nparams = 2,
      .flags = PROTO_REST | PROTO_TRY};
  code->goexit = own_proto(vm, &goexit);
  code->try_ = own_proto(vm, &try_);
  if (code->goexit == NULL || code->try_ == NULL) return false;
  code->goexit_closure = proto_self(vm, code->goexit);
  code->try_closure = proto_self(vm, code->try_);
  code->panic_go[0] = instr_abc(OP_PANICGO, 0, 0, 0);
  for (int n = 0; n < 256; n++)
    code->return_nils[n] = instr_abc(OP_RETD, 0, n, 0);
  code->concat = VALUE_NIL;
  Plain plain = plain_begin();
  unsigned long long limit = runtime_of(vm)->config.max_memory;
  ObjString *text =
      limit == 0 ? string_format(vm->boot, "out of memory")
                 : string_format(vm->boot, "out of memory: the limit is %g MB",
                                 (double)limit / (1 << 20));
  plain_end(plain);
  ObjError *error = shared_error(vm, text, "memory");
  if (error == NULL || code->goexit_closure == NULL ||
      code->try_closure == NULL)
    return false;
  code->memory_error = value_from_obj(error);
  code->reserve.last = (Panic){.value = code->memory_error,
                               .also = VALUE_NIL,
                               .frame = -1,
                               .reserve = &code->reserve};
  return boot_cancel_errors(vm, code);
}

static void mark_own(void *arg, GcMarker *marker) {
  const VmCode *code = arg;
  gc_mark(marker, code->memory_error);
  for (int n = 0; n < CANCEL_REASONS; n++)
    gc_mark(marker, code->cancel_errors[n]);
  gc_mark(marker, code->concat);
  gc_mark_obj(marker, code->goexit_closure);
  gc_mark_obj(marker, code->try_closure);
}

static bool boot_natives(Csp *csp) {
  return csp_register_builtins(csp, builtin_functions) &&
         csp_register_builtins(csp, builtin_sched_functions) &&
         csp_register_builtins(csp, group_functions) &&
         csp_register_builtins(csp, builtin_lock_functions) &&
         csp_register_builtins(csp, builtin_runtime_functions) &&
         csp_register_methods(csp, CSP_LIST, list_core_methods) &&
         csp_register_methods(csp, CSP_RANGE, range_methods) &&
         csp_register_methods(csp, CSP_GROUP, group_methods) &&
         csp_register_methods(csp, CSP_TIMER, timer_methods) &&
         csp_register_methods(csp, CSP_MUTEX, mutex_methods) &&
         csp_register_methods(csp, CSP_SEMAPHORE, semaphore_methods);
}

bool boot_vm(Csp *csp) {
  Vm *vm = &csp->vm;
  if (!boot_values(vm) || !boot_code(vm, &csp->code)) return false;
  if (!heap_add_roots(vm->heap, mark_own, &csp->code)) return false;
  ObjString *name = vm_intern(vm, "try", 3);
  if (name == NULL || map_set(vm->boot, vm->builtins, value_from_obj(name),
                              value_from_obj(csp->code.try_closure)) != MAP_OK)
    return false;
  if (!boot_natives(csp)) return false;
  natives_are_hosts(csp, true);
  // These call functions of the host.
  return csp_register_builtins(csp, post_functions) &&
         csp_register_builtins(csp, waker_functions);
}

void boot_free(Csp *csp) {
  Vm *vm = &csp->vm;
  for (int n = 0; n < OBJ_TYPE_COUNT; n++) mem_free(vm->methods[n]);
  lasting_free_all(vm);
  mem_free(csp->failed);
}
