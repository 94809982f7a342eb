// SPDX-License-Identifier: MIT
// Native modules: shared objects in the folder CspConfig.modules.
//
// A module is loaded when a script that imports it is compiled, by the thread
// that compiles, and then registered as a host registers its own. The dynamic
// linker knows what the process has loaded. It gives each runtime the same
// object, and lets one thread load at a time, so nothing is noted here. Nothing
// is ever unloaded: the table of a module lives as long as the process, and a
// module that was refused has already run what it runs when it is loaded.
//
// The folder is the host's. No name that a script gives leads out of it, and a
// library that another one needs is found where the system looks.
#include "vm/runtime/native_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "sched/plain.h"
#include "vm/csp.h"
#include "vm/runtime/runtime.h"

enum { MODULE_NAME_MOST = 64, PACKAGE_MOST = 64 };

typedef const CspNative *(*NativeEntry)(void);

// Whether a module can have that name: "_", letters and digits of ASCII.
static bool is_module_name(const char *name) {
  size_t len = strspn(name,
                      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                      "0123456789");
  return len > 0 && len <= MODULE_NAME_MOST && name[len] == '\0';
}

static NativeFound refuse_native(char **why, char *text) {
  *why = text;
  return text != NULL ? NATIVE_REFUSED : NATIVE_NO_MEMORY;
}

// --- What is there instead of a module --------------------------------------
// The build leaves NAME.package beside the modules: the Debian package that
// NAME cannot be built without. false: there is none.
static bool read_package(Vm *vm, const char *name, char package[PACKAGE_MOST]) {
  char *path =
      mem_format(vm->memory, "%s/%s.package", runtime_of(vm)->modules, name);
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  int fd = path != NULL ? rt_fd_above_streams(open(path, flags)) : -1;
  mem_free(path);
  if (fd < 0) return false;
  ssize_t len = read(fd, package, PACKAGE_MOST - 1);
  close(fd);
  package[len > 0 ? len : 0] = '\0';
  package[strspn(package, "abcdefghijklmnopqrstuvwxyz0123456789.+-")] = '\0';
  return package[0] != '\0';
}

static NativeFound native_not_built(Vm *vm, const char *name, char **why) {
  char package[PACKAGE_MOST];
  if (!read_package(vm, name, package)) return NATIVE_NONE;
  return refuse_native(
      why, mem_format(vm->memory,
                      "it was not built, as the Debian package %s was "
                      "missing; install that, and run make again",
                      package));
}

// --- Loading ----------------------------------------------------------------
static NativeFound native_not_loaded(Vm *vm, const char *name, char **why) {
  char package[PACKAGE_MOST];
  bool needs = read_package(vm, name, package);
  Plain plain = plain_begin();
  const char *error = dlerror();
  char *text =
      mem_format(vm->memory, "%s%s%s%s", error != NULL ? error : "",
                 needs ? " (it needs the library of the Debian package " : "",
                 needs ? package : "", needs ? ")" : "");
  plain_end(plain);
  return refuse_native(why, text);
}

// What the module says of itself. true: it cannot be used, and *why tells, or
// memory is out.
static bool is_wrong_module(Vm *vm, const char *path, const char *name,
                            const CspNative *native, char **why) {
  const char *of =
      native != NULL && native->module != NULL ? native->module->path : NULL;
  if (native == NULL) {
    *why =
        mem_format(vm->memory, "%s: csp_module_%s gives no table", path, name);
  } else if (native->api != CSP_API) {
    *why = mem_format(vm->memory,
                      "%s was compiled for API %d, and this cspvm has API %d; "
                      "compile it anew, with the csp.h of this cspvm",
                      path, native->api, CSP_API);
  } else if (of == NULL || strcmp(of, name) != 0) {
    *why = mem_format(vm->memory, "%s: its table is of the module \"%s\"", path,
                      of != NULL ? of : "");
  } else {
    return false;
  }
  return true;
}

static NativeFound load_native(Vm *vm, const char *path, const char *name,
                               char **why) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return native_not_loaded(vm, name, why);
  char symbol[sizeof "csp_module_" + MODULE_NAME_MOST];
  snprintf(symbol, sizeof symbol, "csp_module_%s", name);
  RT_ASSERT(strlen(name) <= MODULE_NAME_MOST && is_module_name(name));
  void *found = dlsym(library, symbol);
  if (found == NULL)
    return refuse_native(
        why, mem_format(vm->memory, "%s has no function %s", path, symbol));
  NativeEntry entry;
  _Static_assert(sizeof entry == sizeof found, "POSIX wants that of dlsym");
  memcpy(&entry, &found, sizeof entry);
  const CspNative *native = entry();
  if (is_wrong_module(vm, path, name, native, why))
    return refuse_native(why, *why);
  return csp_register(runtime_of(vm), native->module) ? NATIVE_REGISTERED
                                                      : NATIVE_NO_MEMORY;
}

// --- Looking for it ---------------------------------------------------------
static NativeFound find_native_at(Vm *vm, const char *path, const char *name,
                                  char **why) {
  bool there = access(path, F_OK) == 0;
  int error = errno;
  if (!there && error != ENOENT && error != ENOTDIR)
    return refuse_native(
        why, mem_format(vm->memory, "%s: %s", path, plain_error(error)));
  if (!there) return native_not_built(vm, name, why);
  if (!vm_allows(vm, CSP_NATIVE))
    return refuse_native(
        why, mem_copy_text(vm->memory,
                           "it is native, and the program that runs "
                           "this script does not allow scripts to "
                           "load native modules (CSP_NATIVE)"));
  return load_native(vm, path, name, why);
}

NativeFound native_loader_find(Vm *vm, const char *name, char **why) {
  const char *folder = runtime_of(vm)->modules;
  *why = NULL;
  if (folder == NULL || !is_module_name(name)) return NATIVE_NONE;
  char *path = mem_format(vm->memory, "%s/%s.so", folder, name);
  if (path == NULL) return NATIVE_NO_MEMORY;
  NativeFound found = find_native_at(vm, path, name, why);
  RT_ASSERT((found == NATIVE_REFUSED) == (*why != NULL));
  mem_free(path);
  return found;
}

char *native_loader_hint(Vm *vm) {
  const char *folder = runtime_of(vm)->modules;
  if (folder == NULL || !vm_allows(vm, CSP_NATIVE)) return NULL;
  if (access(folder, X_OK) == 0) return NULL;
  return mem_format(vm->memory, "the folder of native modules, %s: %s", folder,
                    plain_error(errno));
}

char *native_loader_folder(const Memory *memory, const char *folder) {
  if (folder[0] == '/') return mem_copy_text(memory, folder);
  char here[PATH_MAX];
  if (getcwd(here, sizeof here) == NULL) return NULL;
  return mem_format(memory, "%s/%s", here, folder);
}
