// SPDX-License-Identifier: MIT
// The environment. The process's own is shared by all runtimes and unsafe to
// change while threads read it, so each runtime works on a copy, taken when
// first asked for; programs that are run get the copy.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/os.h"

// A look-up goes through all variables.
enum { VARIABLES_MOST = 10000 };

typedef struct Env {
  pthread_mutex_t lock;  // zeroed: ready for use; guards the rest
  char **list;           // NULL-terminated; NULL until first needed
  size_t count;
} Env;

void os_env_free(char **env) {
  for (char **at = env; at && *at; at++) csp_alloc_free(*at);
  csp_alloc_free(env);
}

static void env_finalize(void *data) { os_env_free(((Env *)data)->list); }

const CspClass os_env_class = {"environment", env_finalize, sizeof(Env), NULL};

// --- Arrays of "NAME=value" -------------------------------------------------
static char **copy_list(Csp *csp, char *const *from, size_t *count) {
  size_t n = 0;
  while (from[n]) n++;
  char **list = alloc_zeroed(csp, (n + 1) * sizeof *list);
  for (size_t i = 0; list && i < n; i++) {
    list[i] = alloc_text(csp, from[i]);
    if (!list[i]) {
      os_env_free(list);
      return NULL;
    }
  }
  *count = n;
  return list;
}

static size_t find_variable(char **list, Str name) {
  size_t i = 0;
  for (; list[i]; i++) {
    if (strncmp(list[i], name.data, name.len) == 0 &&
        list[i][name.len] == '=') {
      break;
    }
  }
  return i;
}

// Sets or (value.data NULL) takes out a variable: 0, ENOMEM, or E2BIG, as there
// are VARIABLES_MOST.
static int change(Csp *csp, char ***list, size_t *count, Str name, Str value) {
  size_t i = find_variable(*list, name);
  if (!value.data) {
    if (i == *count) return 0;
    csp_alloc_free((*list)[i]);
    memmove(*list + i, *list + i + 1, (*count - i) * sizeof **list);
    (*count)--;
    return 0;
  }
  if (i >= VARIABLES_MOST) return E2BIG;
  char *entry = csp_alloc(csp, NULL, name.len + value.len + 2);
  if (!entry) return ENOMEM;
  memcpy(entry, name.data, name.len);
  entry[name.len] = '=';
  memcpy(entry + name.len + 1, value.data, value.len);
  entry[name.len + 1 + value.len] = '\0';
  if (i < *count) {
    csp_alloc_free((*list)[i]);
    (*list)[i] = entry;
    return 0;
  }
  char **more = csp_alloc(csp, *list, (*count + 2) * sizeof *more);
  if (!more) {
    csp_alloc_free(entry);
    return ENOMEM;
  }
  more[*count] = entry;
  more[++*count] = NULL;
  *list = more;
  return 0;
}

static CspStatus change_failed(CspCall *call, const char *what, int error) {
  if (error == ENOMEM) return csp_panic_memory(call);
  return csp_panic(call, "%s: there would be more than %d variables", what,
                   VARIABLES_MOST);
}

// --- The runtime's copy -----------------------------------------------------
// Locked; NULL: panicked (and not locked).
static Env *env_lock(CspCall *call) {
  Env *env = csp_state(csp_of(call), &os_env_class);
  if (env) {
    pthread_mutex_lock(&env->lock);
    if (!env->list) env->list = copy_list(csp_of(call), environ, &env->count);
    if (env->list) return env;
    pthread_mutex_unlock(&env->lock);
  }
  csp_panic_memory(call);
  return NULL;
}

// Names are not empty, and hold neither = nor a zero byte.
static bool is_variable_name(Str name) {
  return name.len > 0 && !memchr(name.data, '=', name.len) &&
         !memchr(name.data, '\0', name.len);
}

static bool need_name(CspCall *call, int i, Str *name) {
  if (!need_str(call, i, name)) return false;
  if (is_variable_name(*name)) return true;
  csp_bad_arg(call, i, "a name without = and zero bytes");
  return false;
}

CspStatus os_env(CspCall *call) {
  Str name;
  if (!need_name(call, 0, &name)) return CSP_PANIC;
  Env *env = env_lock(call);
  if (!env) return CSP_PANIC;
  size_t i = find_variable(env->list, name);
  CspValue v = csp_arg(call, 1);
  if (i < env->count) {
    const char *value = env->list[i] + name.len + 1;
    v = csp_string(call, value, strlen(value));
  }
  pthread_mutex_unlock(&env->lock);
  return csp_ok(call, v);
}

char *os_env_temp(CspCall *call) {
  const Str name = {"TMPDIR", 6};
  Env *env = env_lock(call);
  if (!env) return NULL;
  size_t i = find_variable(env->list, name);
  const char *value = i < env->count ? env->list[i] + name.len + 1 : "/tmp";
  char *copy = alloc_text(csp_of(call), value);
  pthread_mutex_unlock(&env->lock);
  if (!copy) csp_panic_memory(call);
  return copy;
}

// A nil value, or none, takes the variable out: os.unset_env, too.
CspStatus os_set_env(CspCall *call) {
  Str name, value = {0};
  if (!need_name(call, 0, &name)) return CSP_PANIC;
  if (csp_argc(call) > 1 && !is_nil(call, 1)) {
    if (!need_str(call, 1, &value)) return CSP_PANIC;
    if (memchr(value.data, '\0', value.len)) {
      return csp_bad_arg(call, 1, "a string without zero bytes");
    }
  }
  Env *env = env_lock(call);
  if (!env) return CSP_PANIC;
  int error = change(csp_of(call), &env->list, &env->count, name, value);
  pthread_mutex_unlock(&env->lock);
  if (error) return change_failed(call, "os.set_env", error);
  return csp_ok_nothing(call);
}

CspStatus os_environ(CspCall *call) {
  Env *env = env_lock(call);
  if (!env) return CSP_PANIC;
  CspValue map = csp_map(call, env->count);
  bool ok = !csp_is_undef(map);
  for (size_t i = 0; i < env->count && ok; i++) {
    const char *entry = env->list[i], *equals = strchr(entry, '=');
    if (!equals) continue;
    ok = csp_map_set(call, map,
                     csp_string(call, entry, (size_t)(equals - entry)),
                     csp_string(call, equals + 1, strlen(equals + 1)));
  }
  pthread_mutex_unlock(&env->lock);
  return ok ? csp_ok(call, map) : csp_panic_memory(call);
}

// false: panicked.
static bool apply(CspCall *call, char ***list, size_t *count,
                  CspValue changes) {
  CspValue key, value;
  CspIter iter = {0};
  while (csp_map_next(call, changes, &iter, &key, &value)) {
    bool unset = csp_type(value) == CSP_NIL;
    if (csp_type(key) != CSP_STRING ||
        (!unset && csp_type(value) != CSP_STRING)) {
      csp_panic(call, "the environment's names and values must be strings");
      return false;
    }
    Str text = {0};
    if (!unset) text = str_of(value);
    if (!is_variable_name(str_of(key)) ||
        (!unset && memchr(text.data, '\0', text.len))) {
      csp_panic(call,
                "the environment's names must be without = and zero bytes, its "
                "values without zero bytes");
      return false;
    }
    int error = change(csp_of(call), list, count, str_of(key), text);
    if (error) change_failed(call, "os.run: env", error);
    if (error || !csp_work(call, *count * 2 + text.len / 8)) return false;
  }
  return true;
}

char **os_env_copy(CspCall *call, const CspValue *changes) {
  Env *env = env_lock(call);
  if (!env) return NULL;
  size_t count = 0;
  char **list = copy_list(csp_of(call), env->list, &count);
  pthread_mutex_unlock(&env->lock);
  if (!list) {
    csp_panic_memory(call);
  } else if (changes && !apply(call, &list, &count, *changes)) {
    os_env_free(list);
    list = NULL;
  }
  return list;
}
