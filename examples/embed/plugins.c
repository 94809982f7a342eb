// SPDX-License-Identifier: MIT
// A host of plugins that nobody has read, and that may mean it badly:
//
//   cc plugins.c $(pkg-config --cflags --libs cspvm) -o plugins
//   ./plugins plugins/*.csp
//
// Each plugin is a script with a function `transform`, and has a runtime of
// its own: with limits to its time, memory, goroutines, depth of calls and
// output, without files, programs or the environment, and without threads. In
// whichever way it fails, the host says so and goes on with the next one. A
// number among the arguments is the time limit, in ms, of those after it.
#include <csp.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MEMORY = 32 << 20,
  GOROUTINES = 1000,
  CALLS_DEEP = 10000,
  OUTPUT = 10000,  // bytes
  SCRIPT = 1 << 20,
};

typedef struct Plugin {
  const char *path;
  Csp *csp;
  int64_t time_ms;
  size_t written;
} Plugin;

// --- Limits ------------------------------------------------------------------
// What plugins print is thrown away here. Too much ends what runs, once.
static void count_output(void *arg, const char *data, size_t len) {
  Plugin *plugin = arg;
  (void)data;
  bool fits = plugin->written <= OUTPUT;
  plugin->written += len;
  if (fits && plugin->written > OUTPUT) csp_interrupt(plugin->csp);
}

static bool open_plugin(Plugin *plugin) {
  CspConfig config;
  csp_config_init(&config);  // allowed: nothing
  config.stepped = true;
  config.max_memory = MEMORY;
  config.max_goroutines = GOROUTINES;
  config.max_frames = CALLS_DEEP;
  config.write_out = count_output;
  config.write_err = count_output;
  config.write_arg = plugin;
  plugin->csp = csp_new(&config);
  if (plugin->csp == NULL) return false;
  csp_install_language(plugin->csp);
  csp_limit_time(plugin->csp, plugin->time_ms * 1000000);
  return csp_install_library(plugin->csp);
}

// --- What became of it -------------------------------------------------------
static void say(const Plugin *plugin, const char *what) {
  const char *name = strrchr(plugin->path, '/');
  printf("%s: %s", name ? name + 1 : plugin->path, what);
}

// Of a message the first line; after it come traces.
static void say_failure(const Plugin *plugin, const CspResult *result) {
  static const char *const ends[] = {
      [CSP_DONE] = "done",
      [CSP_THREW] = "it failed",
      [CSP_INTERRUPTED] = "its time is over",
      [CSP_STUCK] = "it waits for ever",
      [CSP_BAD_SCRIPT] = "it is no script",
      [CSP_ENDED] = "it gave up",
  };
  bool flood = result->end == CSP_INTERRUPTED && plugin->written > OUTPUT;
  say(plugin, flood ? "it writes too much" : ends[result->end]);
  const char *message = result->end == CSP_INTERRUPTED ? NULL : result->message;
  if (message == NULL) message = "";
  int line = (int)strcspn(message, "\n");
  printf("%s%.*s\n", line > 0 ? ": " : "", line, message);
}

// --- Running -----------------------------------------------------------------
static void transform(Plugin *plugin, CspValue script) {
  CspCall *call = csp_host(plugin->csp);
  CspValue function;
  if (call == NULL || !csp_member(call, script, "transform", &function)) {
    say(plugin, "it has no function `transform`\n");
    return;
  }
  CspValue text = csp_string(call, "hello plugin", 12);
  CspResult result;
  if (csp_is_undef(text)) {
    say(plugin, "no memory is left\n");
  } else if (csp_call(call, function, 1, &text, &result) != CSP_DONE) {
    say_failure(plugin, &result);
    csp_result_free(&result);
  } else if (csp_type(result.values[0]) != CSP_STRING) {
    say(plugin, "its result is no string\n");
  } else {
    size_t len;
    const char *data = csp_to_string(result.values[0], &len);
    say(plugin, "");
    printf("%.*s\n", (int)len, data);
  }
}

static void run(Plugin *plugin, const char *text, size_t len) {
  CspResult result;
  csp_load(csp_host(plugin->csp), plugin->path, text, len, &result);
  if (result.end == CSP_DONE) {
    transform(plugin, result.values[0]);
  } else {
    say_failure(plugin, &result);
    csp_result_free(&result);
  }
  // A little more time, for what its goroutines still do.
  int64_t left_over_ms = 10 + plugin->time_ms / 100;
  if (csp_step(plugin->csp, left_over_ms * 1000000) == CSP_MORE)
    say(plugin, "what it started goes on; it is ended\n");
}

// The text of a file, malloced, or NULL.
static char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  char *text = file != NULL ? malloc(SCRIPT) : NULL;
  *len = text != NULL ? fread(text, 1, SCRIPT, file) : 0;
  bool whole = text != NULL && *len < SCRIPT && !ferror(file);
  if (file != NULL) fclose(file);
  if (whole) return text;
  free(text);
  return NULL;
}

static void run_file(const char *path, int64_t time_ms) {
  Plugin plugin = {.path = path, .time_ms = time_ms};
  size_t len;
  char *text = read_file(path, &len);
  if (text == NULL) {
    say(&plugin, "cannot be read\n");
  } else if (!open_plugin(&plugin)) {
    say(&plugin, "there is no memory for it\n");
  } else {
    run(&plugin, text, len);
  }
  free(text);
  csp_free(plugin.csp);
  fflush(stdout);
}

int main(int argc, char **argv) {
  int64_t time_ms = 200;
  for (int i = 1; i < argc; i++) {
    if (isdigit((unsigned char)argv[i][0])) {
      time_ms = strtoll(argv[i], NULL, 10);
    } else {
      run_file(argv[i], time_ms);
    }
  }
  return 0;
}
