// SPDX-License-Identifier: MIT
// Finds the module that `import` names and has it compiled. Built-in modules
// come first, then what the host's CspConfig.load gives, then native ones of
// the folder CspConfig.modules, which are built in from then on. Files are last
// (where scripts may use them), beside the importing one ("./x", "../x") or
// along the search path. Each is loaded once per Vm. A file is known by its
// canonical path, and what the host gives by "loaded:" and its name.
#include "lang/compile/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/arena.h"
#include "lang/compile/compile.h"
#include "lang/depth.h"
#include "lang/diag.h"
#include "lang/parse/foreign.h"
#include "lang/resolve/member.h"
#include "lang/source.h"
#include "lang/table.h"
#include "sched/plain.h"
#include "vm/csp.h"
#include "vm/heap/local.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/suggest.h"
#include "vm/object/value_text.h"
#include "vm/runtime/native_loader.h"
#include "vm/runtime/paths.h"
#include "vm/runtime/vm.h"

enum { CHAIN_MAX = 200, IMPORT_LENGTH = 6 };

// --- Paths ------------------------------------------------------------------
static bool is_relative(const char *path) {
  return strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0;
}

// The file that a relative import means, as messages show it.
static char *path_beside(Compiler *compiler, const char *importer,
                         const char *path) {
  const char *slash = strrchr(importer, '/');
  int folder = slash == NULL ? 0 : (int)(slash - importer + 1);
  if (strncmp(path, "./", 2) == 0) path += 2;
  return mem_format(compiler->vm->memory, "%.*s%s.csp", folder, importer, path);
}

// NULL: there is no such file, or no memory (then compiler->no_memory is set).
static char *canonical_path(Compiler *compiler, const char *shown) {
  errno = ENOMEM;
  char *path = shown != NULL ? vm_real_path(compiler->vm, shown) : NULL;
  if (path == NULL && errno == ENOMEM) compiler->no_memory = true;
  return path;
}

// The first file along the search path, with its canonical path in *canonical.
// NULL: there is none.
static char *path_along(Compiler *compiler, const char *path,
                        char **canonical) {
  const char *folders = vm_search_path(compiler->vm);
  while (folders != NULL && *folders != '\0') {
    size_t len = strcspn(folders, ":");
    char *shown =
        len == 0
            ? NULL
            : mem_format(compiler->vm->memory, "%.*s%s%s.csp", (int)len,
                         folders, folders[len - 1] == '/' ? "" : "/", path);
    *canonical = len == 0 ? NULL : canonical_path(compiler, shown);
    if (*canonical != NULL) return shown;
    mem_free(shown);
    folders += len;
    if (*folders == ':') folders++;
  }
  return NULL;
}

// --- Errors -----------------------------------------------------------------
static void missing_module(Compiler *compiler, const Node *import,
                           const char *looked_for) {
  const char *path = import->str.text;
  diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
             "cannot find the module \"%s\"", path);
  if (looked_for != NULL) {
    diag_hint(compiler->diags, "there is no file %s", looked_for);
    return;
  }
  const char *foreign = suggest_foreign_module(path);
  Suggest suggest = {.wanted = path};
  vm_each_builtin_module(compiler->vm, suggest_name, &suggest);
  const char *folders = vm_search_path(compiler->vm);
  char *native = native_loader_hint(compiler->vm);
  if (foreign != NULL) {
    diag_hint(compiler->diags, "%s", foreign);
  } else if (suggest.best != NULL) {
    diag_hint(compiler->diags, "did you mean \"%s\"?", suggest.best);
  } else if (native != NULL) {
    diag_hint(compiler->diags, "%s", native);
  } else if (!vm_allows(compiler->vm, CSP_FILES)) {
    diag_hint(compiler->diags,
              "it is not built in, nor given by the program that runs this "
              "script, which does not allow scripts to use files (CSP_FILES)");
  } else if (folders == NULL || *folders == '\0') {
    diag_hint(compiler->diags,
              "it is not built in, and there is no search path (CSPPATH of "
              "cspvm); a file beside this one is imported as \"./%s\"",
              path);
  } else {
    diag_hint(compiler->diags,
              "it is not built in, nor along the search path (%s)", folders);
  }
  mem_free(native);
}

bool chain_has(const Loading *chain, const char *path) {
  while (chain != NULL && strcmp(chain->path, path) != 0) chain = chain->up;
  return chain != NULL;
}

// Names the files from the one that is imported again to the one that imports
// it.
static void add_chain(Text *text, const Loading *at, const char *path) {
  RT_ASSERT(chain_has(at, path));
  if (strcmp(at->path, path) != 0) add_chain(text, at->up, path);
  text_addf(text, "%s -> ", at->shown);
}

static bool report_cycle(Compiler *compiler, const Node *import,
                         const char *path) {
  const Loading *at = compiler->loader->chain;
  int depth = 0;
  while (at != NULL && strcmp(at->path, path) != 0) at = at->up, depth++;
  if (at == NULL && depth < CHAIN_MAX && lang_may_import()) return false;
  if (at == NULL) {
    diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
               "imports are nested too deeply");
    return true;
  }
  Text text = {.memory = compiler->vm->memory};
  add_chain(&text, compiler->loader->chain, path);
  text_add(&text, at->shown, strlen(at->shown) + 1);
  diag_error(compiler->diags, import->pos, IMPORT_LENGTH, "import cycle: %s",
             text.failed ? path : text.data);
  text_free(&text);
  return true;
}

// The table's keys are permanent strings.
static bool import_has_failed(Loader *loader, const char *path) {
  uint64_t none;
  const ObjString *key = vm_intern(loader->vm, path, strlen(path));
  if (key == NULL) loader->no_memory = true;
  return table_get(&loader->failed, (uint64_t)(uintptr_t)key, &none);
}

static void note_failed(Loader *loader, const char *path) {
  const ObjString *key = vm_intern(loader->vm, path, strlen(path));
  if (key == NULL || !table_set(loader->vm->memory, &loader->failed,
                                (uint64_t)(uintptr_t)key, 1))
    loader->no_memory = true;
}

void loader_free(Loader *loader) {
  table_free(&loader->failed);
  text_free(&loader->messages);
}

// --- Compiling --------------------------------------------------------------
static ObjModule *compile_module(Compiler *compiler, const Unit *unit,
                                 const char *path) {
  RT_ASSERT(!chain_has(compiler->loader->chain, path));
  RT_ASSERT(unit->module->main == NULL);
  Loading loading = {
      .up = compiler->loader->chain, .path = path, .shown = unit->source.path};
  compiler->loader->chain = &loading;
  ObjClosure *main = compile_unit(compiler->loader, unit);
  RT_ASSERT(compiler->loader->chain == &loading);
  compiler->loader->chain = loading.up;
  if (main == NULL) {
    note_failed(compiler->loader, path);
    return NULL;
  }
  unit->module->main = main;
  return unit->module;
}

static ObjModule *load_builtin(Compiler *compiler, const Node *import,
                               ObjModule *module, const char *source,
                               size_t len) {
  if (module->main != NULL) return module;
  if (source == NULL) {
    member_mark_known(compiler->vm, module);
    return module;
  }
  char *shown = mem_format(compiler->vm->memory, "%s.csp", import->str.text);
  // No file's path is like this one.
  char *key = mem_format(compiler->vm->memory, "built-in:%s", import->str.text);
  ObjModule *loaded = NULL;
  if (shown == NULL || key == NULL) {
    compiler->no_memory = true;
  } else if (!import_has_failed(compiler->loader, key) &&
             !report_cycle(compiler, import, key)) {
    Unit unit = {.source = {.path = shown, .text = source, .len = len},
                 .module = module,
                 .privileged = true};
    member_mark_known(compiler->vm, module);
    loaded = compile_module(compiler, &unit, key);
  }
  mem_free(shown);
  mem_free(key);
  return loaded;
}

// Reads all of a descriptor, counted in the allowance. 0, or an errno. (It is
// not inlined, so its buffer is not on the stack while the text is compiled.)
__attribute__((noinline)) static int read_all(Allowance *allowance, int fd,
                                              Text *text) {
  char buffer[4096];
  while (text->len <= SOURCE_MAX) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return errno;
    if (n < 0) continue;
    if (!allowance_take(allowance, (size_t)n)) return ENOMEM;
    text_add(text, buffer, (size_t)n);
  }
  return text->len > SOURCE_MAX ? EFBIG : 0;
}

// Opens a regular file, and waits for nothing else: a FIFO may have no writer,
// and a device no end. -1: errno tells. ENXIO: it is not a regular file.
static int open_module_file(Vm *vm, const char *path) {
  struct stat info;
  int fd = vm_open_path(vm, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  // Another process has a lease, whose end only an open that may block awaits.
  if (fd < 0 && errno == EAGAIN) fd = vm_open_path(vm, path, O_RDONLY);
  if (fd < 0) return -1;
  int error = fstat(fd, &info) != 0    ? errno
              : S_ISDIR(info.st_mode)  ? EISDIR
              : !S_ISREG(info.st_mode) ? ENXIO
                                       : 0;
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

// Reads the whole file, NUL-terminated, for *len bytes of the allowance. NULL:
// errno tells, as open_module_file's.
static char *read_module_file(Loader *loader, const char *path, size_t *len) {
  int fd = open_module_file(loader->vm, path);
  if (fd < 0) return NULL;
  Text text = {.memory = loader->vm->memory};
  int error = read_all(&loader->allowance, fd, &text);
  close(fd);
  *len = text.len;
  text_add(&text, "", 1);
  if (text.failed) error = ENOMEM;
  if (error == 0) return text.data;
  allowance_give(&loader->allowance, *len);
  text_free(&text);
  errno = error;
  return NULL;
}

static ObjModule *loaded_before(Compiler *compiler, const char *canonical) {
  Value found;
  ObjString *key = vm_intern(compiler->vm, canonical, strlen(canonical));
  if (key == NULL || !map_get(compiler->vm, compiler->vm->modules,
                              value_from_obj(key), &found))
    return NULL;
  RT_ASSERT(value_is_type(found, OBJ_MODULE));
  return (ObjModule *)value_obj(found);
}

static void remember(Compiler *compiler, const char *canonical,
                     ObjModule *module) {
  ObjString *key = vm_intern(compiler->vm, canonical, strlen(canonical));
  if (key == NULL ||
      map_set(compiler->local, compiler->vm->modules, value_from_obj(key),
              value_from_obj(module)) != MAP_OK)
    compiler->no_memory = true;
}

// text: NUL-terminated.
static ObjModule *compile_text(Compiler *compiler, const Node *import,
                               const char *shown, const char *canonical,
                               const char *text, size_t len) {
  const char *slash = strrchr(import->str.text, '/');
  const char *name = slash == NULL ? import->str.text : slash + 1;
  Unit unit = {.source = {.path = shown, .text = text, .len = len},
               .module = module_new(compiler->vm, name)};
  ObjModule *module = NULL;
  if (unit.module == NULL) {
    compiler->no_memory = true;
  } else {
    module = compile_module(compiler, &unit, canonical);
  }
  if (module != NULL) remember(compiler, canonical, module);
  return module;
}

// Whether there is nothing to compile. Then *module is the module that was
// loaded before, or NULL after an error.
static bool is_settled(Compiler *compiler, const Node *import,
                       const char *canonical, ObjModule **module) {
  *module = loaded_before(compiler, canonical);
  return *module != NULL || import_has_failed(compiler->loader, canonical) ||
         report_cycle(compiler, import, canonical);
}

// --- Files ------------------------------------------------------------------
static const char *read_error(int error) {
  if (error == EFBIG) return source_too_long;
  return error == ENXIO ? "it is not a regular file" : plain_error(error);
}

static ObjModule *load_file(Compiler *compiler, const Node *import,
                            const char *shown, const char *canonical) {
  ObjModule *module;
  if (is_settled(compiler, import, canonical, &module)) return module;
  size_t len;
  char *text = read_module_file(compiler->loader, canonical, &len);
  if (text == NULL) {
    if (errno == ENOMEM) compiler->no_memory = true;
    diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
               "cannot read the module \"%s\": %s: %s", import->str.text, shown,
               read_error(errno));
    return NULL;
  }
  module = compile_text(compiler, import, shown, canonical, text, len);
  allowance_give(&compiler->loader->allowance, len);
  mem_free(text);
  return module;
}

static ObjModule *import_file(Compiler *compiler, const Node *import) {
  const char *path = import->str.text;
  char *canonical = NULL;
  char *shown = NULL;
  if (!vm_allows(compiler->vm, CSP_FILES)) {
    // files are not looked for
  } else if (is_relative(path)) {
    shown = path_beside(compiler, compiler->source->path, path);
    canonical = canonical_path(compiler, shown);
  } else {
    shown = path_along(compiler, path, &canonical);
  }
  ObjModule *module = NULL;
  if (canonical != NULL) {
    module = load_file(compiler, import, shown, canonical);
  } else {
    missing_module(compiler, import, shown);
  }
  mem_free(canonical);
  mem_free(shown);
  return module;
}

// --- What the host gives ----------------------------------------------------
static ObjModule *compile_loaded(Compiler *compiler, const Node *import,
                                 const CspLoad *load, const char *key,
                                 const char *name) {
  ObjModule *module;
  if (is_settled(compiler, import, key, &module)) return module;
  // The lexer wants a zero byte after the text.
  bool may = load->len <= SOURCE_MAX &&
             allowance_take(&compiler->loader->allowance, load->len);
  char *copy = may ? mem_alloc(compiler->vm->memory, load->len + 1) : NULL;
  if (copy == NULL) {
    compiler->no_memory = load->len <= SOURCE_MAX;
    if (!compiler->no_memory)
      diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
                 "cannot load the module \"%s\": %s", import->str.text,
                 source_too_long);
    return NULL;
  }
  memcpy(copy, load->text, load->len);
  copy[load->len] = '\0';
  module = compile_text(compiler, import, name, key, copy, load->len);
  allowance_give(&compiler->loader->allowance, load->len);
  mem_free(copy);
  return module;
}

// false: the host has no such module.
static bool import_loaded(Compiler *compiler, const Node *import,
                          ObjModule **module) {
  CspLoad load = {.path = import->str.text, .from = compiler->source->path};
  *module = NULL;
  if (!vm_load(compiler->vm, &load)) return false;
  const char *name = load.name != NULL ? load.name : load.path;
  char *key = mem_format(compiler->vm->memory, "loaded:%s", name);
  if (load.text == NULL) {
    diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
               "cannot load the module \"%s\": %s", import->str.text,
               load.error != NULL ? load.error : "it has no text");
  } else if (key == NULL) {
    compiler->no_memory = true;
  } else {
    *module = compile_loaded(compiler, import, &load, key, name);
  }
  mem_free(key);
  libc_free(load.name);  // the host has malloced them
  libc_free(load.text);
  libc_free(load.error);
  return true;
}

// --- Built-in modules, and those of the host's folder ------------------------
// false: there is none, or no memory.
static bool import_builtin(Compiler *compiler, const Node *import,
                           ObjModule **module) {
  const char *source = NULL;
  size_t len = 0;
  *module = vm_builtin_module(compiler->vm, import->str.text, &source, &len,
                              &compiler->no_memory);
  if (*module == NULL) return false;
  *module = load_builtin(compiler, import, *module, source, len);
  return true;
}

// false: there is none.
static bool import_native(Compiler *compiler, const Node *import,
                          ObjModule **module) {
  char *why;
  NativeFound found = native_loader_find(compiler->vm, import->str.text, &why);
  *module = NULL;
  if (found == NATIVE_REGISTERED) {
    import_builtin(compiler, import, module);
  } else if (found == NATIVE_REFUSED) {
    diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
               "cannot load the module \"%s\": %s", import->str.text, why);
  } else if (found == NATIVE_NO_MEMORY) {
    compiler->no_memory = true;
  }
  mem_free(why);
  return found != NATIVE_NONE;
}

ObjModule *loader_import(Compiler *compiler, Node *import) {
  const char *path = import->str.text;
  ObjModule *module = NULL;
  if (path == NULL || *path == '\0' || strlen(path) != import->str.len) {
    diag_error(compiler->diags, import->pos, IMPORT_LENGTH,
               "`import` needs the path of a module");
    return NULL;
  }
  if (import_builtin(compiler, import, &module) || compiler->no_memory ||
      import_loaded(compiler, import, &module) ||
      import_native(compiler, import, &module))
    return module;
  return import_file(compiler, import);
}
