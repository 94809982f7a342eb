// SPDX-License-Identifier: MIT
// The module os: its table, and the functions about the process itself. The
// other sources os_*.c have the rest.
#include "stdlib/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// exit(status = 0): deferred calls do not run, but output is written.
static CspStatus os_exit(CspCall *call) {
  int64_t status = 0;
  if (!is_nil(call, 0) && !need_int_in(call, 0, 0, 255, &status)) {
    return CSP_PANIC;
  }
  return csp_exit(call, (int)status);
}

static void out_written_work(void *csp) { csp_flush_out(csp); }

static CspStatus out_written_done(CspCall *call, void *csp, bool made) {
  (void)csp;
  return made ? csp_ok_nothing(call)
              : csp_panic(call, "os.flush: %s", csp_no_thread());
}

// Writing may wait for whoever reads it.
static CspStatus os_flush(CspCall *call) {
  return csp_block(call, out_written_work, out_written_done, csp_of(call));
}

// signals(names...): (channel, nil) or (nil, error). The host that reads the
// process's signals has the builtin _signals for that, which takes a list.
static CspStatus os_signals(CspCall *call) {
  if (csp_is_undef(csp_builtin(call, "_signals")))
    return csp_ok_coded(call, "unsupported",
                        "os.signals: the host gives no signals");
  int count = csp_argc(call);
  CspValue names = csp_list(call, (size_t)count);
  for (int i = 0; i < count && !csp_is_undef(names); i++)
    if (!csp_list_push(call, names, csp_arg(call, i))) return CSP_PANIC;
  if (csp_is_undef(names)) return csp_panic_memory(call);
  return csp_tail_named(call, "_signals", 1, &names);
}

static CspStatus os_getwd(CspCall *call) {
  char *path = csp_alloc_folder(csp_of(call));
  if (path == NULL) return csp_ok_errno(call, errno, "the working directory");
  return csp_ok_value(call, csp_alloc_take(call, path, strlen(path)));
}

static CspStatus os_hostname(CspCall *call) {
  char name[256];
  if (gethostname(name, sizeof name) != 0) {
    return csp_ok_coded(call, csp_errno_code(errno), "the host has no name");
  }
  name[sizeof name - 1] = '\0';
  return csp_ok_value(call, csp_string(call, name, strlen(name)));
}

static CspStatus os_pid(CspCall *call) { return csp_ok_int(call, getpid()); }

static CspStatus os_getuid(CspCall *call) { return csp_ok_int(call, getuid()); }

static CspStatus os_is_terminal(CspCall *call) {
  int64_t fd;
  if (!need_int_in(call, 0, 0, 1 << 20, &fd)) return CSP_PANIC;
  return csp_ok_bool(call, isatty((int)fd) == 1);
}

static void add_script_args(CspCall *call, CspValue module) {
  char **argv;
  int argc = csp_args(call, &argv);
  CspValue list = csp_list(call, (size_t)(argc > 0 ? argc : 0));
  for (int i = 0; i < argc && !csp_is_undef(list); i++) {
    csp_list_push(call, list, csp_string(call, argv[i], strlen(argv[i])));
  }
  csp_module_set(call, module, "args", list);
}

static void add_os_constants(CspCall *call, CspValue module) {
  add_script_args(call, module);
  os_file_init(call, module);
}

static const CspFunction os_functions[] = {
    CSP_REPEATABLE,
    {"exit", "status = 0", os_exit},
    {"flush", "", os_flush},
    {"signals", "names...", os_signals},
    {"random", "n", os_random},
    {"clean_path", "path", os_clean_path},
    {"join_path", "parts...", os_join_path},
    {"base", "path", os_base},
    {"dir", "path", os_dir},
    {"ext", "path", os_ext},
    {"is_abs", "path", os_is_abs},
    CSP_NEEDS(CSP_FILES),
    {"abs_path", "path", os_abs_path},
    {"getwd", "", os_getwd},
    {"chdir", "path", os_chdir},
    {"is_terminal", "fd", os_is_terminal},
    {"read_file", "path", os_read_file},
    {"read_bytes", "path", os_read_bytes},
    {"write_file", "path, data, mode = 0o666", os_write_file},
    {"append_file", "path, data, mode = 0o666", os_append_file},
    {"copy_file", "from, to", os_copy_file},
    {"rename", "from, to", os_rename},
    {"symlink", "target, path", os_symlink},
    {"stat", "path, follow = true", os_stat},
    {"exists", "path", os_exists},
    {"is_dir", "path", os_is_dir},
    {"is_file", "path", os_is_file},
    {"_list_dir", "path", os_list_dir},
    {"_is_folder", "path", os_is_folder},
    {"glob", "pattern", os_glob},
    {"read_link", "path", os_read_link},
    {"real_path", "path", os_real_path},
    {"mkdir", "path, mode = 0o777", os_mkdir},
    {"mkdir_all", "path, mode = 0o777", os_mkdir_all},
    {"chmod", "path, mode", os_chmod},
    {"set_times", "path, modified", os_set_times},
    {"remove", "path", os_remove},
    {"_remove_all", "path", os_remove_all},
    {"_remove_some", "removal", os_remove_some},
    {"_remove_end", "removal", os_remove_end},
    {"temp_file", "prefix = \"csp-\", folder = nil", os_temp_file},
    {"temp_dir", "prefix = \"csp-\", folder = nil", os_temp_dir},
    {"open", "path, mode = \"r\", permissions = 0o666", os_open},
    CSP_NEEDS(CSP_PROCESSES),
    {"run", "program, args = nil, stdin = nil, dir = nil, env = nil", os_run},
    CSP_NEEDS(CSP_ENVIRONMENT),
    {"env", "name, default = nil", os_env},
    {"set_env", "name, value", os_set_env},
    {"unset_env", "name", os_unset_env},
    {"environ", "", os_environ},
    {"hostname", "", os_hostname},
    {"pid", "", os_pid},
    {"getuid", "", os_getuid},
    {NULL, NULL, NULL},
};

const CspModule os_module = {"os", os_functions, add_os_constants, NULL, 0};

bool os_install(Csp *csp) {
  return os_files_install(csp) &&
         csp_register_class(csp, &os_file_class, os_file_methods) &&
         csp_register_class(csp, &os_env_class, NULL) &&
         csp_register_class(csp, &os_removal_class, NULL) &&
         os_unpack_install(csp);
}
