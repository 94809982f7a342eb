// SPDX-License-Identifier: MIT
// Finds what `import` names and has it compiled: built-in modules first, then
// what the host's CspConfig.load gives, then files (where scripts may use them)
// beside the importing one ("./x", "../x") or along CSPPATH. Each file is
// loaded once per Vm, known by its canonical path; what the host gives is
// known by "loaded:" and its name.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "vm/csp.h"

enum { SOURCE_MAX = 64 * 1024 * 1024, CHAIN_MAX = 200, IMPORT_LENGTH = 6 };

// --- Paths ------------------------------------------------------------------
__attribute__((format(printf, 1, 2))) static char *format_text(
    const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text;
}

static bool is_relative(const char *path) {
  return strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0;
}

// The file that a relative import means, as messages show it.
static char *path_beside(const char *importer, const char *path) {
  const char *slash = strrchr(importer, '/');
  int folder = slash == NULL ? 0 : (int)(slash - importer + 1);
  if (strncmp(path, "./", 2) == 0) path += 2;
  return format_text("%.*s%s.csp", folder, importer, path);
}

// realpath, where memory that is out is no file that is missing.
static char *canonical_path(Compiler *c, const char *shown) {
  errno = ENOMEM;
  char *path = shown != NULL ? realpath(shown, NULL) : NULL;
  if (path == NULL && errno == ENOMEM) c->no_memory = true;
  return path;
}

// The first file along CSPPATH, canonical into *canonical; NULL: nowhere.
static char *path_along(Compiler *c, const char *path, char **canonical) {
  const char *folders = getenv("CSPPATH");
  while (folders != NULL && *folders != '\0') {
    size_t len = strcspn(folders, ":");
    char *shown = len == 0
                      ? NULL
                      : format_text("%.*s%s%s.csp", (int)len, folders,
                                    folders[len - 1] == '/' ? "" : "/", path);
    *canonical = len == 0 ? NULL : canonical_path(c, shown);
    if (*canonical != NULL) return shown;
    free(shown);
    folders += len;
    if (*folders == ':') folders++;
  }
  return NULL;
}

// --- Errors -----------------------------------------------------------------
static void suggest_name(void *arg, const char *name) {
  suggest_try(arg, name);
}

static void report_missing(Compiler *c, const Node *import,
                           const char *looked_for) {
  const char *path = import->str.text;
  diag_error(c->diags, import->pos, IMPORT_LENGTH,
             "cannot find the module \"%s\"", path);
  if (looked_for != NULL) {
    diag_hint(c->diags, "there is no file %s", looked_for);
    return;
  }
  Suggest suggest = {.wanted = path};
  vm_each_builtin_module(c->vm, suggest_name, &suggest);
  const char *folders = getenv("CSPPATH");
  if (suggest.best != NULL) {
    diag_hint(c->diags, "did you mean \"%s\"?", suggest.best);
  } else if (!vm_allows(c->vm, CSP_FILES)) {
    diag_hint(c->diags,
              "it is not built in, nor given by the program that runs this "
              "script, which does not allow scripts to use files (CSP_FILES)");
  } else if (folders == NULL || *folders == '\0') {
    diag_hint(c->diags,
              "it is not built in, and CSPPATH is not set; a file beside this "
              "one is imported as \"./%s\"",
              path);
  } else {
    diag_hint(c->diags, "it is not built in, nor along CSPPATH (%s)", folders);
  }
}

// From the file that is imported again down to the one that does it.
static void add_chain(Text *text, const Loading *at, const char *path) {
  if (strcmp(at->path, path) != 0) add_chain(text, at->up, path);
  text_addf(text, "%s -> ", at->shown);
}

static bool report_cycle(Compiler *c, const Node *import, const char *path) {
  const Loading *at = c->loader->chain;
  int depth = 0;
  while (at != NULL && strcmp(at->path, path) != 0) at = at->up, depth++;
  if (at == NULL && depth < CHAIN_MAX) return false;
  if (at == NULL) {
    diag_error(c->diags, import->pos, IMPORT_LENGTH,
               "imports are nested too deeply");
    return true;
  }
  Text text = {0};
  add_chain(&text, c->loader->chain, path);
  text_add(&text, at->shown, strlen(at->shown) + 1);
  diag_error(c->diags, import->pos, IMPORT_LENGTH, "import cycle: %s",
             text.failed ? path : text.data);
  text_free(&text);
  return true;
}

static bool has_failed(const Loader *loader, const char *path) {
  for (size_t i = 0; i < loader->failed_count; i++) {
    if (strcmp(loader->failed[i], path) == 0) return true;
  }
  return false;
}

static void note_failed(Loader *loader, const char *path) {
  char **more =
      realloc(loader->failed, (loader->failed_count + 1) * sizeof *more);
  char *copy = more == NULL ? NULL : strdup(path);
  if (more != NULL) loader->failed = more;
  if (copy != NULL) loader->failed[loader->failed_count++] = copy;
  loader->no_memory |= copy == NULL;
}

void loader_free(Loader *loader) {
  for (size_t i = 0; i < loader->failed_count; i++) free(loader->failed[i]);
  free(loader->failed);
  text_free(&loader->messages);
}

// --- Compiling --------------------------------------------------------------
static ObjModule *compile_module(Compiler *c, const Unit *unit,
                                 const char *path) {
  Loading loading = {
      .up = c->loader->chain, .path = path, .shown = unit->source.path};
  c->loader->chain = &loading;
  ObjClosure *main = compile_unit(c->loader, unit);
  c->loader->chain = loading.up;
  if (main == NULL) {
    note_failed(c->loader, path);
    return NULL;
  }
  unit->module->main = main;
  return unit->module;
}

static ObjModule *load_builtin(Compiler *c, const Node *import,
                               ObjModule *module, const char *source,
                               size_t len) {
  if (module->main != NULL) return module;
  if (source == NULL) {
    member_mark_known(c->vm, module);
    return module;
  }
  char *shown = format_text("%s.csp", import->str.text);
  // No file's path is like this one.
  char *key = format_text("built-in:%s", import->str.text);
  ObjModule *loaded = NULL;
  if (shown == NULL || key == NULL) {
    c->no_memory = true;
  } else if (!has_failed(c->loader, key) && !report_cycle(c, import, key)) {
    Unit unit = {
        .source = {shown, source, len}, .module = module, .privileged = true};
    member_mark_known(c->vm, module);
    loaded = compile_module(c, &unit, key);
  }
  free(shown);
  free(key);
  return loaded;
}

// The whole file, NUL-terminated; NULL and errno.
static char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  Text text = {0};
  char buffer[16384];
  size_t got;
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0 &&
         text.len <= SOURCE_MAX)
    text_add(&text, buffer, got);
  int error = ferror(file) ? errno : text.len > SOURCE_MAX ? EFBIG : 0;
  fclose(file);
  *len = text.len;
  text_add(&text, "", 1);
  if (text.failed) error = ENOMEM;
  if (error == 0) return text.data;
  text_free(&text);
  errno = error;
  return NULL;
}

static ObjModule *loaded_before(Compiler *c, const char *canonical) {
  Value found;
  ObjString *key = vm_intern(c->vm, canonical, strlen(canonical));
  if (key == NULL ||
      !map_get(c->vm, c->vm->modules, value_from_obj(key), &found))
    return NULL;
  return (ObjModule *)value_obj(found);
}

static void remember(Compiler *c, const char *canonical, ObjModule *module) {
  ObjString *key = vm_intern(c->vm, canonical, strlen(canonical));
  if (key == NULL || map_set(c->local, c->vm->modules, value_from_obj(key),
                             value_from_obj(module)) != MAP_OK)
    c->no_memory = true;
}

// text: NUL-terminated.
static ObjModule *compile_text(Compiler *c, const Node *import,
                               const char *shown, const char *canonical,
                               const char *text, size_t len) {
  const char *slash = strrchr(import->str.text, '/');
  const char *name = slash == NULL ? import->str.text : slash + 1;
  Unit unit = {.source = {shown, text, len}, .module = module_new(c->vm, name)};
  ObjModule *module = NULL;
  if (unit.module == NULL) {
    c->no_memory = true;
  } else {
    module = compile_module(c, &unit, canonical);
  }
  if (module != NULL) remember(c, canonical, module);
  return module;
}

// Whether there is nothing to compile; then *module says what it is.
static bool is_settled(Compiler *c, const Node *import, const char *canonical,
                       ObjModule **module) {
  *module = loaded_before(c, canonical);
  return *module != NULL || has_failed(c->loader, canonical) ||
         report_cycle(c, import, canonical);
}

// --- Files ------------------------------------------------------------------
static ObjModule *load_file(Compiler *c, const Node *import, const char *shown,
                            const char *canonical) {
  ObjModule *module;
  if (is_settled(c, import, canonical, &module)) return module;
  size_t len;
  char *text = read_file(canonical, &len);
  if (text == NULL) {
    diag_error(c->diags, import->pos, IMPORT_LENGTH,
               "cannot read the module \"%s\": %s: %s", import->str.text, shown,
               strerror(errno));
    return NULL;
  }
  module = compile_text(c, import, shown, canonical, text, len);
  free(text);
  return module;
}

static ObjModule *import_file(Compiler *c, const Node *import) {
  const char *path = import->str.text;
  char *canonical = NULL;
  char *shown = NULL;
  if (!vm_allows(c->vm, CSP_FILES)) {
    // as if there were none
  } else if (is_relative(path)) {
    shown = path_beside(c->source->path, path);
    canonical = canonical_path(c, shown);
  } else {
    shown = path_along(c, path, &canonical);
  }
  ObjModule *module = NULL;
  if (canonical != NULL) {
    module = load_file(c, import, shown, canonical);
  } else {
    report_missing(c, import, shown);
  }
  free(canonical);
  free(shown);
  return module;
}

// --- What the host gives ----------------------------------------------------
static ObjModule *compile_loaded(Compiler *c, const Node *import,
                                 const CspLoad *load, const char *key,
                                 const char *name) {
  ObjModule *module;
  if (is_settled(c, import, key, &module)) return module;
  // The lexer wants a zero byte behind the text.
  char *copy = load->len <= SOURCE_MAX ? malloc(load->len + 1) : NULL;
  if (copy == NULL) {
    c->no_memory = load->len <= SOURCE_MAX;
    if (!c->no_memory)
      diag_error(c->diags, import->pos, IMPORT_LENGTH,
                 "cannot load the module \"%s\": it is longer than %d MB",
                 import->str.text, SOURCE_MAX >> 20);
    return NULL;
  }
  memcpy(copy, load->text, load->len);
  copy[load->len] = '\0';
  module = compile_text(c, import, name, key, copy, load->len);
  free(copy);
  return module;
}

// false: the host has no such module.
static bool import_loaded(Compiler *c, const Node *import, ObjModule **module) {
  CspLoad load = {.path = import->str.text, .from = c->source->path};
  *module = NULL;
  if (!vm_load(c->vm, &load)) return false;
  const char *name = load.name != NULL ? load.name : load.path;
  char *key = format_text("loaded:%s", name);
  if (load.text == NULL) {
    diag_error(c->diags, import->pos, IMPORT_LENGTH,
               "cannot load the module \"%s\": %s", import->str.text,
               load.error != NULL ? load.error : "it has no text");
  } else if (key == NULL) {
    c->no_memory = true;
  } else {
    *module = compile_loaded(c, import, &load, key, name);
  }
  free(key);
  free(load.name);
  free(load.text);
  free(load.error);
  return true;
}

ObjModule *loader_import(Compiler *c, Node *import) {
  const char *path = import->str.text, *source = NULL;
  size_t len = 0;
  if (path == NULL || *path == '\0' || strlen(path) != import->str.len) {
    diag_error(c->diags, import->pos, IMPORT_LENGTH,
               "`import` needs the path of a module");
    return NULL;
  }
  ObjModule *module =
      vm_builtin_module(c->vm, path, &source, &len, &c->no_memory);
  if (module != NULL) return load_builtin(c, import, module, source, len);
  if (c->no_memory || import_loaded(c, import, &module)) return module;
  return import_file(c, import);
}
