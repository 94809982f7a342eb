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
#include "lang/gen/stmt.h"
#include "lang/resolve/scope.h"
#include "lang/table.h"
#include "vm/code/proto.h"
#include "vm/heap/local.h"

// --- Protos -----------------------------------------------------------------
static ObjString *display_name(Compiler *c, const Func *func) {
  char text[40];
  if (func->name != NULL) return name_string(c, func->name);
  snprintf(text, sizeof text, "func@%u", func->node->pos.line);
  AstStr name = {text, strlen(text)};
  return name_string(c, &name);
}

// A method's receiver is its first parameter.
static Node *receiver_of(const Func *func) {
  return func->node != NULL && func->node->kind == NODE_FUNC ? func->node->c
                                                             : NULL;
}

static Node *parameters_of(const Func *func) {
  return func->node != NULL ? func->node->a : NULL;
}

static void declare_parameter(Compiler *c, Proto *proto, const Node *param) {
  proto->param_names[proto->nparams++] = name_string(c, param->name);
  if (param->flags & FLAG_REST) {
    proto->flags |= PROTO_REST;
  } else if (param->a != NULL) {
    proto->flags |= PROTO_DEFAULTS;
  } else if (!(proto->flags & PROTO_DEFAULTS)) {
    proto->nrequired++;  // a struct's later ones: NEW finds out
  }
}

static void declare_parameters(Compiler *c, Proto *proto, const Func *func) {
  Node *receiver = receiver_of(func);
  size_t count = receiver != NULL;
  for (const Node *param = parameters_of(func); param != NULL;
       param = param->next)
    count++;
  proto->param_names =
      mem_zeroed(c->vm->memory, (count + 1) * sizeof *proto->param_names);
  if (proto->param_names == NULL) {
    c->no_memory = true;
    return;
  }
  if (receiver != NULL) {
    proto->param_names[proto->nparams++] = name_string(c, receiver->name);
    proto->nrequired++;
  }
  for (const Node *param = parameters_of(func); param != NULL;
       param = param->next)
    declare_parameter(c, proto, param);
  RT_ASSERT(proto->nparams == count && proto->nrequired <= proto->nparams);
}

void func_declare(Compiler *c, Func *func) {
  RT_ASSERT(func->proto == NULL);
  Proto *proto = proto_new(c->vm);
  func->proto = proto;
  if (proto == NULL) {
    c->no_memory = true;
    return;
  }
  proto->name = display_name(c, func);
  proto->path = c->path;
  if (func->has_defer) proto->flags |= PROTO_DEFER;
  if (func == c->main) proto->flags |= PROTO_MAIN;
  proto->nresults =
      (uint8_t)(func->results == RESULTS_NONE ? 0 : func->results);
  if (func->constructor) proto->nresults = 1;
  declare_parameters(c, proto, func);
}

Value func_known(Compiler *c, Func *func) {
  if (func->proto == NULL) func_declare(c, func);
  if (func->proto == NULL) return VALUE_NIL;
  func->proto->flags |= PROTO_TOP;
  ObjClosure *closure = proto_self(c->vm, func->proto);
  if (closure != NULL) return value_from_obj(closure);
  c->no_memory = true;
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
static bool prepare_upvalues(Compiler *c, Func *func) {
  if (func->gen.nupvalues >= UPVALUES_MAX) {
    func_too_complex(c, "it captures more than 255 variables");
    return false;
  }
  if (func->gen.upvalues != NULL) return true;
  func->gen.upvalue_symbols =
      arena_alloc(c->arena, UPVALUES_MAX * sizeof *func->gen.upvalue_symbols);
  func->gen.upvalues =
      arena_alloc(c->arena, UPVALUES_MAX * sizeof *func->gen.upvalues);
  return true;
}

int func_upvalue(Compiler *c, Func *func, Symbol *symbol) {
  for (int i = 0; i < func->gen.nupvalues; i++) {
    if (func->gen.upvalue_symbols[i] == symbol) return i;
  }
  RT_ASSERT(symbol->captured && symbol->owner != func);
  RT_ASSERT(func->parent != NULL);
  if (!prepare_upvalues(c, func)) return 0;
  UpvalueFrom from = {.local = symbol->owner == func->parent};
  from.index = (uint8_t)(from.local ? symbol->reg
                                    : func_upvalue(c, func->parent, symbol));
  RT_ASSERT(from.local ? symbol->reg < func->parent->gen.max
                       : from.index < UPVALUES_MAX);
  func->gen.upvalue_symbols[func->gen.nupvalues] = symbol;
  func->gen.upvalues[func->gen.nupvalues] = from;
  return func->gen.nupvalues++;
}

// --- Code -------------------------------------------------------------------
static void move_upvalues(Compiler *c, Func *func) {
  size_t count = (size_t)func->gen.nupvalues;
  if (count == 0) return;
  UpvalueFrom *upvalues = mem_alloc(c->vm->memory, count * sizeof *upvalues);
  if (upvalues == NULL) {
    c->no_memory = true;
    return;
  }
  memcpy(upvalues, func->gen.upvalues, count * sizeof *upvalues);
  func->proto->upvalues = upvalues;
  func->proto->nupvalues = (uint8_t)count;
}

// Hands everything over to the proto.
static void finish_proto(Compiler *c, Func *func) {
  Proto *proto = func->proto;
  proto->code = func->gen.code;
  proto->ncode = func->gen.ncode;
  proto->constants = func->gen.constants;
  proto->nconstants = func->gen.nconstants;
  proto->lines = func->gen.lines;
  proto->nlines = func->gen.nlines;
  proto->nregs = (uint16_t)(func->gen.max > 0 ? func->gen.max : 1);
  move_upvalues(c, func);
  table_free(&func->gen.constant_index);
  table_free(&func->gen.cell_index);
  RT_ASSERT(func_is_complete(c, func));
}

static void default_value(Compiler *c, Node *param, int reg) {
  int given = NO_JUMP;
  if ((param->flags & FLAG_REST) || param->a == NULL) return;
  emit_branch(c, param->pos, instr_abc(OP_DEFJ, reg, 0, 0), &given);
  expr_to(c, param->a, reg);
  emit_patch(c, given);
}

static void take_parameters(Compiler *c, Func *func) {
  Node *receiver = receiver_of(func);
  int count = func->proto->nparams, reg = 0;
  reg_set(c, count);
  func->gen.active = count;
  if (receiver != NULL) assign_bind(c, receiver->pos, receiver->note, reg++);
  for (Node *param = parameters_of(func); param != NULL;
       param = param->next, reg++) {
    default_value(c, param, reg);
    assign_bind(c, param->pos, param->note, reg);
  }
  RT_ASSERT(reg == count && registers_are_balanced(func));
}

static void constructor_body(Compiler *c, Func *func) {
  int reg = 0;
  Pos pos = func->node->pos;
  for (const Node *f = func->node->a; f != NULL; f = f->next, reg++) {
    const Symbol *field = f->note;
    if (symbol_in_cell(field)) emit_abc(c, f->pos, OP_GETCELL, reg, reg, 0);
  }
  reg_need(c, 1);
  emit_abx(c, pos, OP_NEW, 0, emit_constant(c, func->self->value));
  calls_return(c, pos, 0, 1);
}

static void arrow_body(Compiler *c, Node *value) {
  if (value->kind == NODE_CALL) {
    calls_return_all(c, value->pos, value);
  } else {
    int reg = expr_any(c, value);
    calls_return(c, value->pos, reg, 1);
  }
}

static void block_body(Compiler *c, Node *stmts, Pos end) {
  stmt_list(c, stmts);
  RT_ASSERT(c->func->gen.exit == NULL && registers_are_balanced(c->func));
  if (emit_reachable(c)) calls_return(c, end, 0, 0);
}

void func_generate(Compiler *c, Func *func) {
  Func *around = c->func;
  Node *node = func->node;
  if (compile_gives_up(c)) return;
  if (func->proto == NULL) func_declare(c, func);
  if (c->no_memory) return;
  c->func = func;
  take_parameters(c, func);
  if (func->constructor) {
    constructor_body(c, func);
  } else if (node->flags & FLAG_ARROW) {
    arrow_body(c, node->b);
  } else {
    block_body(c, node->b->a, node->b->end);
  }
  finish_proto(c, func);
  RT_ASSERT(c->func == func);
  c->func = around;
}

void func_generate_file(Compiler *c, Func *func, Node *stmts) {
  Pos end = {1, 1, 0};
  for (const Node *node = stmts; node != NULL; node = node->next)
    end = node->pos;
  if (c->no_memory) return;
  c->func = func;
  block_body(c, stmts, end);
  finish_proto(c, func);
}

// --- Closures ---------------------------------------------------------------
void func_closure(Compiler *c, Node *node, int target) {
  Func *func = node->note;
  RT_ASSERT(func->node == node && func->parent == c->func);
  func_generate(c, func);
  if (c->no_memory || func->gen.too_complex) return;
  if (func->gen.nupvalues == 0) {
    emit_load(c, node->pos, target, func_known(c, func));
  } else {
    Value proto = (Value)(uintptr_t)func->proto;  // aligned: a small int
    emit_abx(c, node->pos, OP_CLOSURE, target, emit_constant(c, proto));
  }
}

// The name is there before its closure is made, because the function may call
// itself.
void func_local(Compiler *c, Node *decl) {
  Symbol *symbol = decl->note;
  int reg = reg_take(c, 1);
  c->func->gen.active = c->func->gen.top;
  if (symbol_in_cell(symbol)) {
    emit_abc(c, decl->pos, OP_LOADNIL, reg, 0, 0);
    assign_bind(c, decl->pos, symbol, reg);
    int made = c->func->gen.top;
    reg_need(c, made + 1);
    func_closure(c, decl->a, made);
    emit_abc(c, decl->pos, OP_SETCELL, reg, made, 0);
  } else {
    func_closure(c, decl->a, reg);
    assign_bind(c, decl->pos, symbol, reg);
  }
}

// --- Structs ----------------------------------------------------------------
ObjStruct *struct_new(Compiler *c, Node *node) {
  Func *constructor = node->note;
  RT_ASSERT(constructor->constructor && constructor->node == node);
  size_t count = 0;
  for (const Node *f = node->a; f != NULL; f = f->next) count++;
  ObjStruct *type = (ObjStruct *)heap_alloc(
      &c->local->heap, sizeof *type + count * sizeof *type->fields, OBJ_STRUCT);
  if (type != NULL) type->room = NULL;  // finalizing looks at it
  Value make = func_known(c, constructor);
  if (type == NULL || make == VALUE_NIL) {
    c->no_memory = true;
    return NULL;
  }
  type->obj.aux = (uint16_t)count;
  type->id = ++c->vm->next_struct_id;
  type->method_count = 0;
  type->name = name_string(c, node->name);
  type->constructor = constructor->proto;
  type->make = (ObjClosure *)value_obj(make);
  type->string_method = VALUE_NIL;
  count = 0;
  for (const Node *f = node->a; f != NULL; f = f->next)
    type->fields[count++] = name_string(c, f->name);
  constructor->self->value = value_from_obj(type);
  return type;
}

void struct_local(Compiler *c, Node *node) {
  if (struct_new(c, node) != NULL) func_generate(c, node->note);
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
  // release: with the methods in it; pairs with the loads of method_count
  rt_store_release(&type->room, room);
  return true;
}

bool struct_add_method(Vm *vm, ObjStruct *type, uint32_t before,
                       ObjString *name, Value function) {
  RT_ASSERT(before <= type->method_count);
  if (strcmp(name->data, "string") == 0) type->string_method = function;
  for (uint32_t i = 0; i < before; i++) {
    if (type->room->methods[i].name != name) continue;
    // release: publishes the closure; pairs with heap_load
    rt_store_release(&type->room->methods[i].function, function);
    return true;
  }
  if (!methods_grow(vm, type)) return false;
  type->room->methods[type->method_count] = (Method){name, function};
  // release: the table has it; pairs with the acquires in access.c
  rt_store_release(&type->method_count, type->method_count + 1);
  return true;
}
