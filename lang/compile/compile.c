// SPDX-License-Identifier: MIT
// The compiler's entry: text to tree to bytecode, for one file and all that it
// imports. What becomes visible to others (members of the module, methods) is
// set at the very end, when there were no errors.
#include "lang/compile/compile.h"

#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/check/check.h"
#include "lang/compile/loader.h"
#include "lang/compile/outline.h"
#include "lang/compile/session.h"
#include "lang/diag.h"
#include "lang/gen/expr.h"
#include "lang/gen/func.h"
#include "lang/parse/parse.h"
#include "lang/resolve/resolve.h"
#include "lang/resolve/resolve_func.h"
#include "lang/resolve/scope.h"
#include "lang/table.h"
#include "vm/heap/local.h"
#include "vm/interp/method_tables.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/runtime/paths.h"
#include "vm/runtime/vm.h"

enum { LOCALS_MAX = 64 };  // of the top level

// --- Making it visible ------------------------------------------------------
static bool symbol_is_known(Compiler *compiler, Symbol *symbol) {
  switch (symbol->kind) {
    case SYM_FUNC:
    case SYM_STRUCT:
      return true;
    case SYM_MODULE:
      return compiler->interactive;
    case SYM_GLOBAL:
      return symbol->node != NULL &&
             expr_constant(compiler, symbol->node, &symbol->value);
    case SYM_LOCAL:
    case SYM_LITERAL:
    case SYM_VALUE:
    case SYM_UNKNOWN:
      return false;
  }
  rt_throw("symbol_is_known: symbol of kind %d", (int)symbol->kind);
}

static void publish_name(Compiler *compiler, Symbol *symbol) {
  bool known = symbol_is_known(compiler, symbol);
  if (!known && symbol->kind != SYM_GLOBAL) return;
  ObjCell *cell = module_cell(compiler->vm, compiler->module,
                              name_string(compiler, symbol->name));
  if (cell == NULL) {
    compiler->no_memory = true;
    return;
  }
  cell->obj.flags = 0;
  if (symbol->constant) cell->obj.flags |= CELL_CONST;
  if (!known) return;
  cell->obj.flags |= CELL_KNOWN;
  heap_store(&compiler->local->heap, &cell->value, symbol->value);
}

static void publish_method(Compiler *compiler, const Func *func) {
  RT_ASSERT(func->proto->self != NULL && func->proto->ncode > 0);
  Value function = value_from_obj(func->proto->self);
  if (func->receiver != NULL) {
    for (const int8_t *type = func->receiver; *type >= 0; type++)
      if (!vm_add_method(compiler->vm, (ObjType)*type, func->method, function))
        compiler->no_memory = true;
    return;
  }
  Symbol *self = func->self;
  RT_ASSERT(self->kind == SYM_STRUCT && value_is_type(self->value, OBJ_STRUCT));
  ObjStruct *type = (ObjStruct *)value_obj(self->value);
  // Two of one file's methods never have one name.
  if (!self->extended) self->methods_before = type->method_count;
  self->extended = true;
  if (!struct_add_method(compiler->vm, type, self->methods_before, func->method,
                         function))
    compiler->no_memory = true;
}

static bool is_sound(Compiler *compiler) {
  return !compiler->no_memory && !arena_failed(compiler->arena) &&
         diags_errors(compiler->diags) == 0;
}

static void publish(Compiler *compiler) {
  RT_ASSERT(is_sound(compiler) && compiler->scope == NULL);
  for (Symbol *symbol = compiler->global_list; symbol != NULL;
       symbol = symbol->next)
    publish_name(compiler, symbol);
  for (const Func *func = compiler->funcs; func != NULL; func = func->next) {
    if (func->method != NULL) publish_method(compiler, func);
  }
}

// --- The passes -------------------------------------------------------------
// All top-level functions and structs have their values before any code that
// may use them is generated.
static void declare_funcs(Compiler *compiler) {
  func_known(compiler, compiler->main);  // the first proto of its file
  for (Func *func = compiler->funcs; func != NULL; func = func->next) {
    RT_ASSERT(func->self != NULL || func->receiver != NULL);
    if (func->constructor) {
      struct_new(compiler, func->node);
    } else {
      Value closure = func_known(compiler, func);
      if (func->method == NULL) func->self->value = closure;
    }
  }
}

// A script's own variables that no function uses need no cells: they are
// locals of the top level, the first of them.
static void localise(Compiler *compiler, Node *stmts) {
  int left = compiler->script ? LOCALS_MAX : 0;
  for (const Node *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    bool declares = stmt->kind == NODE_DEFINE || stmt->kind == NODE_VAR ||
                    stmt->kind == NODE_CONST;
    for (Node *name = stmt->a; declares && name != NULL; name = name->next) {
      Symbol *symbol = name->note;
      if (!(name->flags & NOTE_NEW) || symbol->kind != SYM_GLOBAL) continue;
      if (symbol->captured || symbol->node != NULL || left == 0) continue;
      RT_ASSERT(symbol->cell == NULL && symbol->scope == NULL);
      symbol->kind = SYM_LOCAL;
      symbol->owner = compiler->main;
      left--;
    }
  }
}

static ObjClosure *generate(Compiler *compiler, Node *stmts) {
  localise(compiler, stmts);
  declare_funcs(compiler);
  for (Func *func = compiler->funcs; func != NULL && is_sound(compiler);
       func = func->next)
    func_generate(compiler, func);
  if (is_sound(compiler)) func_generate_file(compiler, compiler->main, stmts);
  if (!is_sound(compiler)) return NULL;
  if (compiler->session != NULL) session_names(compiler);
  if (compiler->session == NULL || !compiler->session->dry) publish(compiler);
  return is_sound(compiler) ? compiler->main->proto->self : NULL;
}

static ObjClosure *compile_with(Compiler *compiler, const Unit *unit) {
  ObjString *path =
      vm_intern(compiler->vm, unit->source.path, strlen(unit->source.path));
  if (path == NULL) {
    compiler->no_memory = true;
    return NULL;
  }
  compiler->path = path;
  Node *stmts = lang_parse(&unit->source, compiler->arena, compiler->diags);
  if (arena_failed(compiler->arena)) return NULL;
  compiler->partial = diags_errors(compiler->diags) > 0;
  compiler->main =
      func_new(compiler, NULL, arena_intern(compiler->arena, "main", 4));
  compiler->func = compiler->main;
  if (compiler->session != NULL) session_result(compiler->session, stmts);
  resolve_file(compiler, stmts);
  RT_ASSERT(compiler->func == compiler->main && compiler->scope == NULL);
  RT_ASSERT(compiler->no_memory || lang_table_is_valid(&compiler->inner));
  if (compiler->warnings && is_sound(compiler)) check_file(compiler, stmts);
  if (unit->test != NULL) stmts = outline_add_test(compiler, stmts, unit->test);
  return is_sound(compiler) ? generate(compiler, stmts) : NULL;
}

static void take_messages(Loader *loader, const Compiler *compiler) {
  if (diags_errors(compiler->diags) > 0) loader->errors = true;
  if (diags_errors(compiler->diags) + diags_warnings(compiler->diags) == 0)
    return;
  char *text = diags_text(compiler->diags);
  if (text == NULL) {
    loader->no_memory = true;
    return;
  }
  text_add(&loader->messages, text, strlen(text));
  if (loader->messages.failed) loader->no_memory = true;
  mem_free(text);
}

ObjClosure *compile_unit(Loader *loader, const Unit *unit) {
  Compiler c = {.vm = loader->vm,
                .local = loader->vm->boot,
                .loader = loader,
                .import = loader_import,
                .source = &unit->source,
                .module = unit->module,
                .privileged = unit->privileged,
                .script = unit->script,
                .interactive = unit->interactive,
                .warnings = unit->warnings,
                .session = unit->session};
  c.funcs_end = &c.funcs;
  c.arena = arena_new(loader->vm->memory, loader->vm->hash_seed);
  c.diags = diags_new(loader->vm->memory, &unit->source);
  ObjClosure *main = NULL;
  if (c.arena == NULL || c.diags == NULL) {
    c.no_memory = true;
  } else {
    arena_limit(c.arena, &loader->allowance);
    main = compile_with(&c, unit);
    take_messages(loader, &c);
    if (arena_failed(c.arena)) c.no_memory = true;
  }
  if (c.no_memory) loader->no_memory = true;
  table_free(&c.globals);
  table_free(&c.outer);
  table_free(&c.inner);
  table_free(&c.methods);
  if (c.diags != NULL) diags_free(c.diags);
  if (c.arena != NULL) arena_free(c.arena);
  return main;
}

// --- Entry ------------------------------------------------------------------
static bool compile_is_over(void *vm) { return vm_compile_is_over(vm); }

void loader_begin(Loader *loader, Vm *vm, Loading *first) {
  *loader =
      (Loader){.vm = vm, .chain = first, .messages = {.memory = vm->memory}};
  loader->allowance = (Allowance){
      .bytes = vm_compile_room(vm), .is_over = compile_is_over, .arg = vm};
}

static const char *given_up(const Loader *loader) {
  bool limited = vm_compile_room(loader->vm) != SIZE_MAX;
  if (loader->allowance.over)
    return "interrupted: the script was being compiled\n";
  return limited ? "out of memory: the script is too large for the limit of "
                   "memory\n"
                 : "out of memory\n";
}

char *loader_text(Loader *loader) {
  // What else there is may come from that.
  if (loader->no_memory)
    return mem_copy_text(loader->vm->memory, given_up(loader));
  if (loader->messages.len == 0) return NULL;
  return mem_copy_part(loader->vm->memory, loader->messages.data,
                       loader->messages.len);
}

ObjClosure *lang_compile(Vm *vm, const CompileInput *input, char **errors) {
  Loader loader;
  char *canonical = vm_real_path(vm, input->path);
  Loading loading = {.path = canonical != NULL ? canonical : input->path,
                     .shown = input->path};
  Unit unit = {
      .source = {.path = input->path, .text = input->text, .len = input->len},
      .module = input->module,
      .privileged = input->privileged,
      .script = input->module == NULL,
      .interactive = input->module != NULL,
      .warnings = input->warnings,
      .test = input->test};
  loader_begin(&loader, vm, &loading);
  // The text, and its strings in the arena.
  if (!allowance_take(&loader.allowance, input->len)) loader.no_memory = true;
  if (unit.module == NULL) unit.module = module_new(vm, "main");
  ObjClosure *main = NULL;
  if (loader.no_memory) {
    // the text alone is too large
  } else if (unit.module != NULL) {
    main = compile_unit(&loader, &unit);
  } else {
    loader.no_memory = true;
  }
  RT_ASSERT(loader.chain == &loading);
  if (loader.errors || loader.no_memory) main = NULL;
  *errors = loader_text(&loader);
  if (*errors == NULL && loader.messages.len > 0) main = NULL;
  loader_free(&loader);
  mem_free(canonical);
  return main;
}

void lang_install(Vm *vm) { vm->compile = lang_compile; }
