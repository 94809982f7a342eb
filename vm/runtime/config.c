// SPDX-License-Identifier: MIT
// CspConfig between hosts and libraries of different versions.
//
// The struct begins with its size as the host was compiled. New fields come at
// its end, and zero means their default. So a host that is older than the
// library gives less, and what is missing is zero. A newer one gives more: that
// is passed over where it is zero, and refused where the host has set it.
#include "vm/runtime/config.h"

#include <errno.h>

#include "vm/runtime/native_loader.h"
#include "vm/runtime/runtime.h"

// What the first version with a size had.
enum { SIZE_LEAST = offsetof(CspConfig, write_arg) + sizeof(void *) };

const char *csp_version(void) { return CSP_VERSION; }

void csp_config_init_sized(CspConfig *config, size_t size) {
  memset(config, 0, size);
  config->size = size;
}

static bool is_zero(const char *data, size_t len) {
  for (size_t n = 0; n < len; n++)
    if (data[n] != 0) return false;
  return true;
}

bool config_take(CspConfig *own, const CspConfig *wanted) {
  csp_config_init_sized(own, sizeof *own);
  if (wanted == NULL) return true;
  size_t size = wanted->size;
  if (size < SIZE_LEAST) {
    errno = EINVAL;
    return false;
  }
  if (size > sizeof *own &&
      !is_zero((const char *)wanted + sizeof *own, size - sizeof *own)) {
    errno = E2BIG;
    return false;
  }
  memcpy(own, wanted, size < sizeof *own ? size : sizeof *own);
  own->size = sizeof *own;
  if (own->max_threads != 1 || own->stepped) return true;
  errno = EINVAL;  // a call that blocks would stop all others
  return false;
}

bool config_own(Csp *csp) {
  CspConfig *own = &csp->config;
  const Memory *memory = csp->vm.memory;
  bool wants_path = own->path != NULL, wants_modules = own->modules != NULL;
  if (wants_path) csp->path = mem_copy_text(memory, own->path);
  if (wants_modules) csp->modules = native_loader_folder(memory, own->modules);
  own->path = csp->path;
  own->modules = csp->modules;
  return wants_path == (csp->path != NULL) &&
         wants_modules == (csp->modules != NULL);
}
