// SPDX-License-Identifier: MIT
// Functions that are called with large and hostile arguments under a limit,
// every value in each place. What is checked is how much is done between two
// looks:
//   in a debug build   by the basic blocks of our own that were run
//                      (work_steps) while it looks some times; and by how
//                      often it still looks when it is interrupted. Of the C
//                      library the bytes are counted that it is handed to
//                      copy, to fill, to compare, to sort, to search, to read
//                      and to write (reach.opt); the rest is not seen
//   with REACH_CPU=1   by the thread's CPU time after the limit, the least of
//                      five; for a plain build
#ifndef CSP_TESTS_UNIT_REACH_FIXTURE_H
#define CSP_TESTS_UNIT_REACH_FIXTURE_H

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "embed_fixture.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/object/map.h"
#include "vm/runtime/runtime.h"

enum { PARAMS_MAX = 4, VALUES_MAX = 64 };
static const double MOST_AFTER_MS = 10;

static const char modules[] =
    "import \"strings\"\nimport \"bytes\"\nimport \"maps\"\nimport \"math\"\n"
    "import \"time\"\nimport \"fmt\"\nimport \"rand\"\nimport \"os\"\n"
    "import \"sched\"\nimport \"sync\"\nimport \"json\"\nimport \"csv\"\n"
    "import \"uuid\"\nimport \"toml\"\nimport \"url\"\nimport \"html\"\n"
    "import \"regexp\"\nimport \"net\"\nimport \"redis\"\nimport \"cbor\"\n"
    "import \"http\"\nimport \"text\"\nimport \"streams\"\nimport \"tar\"\n"
    "import \"websocket\"\n";

// What a program adds: modules, and a script with `values` that needs them.
static void (*add_modules)(Csp *csp);
static const char *script_of_modules;

// What takes long to make and does not change is made once. Lists are copied
// for each function.
static const char script[] =
    "import \"os\"\n"
    "import \"rand\"\n"
    "import \"regexp\"\n"
    "import \"strings\"\n"
    "import \"sync\"\n"
    "const LARGE = \"a\".repeat(64 << 20)\n"
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
    "func large_values(path) {\n"
    "  return [bytes(64 << 20), [bytes(64 << 20)], LARGE, \"/many\", "
    "\"/many/*\",\n"
    "    \"/long/*[\" + \"b\".repeat(3900) + \"]\", path + \".endless\",\n"
    "    os.open(path + \".endless\")?], nil\n"
    "}\n"
    "func values(path, large, of_modules) {\n"
    "  more := of_modules()\n"
    "  if large { more.extend(large_values(path)?) }\n"
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
    "  joined, nested := (1,), ()\n"
    "  for i in 60 { joined = (joined, joined) }\n"
    "  for i in 2000 { nested = (nested, i) }\n"
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
    "    joined, nested, tuple(INTS), (NEAR, LONG), (\"a\", 1),\n"
    "    bytes(400000), bytes(NEAR), err, \"a/../b/\".repeat(100000),\n"
    "    \"\\n\".repeat(200000).quote(), func(x...) => x, "
    "0..9223372036854775807, (9..0).by(-2), [],\n"
    "    {}, chan(1), MANY, copy(CHARS), copy(RUNES), bytes(MANY), \"true\",\n"
    "    opened(path)?, rand.new(1), ended(), timer(0),\n"
    "    sync.mutex(), sync.semaphore(1000000), sync.counter(),\n"
    "    regexp.compile(\"(a|b*)*(c)?$\")?] + more, nil\n"
    "}\n";

// --- Measuring --------------------------------------------------------------
static bool by_cpu;
static double slowness = 1;  // of this machine

static inline double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// What this thread had taken when the limit passed; or a negative number.
static volatile double at_limit;

static inline void limit_passed(int signal) {
  (void)signal;
  at_limit = cpu_ms();
}

enum { LIMIT_MS = 100 };

// A signal that comes when the limit passes, in this thread: where the machine
// is busy, the thread has not run all the time until then.
static inline timer_t limit_timer(void) {
  timer_t timer;
  struct sigaction action = {.sa_handler = limit_passed,
                             .sa_flags = SA_RESTART};
  assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                           .sigev_signo = SIGALRM};
  event._sigev_un._tid = gettid();
  assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  return timer;
}

static inline void limit_begins(timer_t timer) {
  struct itimerspec at = {.it_value.tv_nsec = LIMIT_MS * 1000000};
  at_limit = -1;
  assert_int_equal(timer_settime(timer, 0, &at, NULL), 0);
}

// A loop that takes 10 ms where the bounds were chosen.
static inline void calibrate(void) {
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

// --- The C library ----------------------------------------------------------
#ifdef CSP_DEBUG
// As long as a basic block takes, about.
enum { BYTES_OF_A_STEP = 16, BYTE_BY_BYTE = 8 };
static inline void count_bytes(size_t bytes) {
  work_steps += bytes / BYTES_OF_A_STEP;
}

void *__real_memcpy(void *to, const void *from, size_t len);
void *__real_memmove(void *to, const void *from, size_t len);
void *__real_memset(void *to, int c, size_t len);
void *__real_memchr(const void *text, int c, size_t len);
void *__real_memrchr(const void *text, int c, size_t len);
int __real_memcmp(const void *a, const void *b, size_t len);
void *__real_memmem(const void *text, size_t len, const void *part,
                    size_t part_len);
typedef int CompareTwo(const void *a, const void *b);
void __real_qsort(void *base, size_t count, size_t size, CompareTwo *compare);
char *__real_strchr(const char *text, int c);
char *__real_strstr(const char *text, const char *part);
size_t __real_strspn(const char *text, const char *set);
size_t __real_strcspn(const char *text, const char *set);
size_t __real_strlen(const char *text);
ssize_t __real_read(int fd, void *to, size_t len);
ssize_t __real_write(int fd, const void *from, size_t len);

void *__wrap_memcpy(void *to, const void *from, size_t len);
void *__wrap_memcpy(void *to, const void *from, size_t len) {
  count_bytes(len);
  return __real_memcpy(to, from, len);
}

void *__wrap_memmove(void *to, const void *from, size_t len);
void *__wrap_memmove(void *to, const void *from, size_t len) {
  count_bytes(len);
  return __real_memmove(to, from, len);
}

void *__wrap_memset(void *to, int c, size_t len);
void *__wrap_memset(void *to, int c, size_t len) {
  count_bytes(len);
  return __real_memset(to, c, len);
}

void *__wrap_memchr(const void *text, int c, size_t len);
void *__wrap_memchr(const void *text, int c, size_t len) {
  char *found = __real_memchr(text, c, len);
  count_bytes(found != NULL ? (size_t)(found - (const char *)text) : len);
  return found;
}

void *__wrap_memrchr(const void *text, int c, size_t len);
void *__wrap_memrchr(const void *text, int c, size_t len) {
  const char *end = (const char *)text + len;
  char *found = __real_memrchr(text, c, len);
  count_bytes(found != NULL ? (size_t)(end - found) : len);
  return found;
}

int __wrap_memcmp(const void *a, const void *b, size_t len);
int __wrap_memcmp(const void *a, const void *b, size_t len) {
  const char *x = a, *y = b;
  size_t same = 0;
  int order = __real_memcmp(a, b, len);
  if (order == 0) same = len;
  while (order != 0 && x[same] == y[same]) same++;
  count_bytes(same);
  return order;
}

// (The Boyer-Moore of today's libc takes linear time.)
void *__wrap_memmem(const void *text, size_t len, const void *part,
                    size_t part_len);
void *__wrap_memmem(const void *text, size_t len, const void *part,
                    size_t part_len) {
  char *found = __real_memmem(text, len, part, part_len);
  count_bytes(found != NULL ? (size_t)(found - (const char *)text) : len);
  return found;
}

// What it compares by is ours, and is counted.
void __wrap_qsort(void *base, size_t count, size_t size, CompareTwo *compare);
void __wrap_qsort(void *base, size_t count, size_t size, CompareTwo *compare) {
  __real_qsort(base, count, size, compare);
  for (size_t n = count; n > 1; n /= 2) count_bytes(count * size);
}

char *__wrap_strchr(const char *text, int c);
char *__wrap_strchr(const char *text, int c) {
  char *found = __real_strchr(text, c);
  count_bytes(found != NULL ? (size_t)(found - text) : __real_strlen(text));
  return found;
}

char *__wrap_strstr(const char *text, const char *part);
char *__wrap_strstr(const char *text, const char *part) {
  char *found = __real_strstr(text, part);
  count_bytes(found != NULL ? (size_t)(found - text) : __real_strlen(text));
  return found;
}

size_t __wrap_strspn(const char *text, const char *set);
size_t __wrap_strspn(const char *text, const char *set) {
  size_t len = __real_strspn(text, set);
  count_bytes(len * BYTE_BY_BYTE);
  return len;
}

size_t __wrap_strcspn(const char *text, const char *set);
size_t __wrap_strcspn(const char *text, const char *set) {
  size_t len = __real_strcspn(text, set);
  count_bytes(len * BYTE_BY_BYTE);
  return len;
}

size_t __wrap_strlen(const char *text);
size_t __wrap_strlen(const char *text) {
  size_t len = __real_strlen(text);
  count_bytes(len);
  return len;
}

ssize_t __wrap_read(int fd, void *to, size_t len);
ssize_t __wrap_read(int fd, void *to, size_t len) {
  ssize_t n = __real_read(fd, to, len);
  if (n > 0) count_bytes((size_t)n);
  return n;
}

ssize_t __wrap_write(int fd, const void *from, size_t len);
ssize_t __wrap_write(int fd, const void *from, size_t len) {
  ssize_t n = __real_write(fd, from, len);
  if (n > 0) count_bytes((size_t)n);
  return n;
}
#endif

// --- One function -----------------------------------------------------------
typedef struct Reach {
  Host *host;
  const char *folder;  // where the host's files are
  const char *path;    // of the file among the values
  bool large;          // values that take long are among them, too
  CspHandle values, maker, of_modules;
  uint64_t random;
  int calls, over;
  int looks;     // before it is interrupted, in a debug build
  int limit_ms;  // of what is not measured by CPU time, 0: none
  uint64_t most_steps;
  bool whole;           // nothing is interrupted before
  const char *program;  // that is loaded, instead of a call; or NULL
  size_t program_len;
  const size_t *chosen;  // the numbers of the values, for the message
  int nchosen;
} Reach;

static inline size_t choose(Reach *reach, size_t count) {
  reach->random = reach->random * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(reach->random >> 33) % count;
}

// --- What is large in the folder --------------------------------------------
// Names with `len` characters; the last is made last.
static inline void make_names(const char *folder, const char *name, int count,
                              int len) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s/%0*d", folder, name, len, count);
  if (access(path, F_OK) == 0) return;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  mkdir(path, 0777);
  for (int n = 1; n <= count; n++) {
    snprintf(path, sizeof path, "%s/%s/%0*d", folder, name, len, n);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) close(fd);
  }
}

// Some functions remove, rename or cut them.
static inline void make_large_files(const char *folder) {
  char path[60];
  snprintf(path, sizeof path, "%s/file.endless", folder);
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  assert_true(fd >= 0 && ftruncate(fd, (off_t)1 << 40) == 0);
  close(fd);
  make_names(folder, "many", 20000, 5);
  make_names(folder, "long", 400, 249);
}

static inline void make_values(Reach *reach) {
  CspCall *call = csp_host(reach->host->csp);
  CspResult result;
  if (reach->large) make_large_files(reach->folder);
  csp_limit_time(reach->host->csp, 0);
  csp_release(reach->host->csp, reach->values);
  CspValue args[] = {csp_string(call, reach->path, strlen(reach->path)),
                     csp_bool(reach->large), csp_held(call, reach->of_modules)};
  csp_call(call, csp_held(call, reach->maker), 3, args, &result);
  if (result.end != CSP_DONE) fail_msg("%s", result.message);
  assert_true(csp_type(result.values[1]) == CSP_NIL);
  reach->values = csp_hold(call, result.values[0]);
  csp_result_free(&result);
}

static inline void call_once(Reach *reach, CspValue f, int argc,
                             const CspValue *args) {
  CspCall *call = csp_host(reach->host->csp);
  CspResult result;
  if (reach->program != NULL) {
    csp_load(call, "program.csp", reach->program, reach->program_len, &result);
  } else {
    csp_call(call, f, argc, args, &result);
  }
  csp_result_free(&result);
}

// 0 in builds that do not count: there the calls must come back, and no more.
static const uint64_t MOST_STEPS = 2500000;
enum { LOOKS = 40, MOST_AFTER = 40 };  // before it is interrupted, and after

#ifdef CSP_DEBUG
static Csp *watched;
static int looks_left;

// What has not ended after so many looks is interrupted: what is counted does
// not hang on how fast the machine is.
static inline void count_look(void) {
  if (--looks_left <= 0) csp_interrupt(watched);
}
#endif

static inline uint64_t steps_of(Reach *reach, CspValue f, int argc,
                                const CspValue *args) {
  csp_limit_time(reach->host->csp, (int64_t)reach->limit_ms * 1000000);
#ifdef CSP_DEBUG
  work_steps = work_most = 0;
  watched = reach->host->csp;
  looks_left = reach->looks;
  work_on_look = reach->whole ? NULL : count_look;
  call_once(reach, f, argc, args);
  work_on_look = NULL;
  if (looks_left < -MOST_AFTER) return UINT64_MAX;
  return work_steps > work_most ? work_steps : work_most;
#else
  call_once(reach, f, argc, args);
  return 0;
#endif
}

static inline double time_after(Reach *reach, CspValue f, int argc,
                                const CspValue *args) {
  double least = 1e9;
  timer_t timer = limit_timer();
  csp_limit_time(reach->host->csp, (int64_t)LIMIT_MS * 1000000);
  for (int round = 0; round < 5 && least > MOST_AFTER_MS * slowness; round++) {
    limit_begins(timer);
    call_once(reach, f, argc, args);
    double after = at_limit < 0 ? 0 : cpu_ms() - at_limit;
    if (after < least) least = after;
  }
  timer_delete(timer);
  return least;
}

static inline void try_arguments(Reach *reach, const char *name, CspValue f,
                                 int argc, const CspValue *args) {
  reach->calls++;
  double found, bound;
  if (by_cpu) {
    found = time_after(reach, f, argc, args);
    bound = MOST_AFTER_MS * slowness;
  } else {
    found = (double)steps_of(reach, f, argc, args);
    bound = (double)reach->most_steps;
  }
  if (found <= bound) return;
  reach->over++;
  print_error("%s: %.0f %s; values", name, found,
              by_cpu ? "ms after the limit" : "steps between two looks");
  for (int n = 0; n < reach->nchosen; n++)
    print_error(" %zu", reach->chosen[n]);
  print_error("\n");
}

static inline void try_call(Reach *reach, const char *name, CspValue f,
                            int argc, const size_t *chosen) {
  CspValue args[PARAMS_MAX];
  CspValue values = csp_held(csp_host(reach->host->csp), reach->values);
  for (int n = 0; n < argc; n++) args[n] = csp_list_get(values, chosen[n]);
  reach->chosen = chosen;
  reach->nchosen = argc;
  try_arguments(reach, name, f, argc, args);
}

// Whose methods they are: of a type, or of a host's class.
typedef struct Receiver {
  int type;
  const HostClass *klass;  // or NULL
} Receiver;

static inline bool fits(const Receiver *receiver, Value v) {
  return value_is_type(v, (ObjType)receiver->type) &&
         (receiver->klass == NULL ||
          ((ObjHost *)value_obj(v))->klass == receiver->klass);
}

static inline size_t choose_receiver(Reach *reach, const Receiver *receiver) {
  CspValue values = csp_held(csp_host(reach->host->csp), reach->values);
  size_t count = csp_list_len(values), n = choose(reach, count);
  for (size_t tried = 0; tried < count; tried++, n = (n + 1) % count)
    if (fits(receiver, csp_list_get(values, n).word)) return n;
  fail_msg("no value of type %d", receiver->type);
  return 0;
}

// Every value in each place, the others at random. receiver: NULL for what is
// no method.
static inline void try_function(Reach *reach, const char *name, CspValue f,
                                int argc, const Receiver *receiver) {
  size_t count =
      csp_list_len(csp_held(csp_host(reach->host->csp), reach->values));
  make_values(reach);
  if (argc == 0) try_call(reach, name, f, 0, NULL);
  for (int place = 0; place < argc; place++) {
    for (size_t v = 0; v < count; v++) {
      size_t chosen[PARAMS_MAX];
      for (int n = 0; n < argc; n++) chosen[n] = choose(reach, count);
      if (receiver != NULL) chosen[0] = choose_receiver(reach, receiver);
      chosen[place] = v;
      try_call(reach, name, f, argc, chosen);
    }
  }
}

static inline void try_program(Reach *reach, const char *name, const char *text,
                               size_t len) {
  reach->program = text;
  reach->program_len = len;
  reach->nchosen = 0;
  try_arguments(reach, name, csp_nil(), 0, NULL);
  reach->program = NULL;
}

static inline CspHandle loaded(Host *host, const char *text,
                               const char *member) {
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
// root: the folder that is "/", or NULL.
static inline void open_reached(Host *host, const char *root,
                                unsigned allowed) {
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
  if (add_modules != NULL) add_modules(host->csp);
  loaded(host, modules, NULL);
}

static inline int remove_one(const char *path, const struct stat *info,
                             int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

typedef struct World {
  char folder[40];
  Host host;
  Reach reach;
} World;

// A plain build has nothing to count, and with nothing switched on in it other
// tests see what this would see.
static inline void skip_where_blind(void) {
#ifndef CSP_DEBUG
  if (!by_cpu && getenv("CSPDEBUG") == NULL) skip();
#endif
}

static inline void world_open(World *world, bool rooted, unsigned allowed) {
  by_cpu = getenv("REACH_CPU") != NULL;
  skip_where_blind();
  calibrate();
  strcpy(world->folder, "/tmp/csp_reach_XXXXXX");
  assert_non_null(mkdtemp(world->folder));
  open_reached(&world->host, rooted ? world->folder : NULL, allowed);
  static char path[60];
  snprintf(path, sizeof path, "%s/file", rooted ? "" : world->folder);
  world->reach = (Reach){.host = &world->host,
                         .folder = world->folder,
                         .path = path,
                         .random = 1,
                         .looks = LOOKS,
                         .most_steps = MOST_STEPS,
                         .limit_ms = 50,  // only what waits reaches it
                         .maker = loaded(&world->host, script, "values")};
  world->reach.of_modules =
      script_of_modules != NULL
          ? loaded(&world->host, script_of_modules, "values")
          : loaded(&world->host, "func values() => []", "values");
  make_values(&world->reach);
}

// Adds what is large. Only for what counts or measures: others would go through
// it until the time limit.
static inline void world_add_large(World *world) {
#ifdef CSP_DEBUG
  world->reach.large = true;
#endif
  world->reach.large |= by_cpu;
  make_values(&world->reach);
}

static inline void world_end(World *world) {
  print_message("%d calls\n", world->reach.calls);
  assert_int_equal(world->reach.over, 0);
  close_host(&world->host);
  nftw(world->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
