// SPDX-License-Identifier: MIT
// The variables of the environment. All runtimes share the process's own, which
// is unsafe to change while threads read it. So each runtime works on a copy,
// which it takes when one is first asked for. Programs that it runs get the
// copy.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/os.h"

// A look-up goes through all variables, so there must not be too many. No
// memory limit counts their bytes. The most is what a program can be given
// (WORDS_MOST in os_run.c).
enum { VARIABLES_MOST = 10000, MIB_MOST = 6, BYTES_MOST = MIB_MOST << 20 };

typedef struct Variables {
  char **list;  // NULL-terminated
  size_t count;
  size_t bytes;  // of all entries with their pointers
} Variables;

typedef struct Env {
  pthread_mutex_t lock;  // guards the rest; zeroed it is ready for use
  Variables all;         // list: NULL until first needed
} Env;

void os_env_free(char **env) {
  for (char **at = env; at != NULL && *at != NULL; at++) csp_alloc_free(*at);
  csp_alloc_free(env);
}

static void env_finalize(void *data) { os_env_free(((Env *)data)->all.list); }

const CspClass os_env_class = {"environment", env_finalize, sizeof(Env), NULL};

// --- Arrays of "NAME=value" -------------------------------------------------
// A text that is longer than all variables may be is refused for its length
// later, so its rest is not looked at.
static bool has_byte(Str s, char c) {
  return memchr(s.data, c, s.len < BYTES_MOST ? s.len : BYTES_MOST) != NULL;
}

// What an entry of that length takes, with its zero byte and its pointer.
static size_t entry_bytes(size_t len) { return len + 1 + sizeof(char *); }

// The result is false when there is no memory.
static bool copy_variables(Csp *csp, char *const *from, Variables *to) {
  Variables copy = {0};
  while (from[copy.count] != NULL) copy.count++;
  copy.list = alloc_zeroed(csp, (copy.count + 1) * sizeof *copy.list);
  for (size_t i = 0; copy.list != NULL && i < copy.count; i++) {
    copy.list[i] = alloc_text(csp, from[i]);
    if (copy.list[i] == NULL) {
      os_env_free(copy.list);
      return false;
    }
    copy.bytes += entry_bytes(strlen(from[i]));
  }
  if (copy.list != NULL) *to = copy;
  return copy.list != NULL;
}

static size_t find_variable(char **list, Str name) {
  size_t i = 0;
  for (; list[i] != NULL; i++) {
    if (name.len < BYTES_MOST && strncmp(list[i], name.data, name.len) == 0 &&
        list[i][name.len] == '=') {
      break;
    }
  }
  return i;
}

static char *new_entry(Csp *csp, Str name, Str value) {
  char *entry = csp_alloc(csp, NULL, name.len + value.len + 2);
  if (entry == NULL) return NULL;
  memcpy(entry, name.data, name.len);
  entry[name.len] = '=';
  memcpy(entry + name.len + 1, value.data, value.len);
  entry[name.len + 1 + value.len] = '\0';
  return entry;
}

static void env_remove(Variables *all, size_t i) {
  all->bytes -= entry_bytes(strlen(all->list[i]));
  csp_alloc_free(all->list[i]);
  memmove(all->list + i, all->list + i + 1,
          (all->count - i) * sizeof *all->list);
  all->count--;
}

typedef enum Change { CHANGED, NO_MEMORY, TOO_MANY, TOO_LARGE } Change;

// The variable is the i-th. It is a new one when i is the count.
static Change put(Csp *csp, Variables *all, size_t i, Str name, Str value) {
  size_t old = i < all->count ? entry_bytes(strlen(all->list[i])) : 0;
  size_t bytes = all->bytes - old + entry_bytes(name.len) + 1 + value.len;
  // A process may begin with more than the most. A change that makes it less
  // is fine.
  if (bytes > BYTES_MOST && bytes > all->bytes) return TOO_LARGE;
  char *entry = new_entry(csp, name, value);
  if (entry == NULL) return NO_MEMORY;
  if (i < all->count) {
    csp_alloc_free(all->list[i]);
  } else {
    char **more = csp_alloc(csp, all->list, (i + 2) * sizeof *more);
    if (more == NULL) {
      csp_alloc_free(entry);
      return NO_MEMORY;
    }
    more[++all->count] = NULL;
    all->list = more;
  }
  all->list[i] = entry;
  all->bytes = bytes;
  return CHANGED;
}

// Sets a variable, or takes it out when value.data is NULL.
static Change change(Csp *csp, Variables *all, Str name, Str value) {
  size_t i = find_variable(all->list, name);
  if (value.data != NULL)
    return i < VARIABLES_MOST ? put(csp, all, i, name, value) : TOO_MANY;
  if (i < all->count) env_remove(all, i);
  return CHANGED;
}

static CspStatus change_failed(CspCall *call, const char *what, Change end) {
  if (end == NO_MEMORY) return csp_panic_memory(call);
  if (end == TOO_MANY)
    return csp_panic(call, "%s: there would be more than %d variables", what,
                     VARIABLES_MOST);
  return csp_panic(call,
                   "%s: all variables would take more than %d MiB: use a file, "
                   "or take some out",
                   what, MIB_MOST);
}

// --- The runtime's copy -----------------------------------------------------
// Locks the environment, and copies the process's first if need be. NULL: the
// call has panicked, and nothing is locked.
static Env *env_lock(CspCall *call) {
  Env *env = csp_state(csp_of(call), &os_env_class);
  if (env != NULL) {
    pthread_mutex_lock(&env->lock);
    if (env->all.list != NULL ||
        copy_variables(csp_of(call), environ, &env->all))
      return env;
    pthread_mutex_unlock(&env->lock);
  }
  csp_panic_memory(call);
  return NULL;
}

// A name is not empty, and has neither = nor a zero byte.
static bool is_variable_name(Str name) {
  return name.len > 0 && !has_byte(name, '=') && !has_byte(name, '\0');
}

static bool need_name(CspCall *call, const char *what, Str *name) {
  if (!need_str(call, 0, name)) return false;
  if (is_variable_name(*name)) return true;
  bad_string(call, what, "a name without = and zero bytes", *name);
  return false;
}

CspStatus os_env(CspCall *call) {
  Str name;
  if (!need_name(call, "os.env: name", &name)) return CSP_PANIC;
  Env *env = env_lock(call);
  if (env == NULL) return CSP_PANIC;
  size_t i = find_variable(env->all.list, name);
  CspValue v = csp_arg(call, 1);
  if (i < env->all.count) {
    const char *value = env->all.list[i] + name.len + 1;
    v = csp_string(call, value, strlen(value));
  }
  pthread_mutex_unlock(&env->lock);
  return csp_ok(call, v);
}

char *os_env_temp(CspCall *call) {
  const Str name = {"TMPDIR", 6};
  Env *env = env_lock(call);
  if (env == NULL) return NULL;
  size_t i = find_variable(env->all.list, name);
  const char *value =
      i < env->all.count ? env->all.list[i] + name.len + 1 : "/tmp";
  char *copy = alloc_text(csp_of(call), value);
  pthread_mutex_unlock(&env->lock);
  if (copy == NULL) csp_panic_memory(call);
  return copy;
}

// Without data the variable is taken out.
static CspStatus set_variable(CspCall *call, const char *who, Str name,
                              Str value) {
  Env *env = env_lock(call);
  if (env == NULL) return CSP_PANIC;
  Change end = change(csp_of(call), &env->all, name, value);
  pthread_mutex_unlock(&env->lock);
  if (end != CHANGED) return change_failed(call, who, end);
  return csp_ok_nothing(call);
}

// A value of nil takes the variable out.
CspStatus os_set_env(CspCall *call) {
  Str name, value = {0};
  if (!need_name(call, "os.set_env: name", &name)) return CSP_PANIC;
  if (!is_nil(call, 1)) {
    if (!need_str(call, 1, &value)) return CSP_PANIC;
    if (has_byte(value, '\0')) {
      return bad_string(call, "os.set_env: value",
                        "a string without zero bytes", value);
    }
  }
  return set_variable(call, "os.set_env", name, value);
}

CspStatus os_unset_env(CspCall *call) {
  Str name;
  if (!need_name(call, "os.unset_env: name", &name)) return CSP_PANIC;
  return set_variable(call, "os.unset_env", name, (Str){0});
}

CspStatus os_environ(CspCall *call) {
  Env *env = env_lock(call);
  if (env == NULL) return CSP_PANIC;
  CspValue map = csp_map(call, env->all.count);
  bool ok = !csp_is_undef(map);
  for (size_t i = 0; i < env->all.count && ok; i++) {
    const char *entry = env->all.list[i], *equals = strchr(entry, '=');
    if (equals == NULL) continue;
    ok = csp_map_set(call, map,
                     csp_string(call, entry, (size_t)(equals - entry)),
                     csp_string(call, equals + 1, strlen(equals + 1)));
  }
  pthread_mutex_unlock(&env->lock);
  return ok ? csp_ok(call, map) : csp_panic_memory(call);
}

// Makes the changes of a map. The result is false when the call has panicked.
static bool apply(CspCall *call, Variables *all, CspValue changes) {
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
    if (!is_variable_name(str_of(key)) || (!unset && has_byte(text, '\0'))) {
      csp_panic(call,
                "the environment's names must be without = and zero bytes, its "
                "values without zero bytes");
      return false;
    }
    Change end = change(csp_of(call), all, str_of(key), text);
    if (end != CHANGED) change_failed(call, "os.run: env", end);
    if (end != CHANGED || !csp_work(call, all->count * 2 + text.len / 8))
      return false;
  }
  return true;
}

char **os_env_copy(CspCall *call, const CspValue *changes) {
  Env *env = env_lock(call);
  if (env == NULL) return NULL;
  Variables copy = {0};
  bool copied = copy_variables(csp_of(call), env->all.list, &copy);
  pthread_mutex_unlock(&env->lock);
  if (!copied) {
    csp_panic_memory(call);
  } else if (changes != NULL && !apply(call, &copy, *changes)) {
    os_env_free(copy.list);
    copy.list = NULL;
  }
  return copy.list;
}
