// SPDX-License-Identifier: MIT
// Nothing that a script calls is out of reach: the functions and methods of the
// tables, but for those that wait or end the script, are called as
// reach_fixture.h says. Where a value stands in another place than the
// receiver's, a method gets a receiver of its own type. What takes any number
// of arguments gets those of each list. Files are those of a folder that is the
// host's root. os.run and what belongs to it have a host of their own: a root
// refuses programs.
#include "reach_fixture.h"
#include "reach_native.h"

// list: what is spread after the first `fixed` arguments, f(args..., list...).
static void try_spread(Reach *reach, const char *name, CspValue f, int fixed,
                       const size_t *chosen, size_t list) {
  CspValue values = csp_held(csp_host(reach->host->csp), reach->values);
  CspValue of = csp_list_get(values, list);
  size_t len = csp_list_len(of);
  CspValue *args = calloc((size_t)fixed + len, sizeof *args);
  assert_non_null(args);
  for (int n = 0; n < fixed; n++) args[n] = csp_list_get(values, chosen[n]);
  for (size_t n = 0; n < len; n++)
    args[(size_t)fixed + n] = csp_list_get(of, n);
  size_t shown[PARAMS_MAX + 1];
  memcpy(shown, chosen, (size_t)fixed * sizeof *shown);
  shown[fixed] = list;
  reach->chosen = shown;
  reach->nchosen = fixed + 1;
  try_arguments(reach, name, f, fixed + (int)len, args);
  free(args);
}

// Every list as all the arguments that follow the named ones.
static void try_many(Reach *reach, const char *name, CspValue f, int fixed,
                     const Receiver *receiver) {
  CspCall *call = csp_host(reach->host->csp);
  size_t count = csp_list_len(csp_held(call, reach->values));
  assert_true(fixed <= PARAMS_MAX);
  make_values(reach);
  for (size_t v = 0; v < count; v++) {
    CspValue values = csp_held(call, reach->values);
    if (csp_type(csp_list_get(values, v)) != CSP_LIST) continue;
    size_t chosen[PARAMS_MAX];
    for (int n = 0; n < fixed; n++) chosen[n] = choose(reach, count);
    if (receiver != NULL) chosen[0] = choose_receiver(reach, receiver);
    try_spread(reach, name, f, fixed, chosen, v);
  }
}

// --- All functions ----------------------------------------------------------
static bool takes_any_number(Value f) {
  return value_is_type(f, OBJ_NATIVE) && ((ObjNative *)value_obj(f))->def->rest;
}

static int parameters(Value f) {
  int n = 0;
  if (value_is_type(f, OBJ_NATIVE))
    n = ((ObjNative *)value_obj(f))->def->nparams;
  if (value_is_type(f, OBJ_CLOSURE))
    n = ((ObjClosure *)value_obj(f))->proto->nparams;
  n += takes_any_number(f) ? 2 : 0;
  return n < PARAMS_MAX ? n : PARAMS_MAX;
}

// Those that end the run, or wait for what nobody sends, for standard input, or
// for servers of names; and `panic`, whose value is shown by the host's call.
static bool is_left_out(const char *name) {
  static const char *const names[] = {
      "exit",        "sleep",          "recv", "panic",  "read_line",
      "stdin_lines", "read_all_stdin", "dial", "lookup", "addresses",
      NULL};
  for (int n = 0; names[n] != NULL; n++)
    if (strcmp(names[n], name) == 0) return true;
  return name[0] == '_';
}

static void try_value(Reach *reach, const char *name, Value f,
                      const Receiver *receiver) {
  try_function(reach, name, csp_wrap(f), parameters(f), receiver);
  if (takes_any_number(f))
    try_many(reach, name, csp_wrap(f),
             ((ObjNative *)value_obj(f))->def->nparams, receiver);
}

static void try_members(Reach *reach, const ObjMap *members,
                        const char *owner) {
  Vm *vm = csp_vm(reach->host->csp);
  const ObjTable *table = heap_load(&members->table);
  uint64_t at = 0;
  Value key, v;
  while (map_next(vm, members, table, &at, &key, &v)) {
    const char *name = ((ObjString *)value_obj(key))->own;
    if (value_is_type(v, OBJ_CELL)) v = ((ObjCell *)value_obj(v))->value;
    bool is_function =
        value_is_type(v, OBJ_NATIVE) || value_is_type(v, OBJ_CLOSURE);
    char full[80];
    snprintf(full, sizeof full, "%s.%s", owner, name);
    if (is_function && !is_left_out(name)) try_value(reach, full, v, NULL);
  }
}

static void try_methods(Reach *reach, const Method *methods, uint32_t count,
                        const Receiver *receiver) {
  for (uint32_t n = 0; n < count; n++) {
    const Method *method = &methods[n];
    char full[80];
    if (receiver->klass != NULL) {
      snprintf(full, sizeof full, "%s.%s", receiver->klass->name,
               method->name->own);
    } else {
      snprintf(full, sizeof full, "(%d).%s", receiver->type, method->name->own);
    }
    if (!is_left_out(method->name->own))
      try_value(reach, full, method->function, receiver);
  }
}

// Nearly all that they do is to wait for a peer. (tests/complexity/library has
// them.)
static bool is_of_network(const HostClass *klass) {
  static const char *const names[] = {"connection", "listener", "socket", NULL};
  for (int n = 0; names[n] != NULL; n++)
    if (strcmp(names[n], klass->name) == 0) return true;
  return false;
}

static void try_all_methods(Reach *reach) {
  const Vm *vm = csp_vm(reach->host->csp);
  for (int type = 0; type < OBJ_TYPE_COUNT; type++) {
    const MethodTable *table = vm->methods[type];
    Receiver receiver = {.type = type};
    if (table != NULL)
      try_methods(reach, table->methods, table->count, &receiver);
  }
  for (const HostMethods *entry = vm->host_methods; entry;
       entry = entry->next) {
    Receiver receiver = {.type = OBJ_HOST, .klass = entry->klass};
    if (is_of_network(entry->klass)) continue;
    try_methods(reach, entry->methods, entry->count, &receiver);
  }
}

static const NativeModule *module_named(Host *host, const char *name) {
  const NativeModule *module = csp_vm(host->csp)->native_modules;
  while (module != NULL && strcmp(module->def->path, name) != 0)
    module = module->next;
  assert_true(module != NULL && module->made != NULL);
  return module;
}

static void every_function_is_in_reach(void **state) {
  (void)state;
  World w;
  world_open(&w, true, CSP_ALL & ~CSP_PROCESSES);
  world_add_large(&w);
  Vm *vm = csp_vm(w.host.csp);
  try_members(&w.reach, vm->builtins, "");
  try_all_methods(&w.reach);
  for (const NativeModule *module = vm->native_modules; module != NULL;
       module = module->next) {
    const char *path = module->def->path;
    // (gzip and zip need a native module: native_modules_are_in_reach.)
    if (module->made == NULL && module->def->functions[0].name == NULL)
      continue;
    try_members(&w.reach, module_named(&w.host, path)->made->members, path);
  }
  assert_true(w.reach.calls > 10000);
  world_end(&w);
}

// --- Native modules ---------------------------------------------------------
static void try_class(Reach *reach, const char *name) {
  const HostMethods *entry = csp_vm(reach->host->csp)->host_methods;
  while (entry != NULL && strcmp(entry->klass->name, name) != 0)
    entry = entry->next;
  assert_non_null(entry);
  Receiver receiver = {.type = OBJ_HOST, .klass = entry->klass};
  try_methods(reach, entry->methods, entry->count, &receiver);
}

// The pairs that `calls` of the script gives: a name, and a function.
static void try_calls(Reach *reach) {
  CspCall *call = csp_host(reach->host->csp);
  CspResult result;
  csp_limit_time(reach->host->csp, 0);
  csp_call(call, csp_held(call, loaded(reach->host, native_script, "calls")), 0,
           NULL, &result);
  if (result.end != CSP_DONE) fail_msg("%s", result.message);
  CspHandle pairs = csp_hold(call, result.values[0]);
  csp_result_free(&result);
  for (size_t n = 0; n < csp_list_len(csp_held(call, pairs)); n++) {
    CspValue pair = csp_list_get(csp_held(call, pairs), n);
    CspValue f = csp_list_get(pair, 1);
    char name[80];
    snprintf(name, sizeof name, "%s",
             csp_to_string(csp_list_get(pair, 0), NULL));
    try_value(reach, name, f.word, NULL);
  }
  csp_release(reach->host->csp, pairs);
}

static void native_modules_are_in_reach(void **state) {
  (void)state;
  static const char *const names[] = {"hash",   "zlib",     "tls",  "dns",
                                      "sqlite", "postgres", "gzip", "zip"};
  static const char *const classes[] = {"hash", "inflater", "deflater",
                                        "tls_config"};
  if (!natives_are_built()) skip();
  World w;
  add_modules = add_native_modules;
  script_of_modules = native_script;
  world_open(&w, true, CSP_ALL & ~CSP_PROCESSES);
  world_add_large(&w);
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    try_members(&w.reach, module_named(&w.host, names[n])->made->members,
                names[n]);
  for (size_t n = 0; n < sizeof classes / sizeof *classes; n++)
    try_class(&w.reach, classes[n]);
  try_calls(&w.reach);
  assert_true(w.reach.calls > 5000);
  world_end(&w);
  add_modules = NULL;
  script_of_modules = NULL;
}

// Where an interrupt comes too early for what is large, nothing is interrupted.
static void what_was_out_of_reach(void **state) {
  (void)state;
  static const char *const programs[] = {
      "[bytes(64 << 20)].unique()\n",
      "bytes(64 << 20).contains(\"a\".repeat(64 << 20))\n",
      "import \"os\"\nos.open(\"/file.endless\")?.read(64 << 20)?\n",
      "import \"os\"\nassert(len(os.list_dir(\"/many\")?) == 20000)\n",
      "import \"os\"\nassert(len(os.glob(\"/many/*1*\")?) == 8146)\n",
      "import \"os\"\nos.glob(\"/long/*[${\"b\".repeat(3900)}]\")?\n",
  };
  World w;
  world_open(&w, true, CSP_ALL & ~CSP_PROCESSES);
  make_large_files(w.folder);
  w.reach.whole = true;
  w.reach.limit_ms = 0;
  for (size_t n = 0; n < sizeof programs / sizeof *programs; n++)
    try_program(&w.reach, programs[n], programs[n], strlen(programs[n]));
  world_end(&w);
}

// What is run is nothing or "true": no other text is the name of a program.
static void other_programs_are_in_reach(void **state) {
  (void)state;
  World w;
  world_open(&w, false, CSP_ALL);
  world_add_large(&w);
  CspCall *call = csp_host(w.host.csp);
  CspValue run;
  ObjModule *os = module_named(&w.host, "os")->made;
  assert_true(csp_member(call, csp_wrap(value_from_obj(os)), "run", &run));
  try_function(&w.reach, "os.run", run, PARAMS_MAX, NULL);
  assert_true(w.reach.calls > 100);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_is_in_reach),
      cmocka_unit_test(native_modules_are_in_reach),
      cmocka_unit_test(what_was_out_of_reach),
      cmocka_unit_test(other_programs_are_in_reach),
  };
  cmocka_set_test_filter(getenv("REACH_TEST"));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
