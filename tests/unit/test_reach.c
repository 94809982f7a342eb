// SPDX-License-Identifier: MIT
// Nothing that a script calls is out of reach: the functions and methods of the
// tables, but for those that wait or end the script, are called with large and
// hostile arguments under a limit. Every value stands in each place. Where it
// stands in another place than the receiver's, a method gets a receiver of its
// own type. What takes any number of arguments gets those of each list. Files
// are those of a folder that is the host's root. os.run and what belongs to it
// have a host of their own: a root refuses programs. What is checked is how
// much is done between two looks:
//   in a debug build   by the basic blocks of our own that were run
//                      (work_steps) while it looks some times; the C library's
//                      are not seen; and by how often it still looks when it
//                      is interrupted
//   with REACH_CPU=1   by the thread's CPU time after the limit, the least of
//                      five; for a plain build on a quiet machine
#include <ftw.h>
#include <time.h>
#include <unistd.h>

#include "embed_fixture.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/methods.h"
#include "vm/interp/native_call.h"
#include "vm/object/map.h"
#include "vm/runtime/runtime.h"

enum { PARAMS_MAX = 4, VALUES_MAX = 64 };
static const double MOST_AFTER_MS = 10;

static const char modules[] =
    "import \"strings\"\nimport \"bytes\"\nimport \"maps\"\nimport \"math\"\n"
    "import \"time\"\nimport \"fmt\"\nimport \"rand\"\nimport \"os\"\n"
    "import \"sched\"\n";

// What takes long to make and does not change is made once. Lists are copied
// for each function.
static const char script[] =
    "import \"os\"\n"
    "import \"rand\"\n"
    "import \"strings\"\n"
    "const LONG = \"ab\".repeat(200000)\n"
    "const NEAR = \"ab\".repeat(199999) + \"ac\"\n"
    "const MANY = strings.from_runes(list(0..100000).map(func(i) => 0x10000 + "
    "i))\n"
    "const CHARS = MANY.chars()\n"
    "const RUNES = MANY.runes()\n"
    "const INTS = list(0..100000)\n"
    "const PAIRS = INTS.enumerate()\n"
    "func opened(path) {\n"
    "  file := os.open(path, \"w+\")?\n"
    "  file.write(\"a line\\n\".repeat(50000), \"x\".repeat(300000))?\n"
    "  file.seek(0)?\n"
    "  return file, nil\n"
    "}\n"
    "func ended() {\n"
    "  var group_of_its_own\n"
    "  group g { group_of_its_own = g }\n"
    "  return group_of_its_own\n"
    "}\n"
    "func values(path) {\n"
    "  deep := []\n"
    "  shared := [1]\n"
    "  err := error(\"first\")\n"
    "  m := {}\n"
    "  for i in 2000 {\n"
    "    deep = [deep]\n"
    "    err = error(\"next\", err)\n"
    "    m[i] = \"${i}\"\n"
    "    m[\"k${i}\"] = i\n"
    "  }\n"
    "  for i in 60 { shared = [shared, shared] }\n"
    "  cyclic := [1]\n"
    "  cyclic.push(cyclic, cyclic)\n"
    "  floats := [float(\"nan\"), 1.5, 0.0, 3].repeat(20000)\n"
    "  texts := [LONG, NEAR, \"ab\".repeat(199999) + \"ad\"].repeat(1000)\n"
    "  return [nil, true, 0, 1, -1, 3, 255, 1000000, 50000000,\n"
    "    9223372036854775807, -9223372036854775807 - 1, 1.5, float(\"nan\"), "
    "1e308,\n"
    "    \"\", \"a\", \"%s\", \"%*d\", LONG, NEAR, "
    "\"\\u{e9}\".repeat(100000),\n"
    "    \"9\".repeat(300000), \" \".repeat(300000), \"%d\".repeat(100000), "
    "copy(INTS),\n"
    "    floats, texts, deep, shared, cyclic, copy(PAIRS), [LONG], m,\n"
    "    bytes(400000), bytes(NEAR), err, \"a/../b/\".repeat(100000),\n"
    "    \"\\n\".repeat(200000).quote(), func(x...) => x, "
    "0..9223372036854775807, [],\n"
    "    {}, chan(1), MANY, copy(CHARS), copy(RUNES), bytes(MANY), \"true\",\n"
    "    opened(path)?, rand.new(1), ended(), timer(0)], nil\n"
    "}\n";

// --- Measuring --------------------------------------------------------------
static bool by_cpu;
static double slowness = 1;  // of this machine

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// A loop that takes 10 ms where the bounds were chosen.
static void calibrate(void) {
  double least = 1e9;
  for (int round = 0; round < 5; round++) {
    double begun = cpu_ms();
    volatile uint64_t x = 1;
    for (int n = 0; n < 5000000; n++) x = x * 31 + 7;
    double took = cpu_ms() - begun;
    if (took < least) least = took;
  }
  slowness = least > 10 ? least / 10 : 1;
}

// --- One function -----------------------------------------------------------
typedef struct Reach {
  Host *host;
  const char *path;  // of the file among the values
  CspHandle values, maker;
  uint64_t random;
  int calls, over;
  const size_t *chosen;  // the numbers of the values, for the message
  int nchosen;
} Reach;

static size_t choose(Reach *r, size_t count) {
  r->random = r->random * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(r->random >> 33) % count;
}

static void make_values(Reach *r) {
  CspCall *call = csp_host(r->host->csp);
  CspResult result;
  csp_limit_time(r->host->csp, 0);
  csp_release(r->host->csp, r->values);
  CspValue path = csp_string(call, r->path, strlen(r->path));
  csp_call(call, csp_held(call, r->maker), 1, &path, &result);
  if (result.end != CSP_DONE) fail_msg("%s", result.message);
  assert_true(csp_type(result.values[1]) == CSP_NIL);
  r->values = csp_hold(call, result.values[0]);
  csp_result_free(&result);
}

static void call_once(Reach *r, CspValue f, int argc, const CspValue *args) {
  CspResult result;
  csp_call(csp_host(r->host->csp), f, argc, args, &result);
  csp_result_free(&result);
}

// 0 in builds that do not count: there the calls must come back, and no more.
static const uint64_t MOST_STEPS = 2500000;

#ifdef CSP_DEBUG
static Csp *watched;
static int looks;
enum { LOOKS = 40, MOST_LOOKS = 2 * LOOKS };

// What has not ended after so many looks is interrupted: what is counted does
// not hang on how fast the machine is.
static void count_look(void) {
  if (++looks >= LOOKS) csp_interrupt(watched);
}
#endif

static uint64_t steps_of(Reach *r, CspValue f, int argc, const CspValue *args) {
  // Only what waits reaches it in a debug build.
  csp_limit_time(r->host->csp, 50 * 1000000);
#ifdef CSP_DEBUG
  work_steps = work_most = 0;
  watched = r->host->csp;
  looks = 0;
  work_on_look = count_look;
  call_once(r, f, argc, args);
  work_on_look = NULL;
  if (looks > MOST_LOOKS) return UINT64_MAX;
  return work_steps > work_most ? work_steps : work_most;
#else
  call_once(r, f, argc, args);
  return 0;
#endif
}

static double time_after(Reach *r, CspValue f, int argc, const CspValue *args) {
  double least = 1e9;
  csp_limit_time(r->host->csp, 100 * 1000000);
  for (int round = 0; round < 5 && least > MOST_AFTER_MS * slowness; round++) {
    double begun = cpu_ms();
    call_once(r, f, argc, args);
    double after = cpu_ms() - begun - 100;
    if (after < least) least = after;
  }
  return least;
}

static void try_arguments(Reach *r, const char *name, CspValue f, int argc,
                          const CspValue *args) {
  r->calls++;
  double found, bound;
  if (by_cpu) {
    found = time_after(r, f, argc, args);
    bound = MOST_AFTER_MS * slowness;
  } else {
    found = (double)steps_of(r, f, argc, args);
    bound = (double)MOST_STEPS;
  }
  if (found <= bound) return;
  r->over++;
  print_error("%s: %.0f %s; values", name, found,
              by_cpu ? "ms after the limit" : "steps between two looks");
  for (int n = 0; n < r->nchosen; n++) print_error(" %zu", r->chosen[n]);
  print_error("\n");
}

static void try_call(Reach *r, const char *name, CspValue f, int argc,
                     const size_t *chosen) {
  CspValue args[PARAMS_MAX];
  CspValue values = csp_held(csp_host(r->host->csp), r->values);
  for (int n = 0; n < argc; n++) args[n] = csp_list_get(values, chosen[n]);
  r->chosen = chosen;
  r->nchosen = argc;
  try_arguments(r, name, f, argc, args);
}

// list: what is spread behind the first `fixed` arguments, f(args..., list...).
static void try_spread(Reach *r, const char *name, CspValue f, int fixed,
                       const size_t *chosen, size_t list) {
  CspValue values = csp_held(csp_host(r->host->csp), r->values);
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
  r->chosen = shown;
  r->nchosen = fixed + 1;
  try_arguments(r, name, f, fixed + (int)len, args);
  free(args);
}

// Whose methods they are: of a type, or of a host's class.
typedef struct Receiver {
  int type;
  const HostClass *klass;  // or NULL
} Receiver;

static bool fits(const Receiver *receiver, Value v) {
  return value_is_type(v, (ObjType)receiver->type) &&
         (receiver->klass == NULL ||
          ((ObjHost *)value_obj(v))->klass == receiver->klass);
}

static size_t choose_receiver(Reach *r, const Receiver *receiver) {
  CspValue values = csp_held(csp_host(r->host->csp), r->values);
  size_t count = csp_list_len(values), n = choose(r, count);
  for (size_t tried = 0; tried < count; tried++, n = (n + 1) % count)
    if (fits(receiver, csp_list_get(values, n).word)) return n;
  fail_msg("no value of type %d", receiver->type);
  return 0;
}

// Every value in each place, the others at random. receiver: NULL for what is
// no method.
static void try_function(Reach *r, const char *name, CspValue f, int argc,
                         const Receiver *receiver) {
  size_t count = csp_list_len(csp_held(csp_host(r->host->csp), r->values));
  make_values(r);
  if (argc == 0) try_call(r, name, f, 0, NULL);
  for (int place = 0; place < argc; place++) {
    for (size_t v = 0; v < count; v++) {
      size_t chosen[PARAMS_MAX];
      for (int n = 0; n < argc; n++) chosen[n] = choose(r, count);
      if (receiver != NULL) chosen[0] = choose_receiver(r, receiver);
      chosen[place] = v;
      try_call(r, name, f, argc, chosen);
    }
  }
}

// Every list as all the arguments that follow the named ones.
static void try_many(Reach *r, const char *name, CspValue f, int fixed,
                     const Receiver *receiver) {
  CspCall *call = csp_host(r->host->csp);
  size_t count = csp_list_len(csp_held(call, r->values));
  assert_true(fixed <= PARAMS_MAX);
  make_values(r);
  for (size_t v = 0; v < count; v++) {
    CspValue values = csp_held(call, r->values);
    if (csp_type(csp_list_get(values, v)) != CSP_LIST) continue;
    size_t chosen[PARAMS_MAX];
    for (int n = 0; n < fixed; n++) chosen[n] = choose(r, count);
    if (receiver != NULL) chosen[0] = choose_receiver(r, receiver);
    try_spread(r, name, f, fixed, chosen, v);
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

// Those that end the run, or wait for what nobody sends, or for standard input;
// and `panic`, whose value is shown by the host's call.
static bool is_left_out(const char *name) {
  static const char *const names[] = {
      "exit",      "sleep",       "recv",           "panic",
      "read_line", "stdin_lines", "read_all_stdin", NULL};
  for (int n = 0; names[n] != NULL; n++)
    if (strcmp(names[n], name) == 0) return true;
  return name[0] == '_';
}

static void try_value(Reach *r, const char *name, Value f,
                      const Receiver *receiver) {
  try_function(r, name, csp_wrap(f), parameters(f), receiver);
  if (takes_any_number(f))
    try_many(r, name, csp_wrap(f), ((ObjNative *)value_obj(f))->def->nparams,
             receiver);
}

static void try_members(Reach *r, const ObjMap *members, const char *owner) {
  Vm *vm = csp_vm(r->host->csp);
  const ObjTable *table = heap_load(&members->table);
  uint64_t at = 0;
  Value key, v;
  while (map_next(vm, members, table, &at, &key, &v)) {
    const char *name = ((ObjString *)value_obj(key))->data;
    if (value_is_type(v, OBJ_CELL)) v = ((ObjCell *)value_obj(v))->value;
    bool is_function =
        value_is_type(v, OBJ_NATIVE) || value_is_type(v, OBJ_CLOSURE);
    char full[80];
    snprintf(full, sizeof full, "%s.%s", owner, name);
    if (is_function && !is_left_out(name)) try_value(r, full, v, NULL);
  }
}

static void try_methods(Reach *r, const Method *methods, uint32_t count,
                        const Receiver *receiver) {
  for (uint32_t n = 0; n < count; n++) {
    const Method *m = &methods[n];
    char full[80];
    if (receiver->klass != NULL) {
      snprintf(full, sizeof full, "%s.%s", receiver->klass->name,
               m->name->data);
    } else {
      snprintf(full, sizeof full, "(%d).%s", receiver->type, m->name->data);
    }
    if (!is_left_out(m->name->data)) try_value(r, full, m->function, receiver);
  }
}

static void try_all_methods(Reach *r) {
  const Vm *vm = csp_vm(r->host->csp);
  for (int type = 0; type < OBJ_TYPE_COUNT; type++) {
    const MethodTable *table = vm->methods[type];
    Receiver receiver = {.type = type};
    if (table) try_methods(r, table->methods, table->count, &receiver);
  }
  for (const HostMethods *entry = vm->host_methods; entry;
       entry = entry->next) {
    Receiver receiver = {.type = OBJ_HOST, .klass = entry->klass};
    try_methods(r, entry->methods, entry->count, &receiver);
  }
}

static CspHandle loaded(Host *host, const char *text, const char *member) {
  CspCall *call = csp_host(host->csp);
  CspResult result;
  CspValue v = csp_nil();
  csp_load(call, "reach.csp", text, strlen(text), &result);
  if (result.end != CSP_DONE) fail_msg("%s", result.message);
  if (member != NULL)
    assert_true(csp_member(call, result.values[0], member, &v));
  return csp_hold(call, member != NULL ? v : result.values[0]);
}

// --- Hosts ------------------------------------------------------------------
// root: the folder that is "/"; or NULL.
static void open_reached(Host *host, const char *root, unsigned allowed) {
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.max_memory = (uint64_t)512 << 20;
  config.debug = NULL;
  config.allowed = allowed;
  config.root = root;
  config.write_out = take_out;
  config.write_err = take_err;
  config.write_arg = host;
  host->csp = csp_new(&config);
  assert_non_null(host->csp);
  csp_install_language(host->csp);
  assert_true(csp_install_library(host->csp));
  loaded(host, modules, NULL);
}

static const NativeModule *module_named(Host *host, const char *name) {
  const NativeModule *m = csp_vm(host->csp)->native_modules;
  while (m && strcmp(m->def->path, name) != 0) m = m->next;
  assert_true(m != NULL && m->made != NULL);
  return m;
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

typedef struct World {
  char folder[40];
  Host host;
  Reach reach;
} World;

static void world_open(World *w, bool rooted, unsigned allowed) {
  by_cpu = getenv("REACH_CPU") != NULL;
  calibrate();
  strcpy(w->folder, "/tmp/csp_reach_XXXXXX");
  assert_non_null(mkdtemp(w->folder));
  open_reached(&w->host, rooted ? w->folder : NULL, allowed);
  static char path[60];
  snprintf(path, sizeof path, "%s/file", rooted ? "" : w->folder);
  w->reach = (Reach){.host = &w->host,
                     .path = path,
                     .random = 1,
                     .maker = loaded(&w->host, script, "values")};
  make_values(&w->reach);
}

static void world_end(World *w) {
  print_message("%d calls\n", w->reach.calls);
  assert_int_equal(w->reach.over, 0);
  close_host(&w->host);
  nftw(w->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void every_function_is_in_reach(void **state) {
  (void)state;
  World w;
  world_open(&w, true, CSP_ALL & ~CSP_PROCESSES);
  Vm *vm = csp_vm(w.host.csp);
  try_members(&w.reach, vm->builtins, "");
  try_all_methods(&w.reach);
  for (const NativeModule *m = vm->native_modules; m; m = m->next)
    try_members(&w.reach, module_named(&w.host, m->def->path)->made->members,
                m->def->path);
  assert_true(w.reach.calls > 10000);
  world_end(&w);
}

// What is run is nothing or "true": no other text is the name of a program.
static void other_programs_are_in_reach(void **state) {
  (void)state;
  World w;
  world_open(&w, false, CSP_ALL);
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
      cmocka_unit_test(other_programs_are_in_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
