// SPDX-License-Identifier: MIT
// Native functions as they are registered: the record of one, its parameters,
// and the capabilities that it needs. (vm/interp/call_native.c calls them.)

#include "vm/native/native.h"

#include <stdlib.h>

#include "vm/heap/lasting.h"
#include "vm/interp/native_call.h"
#include "vm/native/native_quick.h"
#include "vm/native/whose.h"
#include "vm/object/string.h"

// --- Making -----------------------------------------------------------------
// One block: the record, its parameters' names, its own.
static NativeDef *def_new(Vm *vm, const char *module, const char *name,
                          const char *params) {
  size_t count = *params != '\0';
  for (const char *s = params; *s; s++) count += *s == ',';
  size_t names = count * sizeof(ObjString *);
  size_t before = module != NULL ? strlen(module) + 1 : 0, len = strlen(name);
  NativeDef *def = lasting_alloc(vm, sizeof *def + names + before + len + 1);
  if (def == NULL) return NULL;
  char *text = (char *)(def->param_names + count);
  def->name = text;
  if (module != NULL) {
    memcpy(text, module, before - 1);
    text[before - 1] = '.';
  }
  memcpy(text + before, name, len);
  return def;
}

// Reads "a, b = 1, rest..." into def. false: out of memory.
static bool parse_params(Vm *vm, NativeDef *def, const char *params) {
  for (const char *s = params; *s != '\0';) {
    while (*s == ' ') s++;
    size_t word = strcspn(s, " =,.");
    size_t all = strcspn(s, ",");
    RT_ASSERT(word > 0 && !def->rest);  // a name, and nothing after the rest
    if (strncmp(s + word, "...", 3) == 0) {
      def->rest = true;
    } else {
      ObjString *name = vm_intern(vm, s, word);
      if (name == NULL) return false;
      def->param_names[def->nparams++] = name;
      if (memchr(s, '=', all) == NULL) def->nrequired = def->nparams;
    }
    s += all + (s[all] == ',');
  }
  return true;
}

// --- What natives need ------------------------------------------------------
static const struct Capability {
  uint32_t bit;
  const char *name, *what;
} capabilities[] = {
    {CSP_FILES, "CSP_FILES", "use files"},
    {CSP_PROCESSES, "CSP_PROCESSES", "run other programs"},
    {CSP_ENVIRONMENT, "CSP_ENVIRONMENT", "see the environment"},
    {CSP_PROCS, "CSP_PROCS", "change the number of Ps"},
    {CSP_NATIVE, "CSP_NATIVE", "load native modules"},
    {CSP_NET, "CSP_NET", "use the network"},
    {0, NULL, NULL},
};

const CspFunction *native_row(const CspFunction *at, NativeRules *rules) {
  for (; at != NULL && at->name != NULL; at++) {
    if (at->fn != NULL) return at;
    const struct Capability *capability = capabilities;
    while (capability->name != NULL && strcmp(capability->name, at->name) != 0)
      capability++;
    if (strcmp(at->name, "CSP_REPEATABLE") == 0) {
      rules->repeatable = true;
    } else if (capability->name == NULL) {
      rt_throw("a table of native functions has a row `%s`", at->name);
    } else {
      rules->needs = capability->bit;
    }
  }
  return NULL;
}

// As scripts know it: a hidden one serves a function with nearly that name.
static void shown_name(const char *name, char *out, size_t size) {
  const char *dot = strstr(name, "._");
  if (dot != NULL) {
    snprintf(out, size, "%.*s%s", (int)(dot + 1 - name), name, dot + 2);
  } else if (name[0] == '_') {
    size_t word = strcspn(name + 1, "_");
    snprintf(out, size, "%.*s.%s", (int)word, name + 1, name + word + 2);
  } else {
    snprintf(out, size, "%s", name);
  }
}

// Stands for each function that needs what is not allowed.
static CspStatus forbidden(CspCall *call) {
  const struct Capability *capability = capabilities;
  RT_ASSERT(call->def->missing != 0);
  while (!(capability->bit & call->def->missing)) capability++;
  char name[80];
  shown_name(call->def->name, name, sizeof name);
  return csp_panic(call,
                   "%s: the program that runs this script does not allow "
                   "scripts to %s (%s)",
                   name, capability->what, capability->name);
}

// Stands for each CSP_REAL.
static CspStatus call_real(CspCall *call) {
  double x;
  RT_ASSERT(call->def->real != NULL);
  if (!csp_need_number(call, 0, &x)) return CSP_PANIC;
  return csp_ok_float(call, call->def->real(x));
}

// Whether a row's macro put that word before its parameters.
static bool skip_word(const char **params, const char *word) {
  bool there = **params == *word && strncmp(*params, word, strlen(word)) == 0;
  if (there) *params += strlen(word);
  return there;
}

void natives_are_hosts(Csp *csp, bool host) {
  csp_vm(csp)->natives_are_hosts = host;
}

void native_calls_host(CspCall *call) {
  if (!native_is_over(call)) sched_enter_host(call->local->p);
}

Value native_new(Vm *vm, const char *module, const CspFunction *row,
                 const NativeRules *rules) {
  uint32_t missing = rules->needs & ~vm->allowed;
  const char *params = row->params;
  bool is_real = skip_word(&params, "real ");
  bool stored = skip_word(&params, "stored ");
  NativeDef *def = def_new(vm, module, row->name, params);
  ObjNative *native =
      (ObjNative *)heap_alloc(&vm->boot->heap, sizeof *native, OBJ_NATIVE);
  if (def == NULL || native == NULL || !parse_params(vm, def, params))
    return VALUE_UNDEF;
  def->fn = missing ? forbidden : is_real ? call_real : row->fn;
  if (def->fn == call_real)
    def->real = (double (*)(double))(void (*)(void))row->fn;
  RT_ASSERT(missing <= UINT8_MAX);  // a bit of one capability
  RT_ASSERT(def->nrequired <= def->nparams);
  def->missing = (uint8_t)missing;
  quick_choose(def, vm->spans);
  def->repeatable = rules->repeatable;
  def->stored = stored;
  def->host = rules->host;
  def->method = rules->methods && def->nparams > 0;
  native->def = def;
  native->data = NULL;
  return value_from_obj(native);
}
