// SPDX-License-Identifier: MIT
// Installs the library into a runtime, before it runs anything.
//
// The modules' tables are constant; each runtime gets a copy of them, as only
// the generated table knows their parts in the language.
#include "stdlib/stdlib.h"

#include <string.h>

#include "vm/native/whose.h"

enum { MODULES_MAX = 32 };

typedef struct Library {
  CspModule modules[MODULES_MAX];
} Library;

static const CspClass library_class = {"library", NULL, sizeof(Library), NULL};

static const CspModule *const all_modules[] = {
    &strings_module, &bytes_module,  &maps_module,     &math_module,
    &time_module,    &os_module,     &fmt_module,      &rand_module,
    &sched_module,   &sync_module,   &json_module,     &net_module,
    &csv_module,     &uuid_module,   &url_module,      &html_module,
    &toml_module,    &regexp_module, &http_module,     &redis_module,
    &cbor_module,    &text_module,   &streams_module,  &gzip_module,
    &tar_module,     &zip_module,    &websocket_module};

_Static_assert(sizeof all_modules / sizeof *all_modules <= MODULES_MAX,
               "they fit");

static const CspEmbedded *find_source(const char *name) {
  const CspEmbedded *source = csp_embedded;
  while (source->name != NULL && strcmp(source->name, name) != 0) source++;
  return source->name != NULL ? source : NULL;
}

static bool register_modules(Csp *csp) {
  if (!csp_register_class(csp, &library_class, NULL)) return false;
  Library *library = csp_state(csp, &library_class);
  if (library == NULL) return false;
  for (size_t i = 0; i < sizeof all_modules / sizeof *all_modules; i++) {
    CspModule *module = &library->modules[i];
    *module = *all_modules[i];
    const CspEmbedded *source = find_source(module->path);
    if (source != NULL) {
      module->source = source->text;
      module->source_len = source->len;
    }
    if (!csp_register(csp, module)) return false;
  }
  return true;
}

bool library_natives(Csp *csp) {
  return register_modules(csp) && strings_install(csp) && list_install(csp) &&
         bytes_install(csp) && os_install(csp) && fmt_install(csp) &&
         sync_install(csp) && net_install(csp) && uuid_install(csp) &&
         http_install(csp) && websocket_install(csp);
}

bool csp_install_library(Csp *csp) {
  natives_are_hosts(csp, false);
  bool fine = library_natives(csp) &&
              csp_register_prelude(csp, csp_prelude, csp_prelude_words);
  natives_are_hosts(csp, true);
  return fine;
}
