// SPDX-License-Identifier: MIT
// The compiler's entry: text to tree to bytecode, for one file and all that it
// imports. What becomes visible to others (members of the module, methods) is
// set at the very end, when there were no errors.
#include "lang/compile/compile.h"

#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
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
#include "vm/interp/methods.h"
#include "vm/native/module.h"
#include "vm/object/format.h"
#include "vm/object/string.h"
#include "vm/runtime/paths.h"
#include "vm/runtime/vm.h"

enum { LOCALS_MAX = 64 };  // of the top level

// --- Making it visible ------------------------------------------------------
static bool symbol_is_known(Compiler *c, Symbol *symbol) {
  switch (symbol->kind) {
    case SYM_FUNC:
    case SYM_STRUCT:
      return true;
    case SYM_MODULE:
      return c->interactive;
    default:
      return symbol->kind == SYM_GLOBAL && symbol->node != NULL &&
             expr_constant(c, symbol->node, &symbol->value);
  }
}

static void publish_name(Compiler *c, Symbol *symbol) {
  bool known = symbol_is_known(c, symbol);
  if (!known && symbol->kind != SYM_GLOBAL) return;
  ObjCell *cell = module_cell(c->vm, c->module, name_string(c, symbol->name));
  if (cell == NULL) {
    c->no_memory = true;
    return;
  }
  cell->obj.flags = 0;
  if (symbol->constant) cell->obj.flags |= CELL_CONST;
  if (!known) return;
  cell->obj.flags |= CELL_KNOWN;
  heap_store(&c->local->heap, &cell->value, symbol->value);
}

static void publish_method(Compiler *c, const Func *func) {
  RT_ASSERT(func->proto->self != NULL && func->proto->ncode > 0);
  Value function = value_from_obj(func->proto->self);
  if (func->receiver != NULL) {
    for (const int8_t *type = func->receiver; *type >= 0; type++)
      if (!vm_add_method(c->vm, (ObjType)*type, func->method, function))
        c->no_memory = true;
    return;
  }
  Symbol *self = func->self;
  RT_ASSERT(self->kind == SYM_STRUCT && value_is_type(self->value, OBJ_STRUCT));
  ObjStruct *type = (ObjStruct *)value_obj(self->value);
  // Two of one file's methods never have one name.
  if (!self->extended) self->methods_before = type->method_count;
  self->extended = true;
  if (!struct_add_method(c->vm, type, self->methods_before, func->method,
                         function))
    c->no_memory = true;
}

static bool is_sound(Compiler *c) {
  return !c->no_memory && !arena_failed(c->arena) &&
         diags_errors(c->diags) == 0;
}

static void publish(Compiler *c) {
  RT_ASSERT(is_sound(c) && c->scope == NULL);
  for (Symbol *s = c->global_list; s != NULL; s = s->next) publish_name(c, s);
  for (const Func *f = c->funcs; f != NULL; f = f->next) {
    if (f->method != NULL) publish_method(c, f);
  }
}

// --- The passes -------------------------------------------------------------
// All top-level functions and structs have their values before any code that
// may use them is generated.
static void declare_funcs(Compiler *c) {
  func_known(c, c->main);  // the first proto of its file
  for (Func *f = c->funcs; f != NULL; f = f->next) {
    RT_ASSERT(f->self != NULL || f->receiver != NULL);
    if (f->constructor) {
      struct_new(c, f->node);
    } else {
      Value closure = func_known(c, f);
      if (f->method == NULL) f->self->value = closure;
    }
  }
}

// A script's own variables that no function uses need no cells: they are
// locals of the top level, the first of them.
static void localise(Compiler *c, Node *stmts) {
  int left = c->script ? LOCALS_MAX : 0;
  for (const Node *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    bool declares = stmt->kind == NODE_DEFINE || stmt->kind == NODE_VAR ||
                    stmt->kind == NODE_CONST;
    for (Node *name = stmt->a; declares && name != NULL; name = name->next) {
      Symbol *symbol = name->note;
      if (!(name->flags & NOTE_NEW) || symbol->kind != SYM_GLOBAL) continue;
      if (symbol->captured || symbol->node != NULL || left == 0) continue;
      RT_ASSERT(symbol->cell == NULL && symbol->scope == NULL);
      symbol->kind = SYM_LOCAL;
      symbol->owner = c->main;
      left--;
    }
  }
}

static ObjClosure *generate(Compiler *c, Node *stmts) {
  localise(c, stmts);
  declare_funcs(c);
  for (Func *f = c->funcs; f != NULL && is_sound(c); f = f->next)
    func_generate(c, f);
  if (is_sound(c)) func_generate_file(c, c->main, stmts);
  if (!is_sound(c)) return NULL;
  if (c->session != NULL) session_names(c);
  if (c->session == NULL || !c->session->dry) publish(c);
  return is_sound(c) ? c->main->proto->self : NULL;
}

static ObjClosure *compile_with(Compiler *c, const Unit *unit) {
  ObjString *path =
      vm_intern(c->vm, unit->source.path, strlen(unit->source.path));
  if (path == NULL) {
    c->no_memory = true;
    return NULL;
  }
  c->path = path;
  Node *stmts = lang_parse(&unit->source, c->arena, c->diags);
  if (arena_failed(c->arena)) return NULL;
  c->partial = diags_errors(c->diags) > 0;
  c->main = func_new(c, NULL, arena_intern(c->arena, "main", 4));
  c->func = c->main;
  if (c->session != NULL) session_result(c->session, stmts);
  resolve_file(c, stmts);
  RT_ASSERT(c->func == c->main && c->scope == NULL);
  RT_ASSERT(c->no_memory || lang_table_is_valid(&c->inner));
  if (unit->test != NULL) stmts = outline_add_test(c, stmts, unit->test);
  return is_sound(c) ? generate(c, stmts) : NULL;
}

static void take_messages(Loader *loader, const Compiler *c) {
  if (diags_errors(c->diags) > 0) loader->errors = true;
  if (diags_errors(c->diags) + diags_warnings(c->diags) == 0) return;
  char *text = diags_text(c->diags);
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
  Unit unit = {.source = {input->path, input->text, input->len},
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
