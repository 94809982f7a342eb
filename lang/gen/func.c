// SPDX-License-Identifier: MIT
// Second pass, functions: protos, parameters and their defaults, upvalues and
// closures. Also struct types and their constructors.
#include "lang/gen/func.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/gen/assign.h"
#include "lang/gen/balance.h"
#include "lang/gen/calls.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/naming.h"
#include "lang/gen/stmt.h"
#include "lang/resolve/scope.h"
#include "lang/table.h"
#include "vm/code/proto.h"
#include "vm/heap/local.h"

// --- Protos -----------------------------------------------------------------
static ObjString *display_name(Compiler *compiler, const Func *func) {
  char text[40];
  if (func->name != NULL) return name_string(compiler, func->name);
  snprintf(text, sizeof text, "func@%u", func->node->pos.line);
  AstStr name = {text, strlen(text)};
  return name_string(compiler, &name);
}

// A method's receiver is its first parameter.
static Node *receiver_of(const Func *func) {
  return func->node != NULL && func->node->kind == NODE_FUNC ? func->node->c
                                                             : NULL;
}

static Node *parameters_of(const Func *func) {
  return func->node != NULL ? func->node->a : NULL;
}

static void declare_parameter(Compiler *compiler, Proto *proto,
                              const Node *param) {
  proto->param_names[proto->nparams++] = name_string(compiler, param->name);
  if (param->flags & FLAG_REST) {
    proto->flags |= PROTO_REST;
  } else if (param->a != NULL) {
    proto->flags |= PROTO_DEFAULTS;
  } else if (!(proto->flags & PROTO_DEFAULTS)) {
    proto->nrequired++;  // a struct's later ones: NEW finds out
  }
}

static void declare_parameters(Compiler *compiler, Proto *proto,
                               const Func *func) {
  Node *receiver = receiver_of(func);
  size_t count = receiver != NULL;
  for (const Node *param = parameters_of(func); param != NULL;
       param = param->next)
    count++;
  proto->param_names = mem_zeroed(compiler->vm->memory,
                                  (count + 1) * sizeof *proto->param_names);
  if (proto->param_names == NULL) {
    compiler->no_memory = true;
    return;
  }
  if (receiver != NULL) {
    proto->flags |= PROTO_METHOD;
    proto->param_names[proto->nparams++] =
        name_string(compiler, receiver->name);
    proto->nrequired++;
  }
  for (const Node *param = parameters_of(func); param != NULL;
       param = param->next)
    declare_parameter(compiler, proto, param);
  RT_ASSERT(proto->nparams == count && proto->nrequired <= proto->nparams);
}

// Functions of the library that are written in the language and hand out what
// was stored, with the sources that they are in.
static const struct Stored {
  const char *path, *name;
} stored[] = {{"prelude.csp", "list.find"},
              {"prelude.csp", "list.max_by"},
              {"prelude.csp", "list.min_by"},
              {"maps.csp", "find"}};

static bool hands_out_stored(const Compiler *compiler, const Func *func) {
  if (!compiler->privileged || func->name == NULL) return false;
  for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
    if (name_is(func->name, stored[i].name) &&
        strcmp(compiler->path->own, stored[i].path) == 0)
      return true;
  return false;
}

// Makes the proto, and what callers may know of it before there is code.
static void func_declare(Compiler *compiler, Func *func) {
  RT_ASSERT(func->proto == NULL);
  Proto *proto = proto_new(compiler->vm);
  func->proto = proto;
  if (proto == NULL) {
    compiler->no_memory = true;
    return;
  }
  proto->name = display_name(compiler, func);
  proto->path = compiler->path;
  if (func->has_defer) proto->flags |= PROTO_DEFER;
  if (func == compiler->main) proto->flags |= PROTO_MAIN;
  if (compiler->privileged) proto->flags |= PROTO_LIBRARY;
  if (hands_out_stored(compiler, func)) proto->flags |= PROTO_STORED;
  proto->nresults =
      (uint8_t)(func->results == RESULTS_NONE ? 0 : func->results);
  if (func->constructor) proto->nresults = 1;
  declare_parameters(compiler, proto, func);
}

Value func_known(Compiler *compiler, Func *func) {
  if (func->proto == NULL) func_declare(compiler, func);
  if (func->proto == NULL) return VALUE_NIL;
  func->proto->flags |= PROTO_TOP;
  ObjClosure *closure = proto_self(compiler->vm, func->proto);
  if (closure != NULL) return value_from_obj(closure);
  compiler->no_memory = true;
  return VALUE_NIL;
}

Proto *func_proto(const Symbol *symbol) {
  if (value_is_type(symbol->value, OBJ_CLOSURE))
    return ((ObjClosure *)value_obj(symbol->value))->proto;
  if (value_is_type(symbol->value, OBJ_STRUCT))
    return ((ObjStruct *)value_obj(symbol->value))->constructor;
  return NULL;
}

// --- Upvalues ---------------------------------------------------------------
static bool prepare_upvalues(Compiler *compiler, Func *func) {
  if (func->gen.nupvalues >= UPVALUES_MAX) {
    func_too_complex(compiler, "it captures more than 255 variables");
    return false;
  }
  if (func->gen.upvalues != NULL) return true;
  func->gen.upvalue_symbols = arena_alloc(
      compiler->arena, UPVALUES_MAX * sizeof *func->gen.upvalue_symbols);
  func->gen.upvalues =
      arena_alloc(compiler->arena, UPVALUES_MAX * sizeof *func->gen.upvalues);
  return true;
}

int func_upvalue(Compiler *compiler, Func *func, Symbol *symbol) {
  for (int i = 0; i < func->gen.nupvalues; i++) {
    if (func->gen.upvalue_symbols[i] == symbol) return i;
  }
  RT_ASSERT(symbol->captured && symbol->owner != func);
  RT_ASSERT(func->parent != NULL);
  if (!prepare_upvalues(compiler, func)) return 0;
  UpvalueFrom from = {.local = symbol->owner == func->parent};
  from.index =
      (uint8_t)(from.local ? symbol->reg
                           : func_upvalue(compiler, func->parent, symbol));
  RT_ASSERT(from.local ? symbol->reg < func->parent->gen.max
                       : from.index < UPVALUES_MAX);
  func->gen.upvalue_symbols[func->gen.nupvalues] = symbol;
  func->gen.upvalues[func->gen.nupvalues] = from;
  return func->gen.nupvalues++;
}

// --- Code -------------------------------------------------------------------
static void move_upvalues(Compiler *compiler, Func *func) {
  size_t count = (size_t)func->gen.nupvalues;
  if (count == 0) return;
  UpvalueFrom *upvalues =
      mem_alloc(compiler->vm->memory, count * sizeof *upvalues);
  if (upvalues == NULL) {
    compiler->no_memory = true;
    return;
  }
  memcpy(upvalues, func->gen.upvalues, count * sizeof *upvalues);
  func->proto->upvalues = upvalues;
  func->proto->nupvalues = (uint8_t)count;
}

// Without the room that it has for more.
static void *kept_exactly(const Compiler *compiler, void *data, size_t size) {
  void *exact = NULL;
  if (data != NULL) exact = mem_resize(compiler->vm->memory, data, size);
  return exact != NULL ? exact : data;
}

// Hands everything over to the proto.
static void finish_proto(Compiler *compiler, Func *func) {
  Proto *proto = func->proto;
  proto->ncode = func->gen.ncode;
  proto->code = kept_exactly(compiler, func->gen.code,
                             func->gen.ncode * sizeof *func->gen.code);
  proto->nconstants = func->gen.nconstants;
  proto->constants =
      kept_exactly(compiler, func->gen.constants,
                   func->gen.nconstants * sizeof *func->gen.constants);
  proto->nlines = func->gen.nlines;
  proto->lines = kept_exactly(compiler, func->gen.lines,
                              func->gen.nlines * sizeof *func->gen.lines);
  proto->nregs = (uint16_t)(func->gen.max > 0 ? func->gen.max : 1);
  move_upvalues(compiler, func);
  naming_pack(compiler, func);
  table_free(&func->gen.constant_index);
  table_free(&func->gen.cell_index);
  RT_ASSERT(func_is_complete(compiler, func));
}

static void default_value(Compiler *compiler, Node *param, int reg) {
  int given = NO_JUMP;
  if ((param->flags & FLAG_REST) || param->a == NULL) return;
  emit_branch(compiler, param->pos, instr_abc(OP_DEFJ, reg, 0, 0), &given);
  expr_to(compiler, param->a, reg);
  emit_patch(compiler, given);
}

static void take_parameters(Compiler *compiler, Func *func) {
  Node *receiver = receiver_of(func);
  int count = func->proto->nparams, reg = 0;
  reg_set(compiler, count);
  func->gen.active = count;
  if (receiver != NULL)
    assign_bind(compiler, receiver->pos, receiver->note, reg++);
  for (Node *param = parameters_of(func); param != NULL;
       param = param->next, reg++) {
    default_value(compiler, param, reg);
    assign_bind(compiler, param->pos, param->note, reg);
  }
  RT_ASSERT(reg == count && registers_are_balanced(func));
}

static void constructor_body(Compiler *compiler, Func *func) {
  int reg = 0;
  Pos pos = func->node->pos;
  for (const Node *param = func->node->a; param != NULL;
       param = param->next, reg++) {
    const Symbol *field = param->note;
    if (symbol_in_cell(field))
      emit_abc(compiler, param->pos, OP_GETCELL, reg, reg, 0);
  }
  reg_need(compiler, 1);
  emit_abx(compiler, pos, OP_NEW, 0,
           emit_constant(compiler, func->self->value));
  calls_return(compiler, pos, 0, 1);
}

static void block_body(Compiler *compiler, Node *stmts, Pos end) {
  stmt_list(compiler, stmts);
  RT_ASSERT(compiler->func->gen.exit == NULL &&
            registers_are_balanced(compiler->func));
  if (emit_reachable(compiler)) calls_return_none(compiler, end);
}

void func_generate(Compiler *compiler, Func *func) {
  Func *around = compiler->func;
  Node *node = func->node;
  if (compile_gives_up(compiler)) return;
  if (func->proto == NULL) func_declare(compiler, func);
  if (compiler->no_memory) return;
  compiler->func = func;
  take_parameters(compiler, func);
  if (func->constructor) {
    constructor_body(compiler, func);
  } else if (node->flags & FLAG_ARROW) {
    calls_return_arrow(compiler, node->b);
  } else {
    block_body(compiler, node->b->a, node->b->end);
  }
  finish_proto(compiler, func);
  RT_ASSERT(compiler->func == func);
  compiler->func = around;
}

void func_generate_file(Compiler *compiler, Func *func, Node *stmts) {
  Pos end = {1, 1, 0};
  for (const Node *node = stmts; node != NULL; node = node->next)
    end = node->pos;
  if (compiler->no_memory) return;
  compiler->func = func;
  block_body(compiler, stmts, end);
  finish_proto(compiler, func);
}

// --- Closures ---------------------------------------------------------------
void func_closure(Compiler *compiler, Node *node, int target) {
  Func *func = node->note;
  RT_ASSERT(func->node == node && func->parent == compiler->func);
  func_generate(compiler, func);
  if (compiler->no_memory || func->gen.too_complex) return;
  if (func->gen.nupvalues == 0) {
    emit_load(compiler, node->pos, target, func_known(compiler, func));
  } else {
    Value proto = (Value)(uintptr_t)func->proto;  // aligned: a small int
    emit_abx(compiler, node->pos, OP_CLOSURE, target,
             emit_constant(compiler, proto));
  }
}

// The name is there before its closure is made, because the function may call
// itself.
void func_local(Compiler *compiler, Node *decl) {
  Symbol *symbol = decl->note;
  int reg = reg_take(compiler, 1);
  compiler->func->gen.active = compiler->func->gen.top;
  if (symbol_in_cell(symbol)) {
    emit_abc(compiler, decl->pos, OP_LOADNIL, reg, 0, 0);
    assign_bind(compiler, decl->pos, symbol, reg);
    int made = compiler->func->gen.top;
    reg_need(compiler, made + 1);
    func_closure(compiler, decl->a, made);
    emit_abc(compiler, decl->pos, OP_SETCELL, reg, made, 0);
  } else {
    func_closure(compiler, decl->a, reg);
    assign_bind(compiler, decl->pos, symbol, reg);
  }
}

// --- Structs ----------------------------------------------------------------
ObjStruct *struct_new(Compiler *compiler, Node *node) {
  Func *constructor = node->note;
  RT_ASSERT(constructor->constructor && constructor->node == node);
  size_t count = 0;
  for (const Node *field = node->a; field != NULL; field = field->next) count++;
  ObjStruct *type = (ObjStruct *)heap_alloc(
      &compiler->local->heap, sizeof *type + count * sizeof *type->fields,
      OBJ_STRUCT);
  if (type != NULL) type->room = NULL;  // finalizing looks at it
  Value make = func_known(compiler, constructor);
  if (type == NULL || make == VALUE_NIL) {
    compiler->no_memory = true;
    return NULL;
  }
  type->obj.aux = (uint16_t)count;
  type->id = ++compiler->vm->next_struct_id;
  type->method_count = 0;
  type->name = name_string(compiler, node->name);
  type->constructor = constructor->proto;
  type->make = (ObjClosure *)value_obj(make);
  type->string_method = VALUE_NIL;
  type->error_method = VALUE_NIL;
  count = 0;
  for (const Node *field = node->a; field != NULL; field = field->next)
    type->fields[count++] = name_string(compiler, field->name);
  constructor->self->value = value_from_obj(type);
  return type;
}

void struct_local(Compiler *compiler, Node *node) {
  if (struct_new(compiler, node) != NULL) func_generate(compiler, node->note);
}

// Room is made in powers of two, and the old room is kept (MethodRoom).
static bool methods_grow(Vm *vm, ObjStruct *type) {
  uint32_t count = type->method_count;
  if (count != 0 && (count < 8 || (count & (count - 1)) != 0)) return true;
  uint32_t cap = count == 0 ? 8 : count * 2;
  MethodRoom *room =
      mem_alloc(vm->memory, sizeof *room + cap * sizeof *room->methods);
  if (room == NULL) return false;
  room->before = type->room;
  for (uint32_t i = 0; i < count; i++)
    room->methods[i] = type->room->methods[i];
  // release: with the methods in it. Pairs with heap_load in methods_of
  rt_store_release(&type->room, room);
  return true;
}

// The methods that the VM calls itself.
static void note_method(ObjStruct *type, const ObjString *name,
                        Value function) {
  const Proto *proto = ((ObjClosure *)value_obj(function))->proto;
  if (strcmp(name->own, "string") == 0)
    // release: publishes the closure. Pairs with heap_load
    rt_store_release(&type->string_method, function);
  if (strcmp(name->own, "error") == 0)
    // release: as above
    rt_store_release(&type->error_method,
                     proto->nrequired == 1 ? function : VALUE_NIL);
}

bool struct_add_method(Vm *vm, ObjStruct *type, uint32_t before,
                       ObjString *name, Value function) {
  RT_ASSERT(before <= type->method_count);
  note_method(type, name, function);
  for (uint32_t i = 0; i < before; i++) {
    if (type->room->methods[i].name != name) continue;
    // release: publishes the closure. Pairs with heap_load
    rt_store_release(&type->room->methods[i].function, function);
    return true;
  }
  if (!methods_grow(vm, type)) return false;
  type->room->methods[type->method_count] = (Method){name, function};
  // release: the table has it. Pairs with find_method and its neighbours
  rt_store_release(&type->method_count, type->method_count + 1);
  return true;
}
