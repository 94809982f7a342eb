// SPDX-License-Identifier: MIT
// CspConfig.alloc: a host's allocator that counts and checks. What it is told
// of a block is right. Nothing is left after csp_free but what csp.h names.
// libc's own allocator is not called meanwhile (memory.opt has our objects'
// calls come here, and those that libc makes for itself do not).
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lang/compile/session.h"
#include "sched/memory.h"
#include "vm/csp.h"
#include "vm/interp/native_call.h"

// --- The host's allocator ---------------------------------------------------
enum { TABLE = 1 << 17 };  // live blocks at most; a power of two

typedef struct CheckedHeap {
  pthread_mutex_t lock;
  struct {
    void *block;  // NULL: none, or &gone, where one was
    size_t size;
  } table[TABLE];
  size_t live, bytes;   // blocks, and theirs
  size_t calls, wrong;  // what it was told was not so
  size_t fails_at;      // the number of the call that fails, 0: none
  bool fails_always;    // and all that follow
  bool closed;          // nothing may come any more
} CheckedHeap;

static CheckedHeap heap = {.lock = PTHREAD_MUTEX_INITIALIZER};
static char gone;

// Calls of libc's allocator by the library, and by us.
static _Atomic bool watching;
static _Atomic size_t libc_calls;
static _Thread_local bool ours;

#define WRAP(type, name, parameters, arguments) \
  type __real_##name parameters;                \
  type __wrap_##name parameters;                \
  type __wrap_##name parameters {               \
    if (watching && !ours) libc_calls++;        \
    return __real_##name arguments;             \
  }
WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *block, size_t size), (block, size))
WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size))
WRAP(int, posix_memalign, (void **out, size_t align, size_t size),
     (out, align, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t len), (s, len))
WRAP(int, vasprintf, (char **out, const char *format, va_list args),
     (out, format, args))
WRAP(ssize_t, getline, (char **line, size_t *room, FILE *file),
     (line, room, file))
WRAP(FILE *, open_memstream, (char **text, size_t *len), (text, len))
int __wrap_asprintf(char **out, const char *format, ...);
int __wrap_asprintf(char **out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int len = __wrap_vasprintf(out, format, args);
  va_end(args);
  return len;
}

// The block's place in the table, or one for it.
static size_t place_of(const void *block) {
  size_t at = (uintptr_t)block / 16 * 0x9E3779B97F4A7C15u >> 20;
  size_t free_place = SIZE_MAX;
  for (;; at++) {
    at %= TABLE;
    if (heap.table[at].block == block) return at;
    if (heap.table[at].block == &gone && free_place == SIZE_MAX)
      free_place = at;
    if (heap.table[at].block == NULL)
      return free_place != SIZE_MAX ? free_place : at;
  }
}

static void forget(const void *block, size_t size) {
  size_t at = place_of(block);
  if (heap.table[at].block != block || heap.table[at].size != size) {
    heap.wrong++;
    return;
  }
  heap.table[at].block = &gone;
  // Places before a free one are free: else all of them were gone in the end,
  // and a search would not end.
  for (; heap.table[(at + 1) % TABLE].block == NULL &&
         heap.table[at].block == &gone;
       at = (at + TABLE - 1) % TABLE)
    heap.table[at].block = NULL;
  heap.live--;
  heap.bytes -= size;
}

static void *keep(void *block, size_t size) {
  size_t at = place_of(block);
  if ((uintptr_t)block % 16 != 0) heap.wrong++;
  heap.table[at].block = block;
  heap.table[at].size = size;
  heap.live++;
  heap.bytes += size;
  return block;
}

static bool fails_now(size_t new_size) {
  heap.calls++;
  if (heap.fails_at == 0 || new_size == 0) return false;
  return heap.fails_always ? heap.calls >= heap.fails_at
                           : heap.calls == heap.fails_at;
}

// Blocks always move, so that nobody relies on the old one.
static void *change(void *block, size_t old_size, size_t new_size) {
  if (heap.closed || (block == NULL) != (old_size == 0)) heap.wrong++;
  if (fails_now(new_size)) return NULL;
  void *made = NULL;
  if (new_size > 0) {
    made = malloc(new_size);
    memset(made, 0xA5, new_size);
    keep(made, new_size);
  }
  if (block == NULL) return made;
  forget(block, old_size);
  if (made != NULL)
    memcpy(made, block, old_size < new_size ? old_size : new_size);
  memset(block, 0x5A, old_size);
  free(block);
  return made;
}

static void *checked(void *arg, void *block, size_t old_size, size_t new_size) {
  assert_ptr_equal(arg, &heap);
  ours = true;
  pthread_mutex_lock(&heap.lock);
  void *made = change(block, old_size, new_size);
  pthread_mutex_unlock(&heap.lock);
  ours = false;
  return made;
}

static void expect_nothing_left(void) {
  assert_int_equal(heap.wrong, 0);
  assert_int_equal(heap.live, 0);
  assert_int_equal(heap.bytes, 0);
}

// Before each test.
static int begin(void **state) {
  (void)state;
  memset(heap.table, 0, sizeof heap.table);
  heap.live = heap.bytes = heap.calls = heap.wrong = heap.fails_at = 0;
  heap.fails_always = heap.closed = false;
  watching = false;
  libc_calls = 0;
  return 0;
}

// --- Runtimes ---------------------------------------------------------------
static char printed[1 << 16];
static size_t printed_len;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static void take(void *arg, const char *data, size_t len) {
  (void)arg;
  pthread_mutex_lock(&printing);
  if (len > sizeof printed - 1 - printed_len)
    len = sizeof printed - 1 - printed_len;
  memcpy(printed + printed_len, data, len);
  printed_len += len;
  printed[printed_len] = '\0';
  pthread_mutex_unlock(&printing);
}

static Csp *open_runtime(bool stepped) {
  CspConfig config;
  csp_config_init(&config);
  config.procs = stepped ? 0 : 2;
  config.stepped = stepped;
  config.allowed = CSP_ALL;
  config.alloc = checked;
  config.alloc_arg = &heap;
  config.path = "/nowhere:/tmp";
  config.write_out = config.write_err = take;
  printed_len = 0;
  printed[0] = '\0';
  return csp_new(&config);
}

static Csp *open_with(bool stepped, const CspFunction *functions) {
  Csp *csp = open_runtime(stepped);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp));
  if (functions != NULL) assert_true(csp_register_builtins(csp, functions));
  return csp;
}

static int run(Csp *csp, const char *script) {
  int status = -1;
  csp_run(csp, "memory.csp", script, strlen(script), &status);
  return status;
}

// A run that ends with that status and has printed that, by no libc.
static void expect_run(bool stepped, const char *script, int expected,
                       const char *fragment) {
  watching = true;
  Csp *csp = open_with(stepped, NULL);
  int status = run(csp, script);
  assert_int_equal(csp_free(csp), 0);
  watching = false;
  if (status != expected || strstr(printed, fragment) == NULL)
    fail_msg("%s\nends with %d and prints\n%s", script, status, printed);
  expect_nothing_left();
  if (libc_calls != 0)
    fail_msg("%s\ncalls libc's allocator %zu times", script,
             (size_t)libc_calls);
}

static void expect_runs(const char *script, int status, const char *fragment) {
  expect_run(false, script, status, fragment);
  expect_run(true, script, status, fragment);
}

// --- Tests ------------------------------------------------------------------
static void a_runtime_is_of_the_hosts_memory(void **state) {
  (void)state;
  for (int stepped = 0; stepped < 2; stepped++) {
    watching = true;
    Csp *csp = open_runtime(stepped);
    assert_non_null(csp);
    assert_true(heap.live > 0);
    assert_int_equal(csp_free(csp), 0);
    watching = false;
    expect_nothing_left();
    assert_int_equal(libc_calls, 0);
  }
}

static void concurrent_scripts_are(void **state) {
  (void)state;
  expect_runs(
      "import \"time\"\n"
      "out := chan(3)\n"
      "for i in 200 { go { sleep(1us); out <- i } }\n"
      "sum := 0\n"
      "for i in 200 { sum += <-out }\n"
      "tasks := []\n"
      "for i in 100 { tasks.push(go func() { if i % 7 == 0 { panic(\"seven "
      "${i}\") }; return i }()) }\n"
      "for t in tasks { v, err := try(func() => <-t); if err == nil { sum += v "
      "} }\n"
      "group g { g.timeout(1h); for i in 20 { go { sleep(1h) } }; g.cancel() "
      "}\n"
      "select {\n"
      "case v := <-out: println(v)\n"
      "case <-after(2ms): println(\"none\")\n"
      "}\n"
      "println(\"sum\", sum)\n",
      0, "none\nsum 24");
}

static void panics_are(void **state) {
  (void)state;
  expect_runs(
      "func deep(n) { if n == 0 { panic([1, {a: 2}]) }; defer { n = 0 }; "
      "deep(n - 1) }\n"
      "for i in 50 { _, err := try(func() => deep(40)); if err == nil { "
      "panic(\"none\") } }\n"
      "println(\"caught\")\n"
      "deep(30)\n",
      1, "panic: ");
  assert_non_null(strstr(printed, "caught"));
}

static void compile_errors_are(void **state) {
  (void)state;
  expect_runs("x := nope\nfunc f( { }\ny := strlng(3)\nbreak\nz := \"a", 2,
              "nope");
  expect_runs("import \"./no/such/file\"\nimport \"nosuch\"\n", 2, "nosuch");
}

static void the_library_is(void **state) {
  (void)state;
  expect_runs(
      "import \"strings\"\nimport \"fmt\"\nimport \"maps\"\n"
      "import \"math\"\nimport \"rand\"\nimport \"time\"\nimport \"sched\"\n"
      "words := \"b,a,c\".split(\",\").sort()\n"
      "println(words.join(\" \"), fmt.sprintf(\"%5.2f|%x|%q|%v|%g\", 1.5, 255, "
      "\"q\", {a: [1]}, 2.5))\n"
      "println(strings.quote(\"x\"), \"  x \".trim(), [3, 1, 2].sort(), "
      "math.round(2.567, 2))\n"
      "println(len(\"x\".repeat(5000)), \"abc\".bytes().hex(), str([1, "
      "nil, {a: 1.5}]))\n"
      "println(time.format(time.from_date(1970), \"%Y\"), maps.keys({a: 1}), "
      "[1, "
      "[2]] == [1, "
      "[2]])\n"
      "long := []\n"
      "for i in 50000 { long.push(str(i * 7919 % 50000)) }\n"
      "println(long.sort()[1], len(sched.dump()) > 0)\n",
      0, "a b c");
}

// What a goroutine that is collected waited in is given back, too.
static void lost_natives_are(void **state) {
  (void)state;
  expect_runs(
      "import \"sched\"\n"
      "for i in 10 { go { sched.select([[chan()], [chan(), i]]) } }\n"
      "sleep(1ms)\n"
      "sched.gc()\n"
      "println(\"collected\")\n",
      0, "collected");
}

static void files_and_programs_are(void **state) {
  (void)state;
  expect_runs(
      "import \"os\"\n"
      "dir := os.temp_dir()?\n"
      "defer { os.remove_all(dir) }\n"
      "path := dir + \"/x\"\n"
      "os.write_file(path, \"one\\ntwo\\n\")?\n"
      "f := os.open(path, \"r+\")?\n"
      "println(f.read_line()?)\n"
      "f.write(\"three\\n\")?\n"
      "f.close()?\n"
      "g := os.open(path)?\n"
      "os.symlink(path, dir + \"/y\")?\n"
      "println(os.read_link(dir + \"/y\")? == path, os.list_dir(dir)?, "
      "os.stat(path)?.size)\n"
      "println(len(os.glob(dir + \"/*\")?), os.real_path(dir)? != \"\", "
      "os.getwd()? != \"\")\n"
      "os.set_env(\"MEMORY_TEST\", \"set\")\n"
      "println(os.run(\"sh\", [\"-c\", \"echo $MEMORY_TEST\"])?.out)\n"
      "_, err := os.read_file(dir + \"/none\")\n"
      "println(err)\n"
      "for i in 3 { os.write_file(dir + \"/sub${i}\", \"\")? }\n",
      0, "set\n");
}

// csp_load, csp_call and csp_collect again and again: no more is in use.
static void unloaded_code_is_given_back(void **state) {
  (void)state;
  static const char script[] =
      "struct P { x = 0 }\nfunc (p P) m() => p.x\nfunc f(n) => P(n).m() + 1\n";
  Csp *csp = open_with(true, NULL);
  CspCall *host = csp_host(csp);
  size_t before = 0;
  for (int n = 0; n < 60; n++) {
    CspResult loaded, result;
    CspValue f, arg = csp_int(host, n);
    csp_load(host, "p.csp", script, sizeof script - 1, &loaded);
    assert_int_equal(loaded.end, CSP_DONE);
    assert_true(csp_member(host, loaded.values[0], "f", &f));
    assert_int_equal(csp_call(host, f, 1, &arg, &result), CSP_DONE);
    assert_int_equal(csp_to_int(result.values[0]), n + 1);
    csp_load(host, "bad.csp", "x := nope", 9, &loaded);
    assert_int_equal(loaded.end, CSP_BAD_SCRIPT);
    csp_result_free(&loaded);
    csp_collect(host);
    if (n == 29) before = heap.bytes;
  }
  assert_in_range(heap.bytes, 0, before + 4096);
  assert_int_equal(csp_free(csp), 0);
  expect_nothing_left();
}

static void sessions_are(void **state) {
  (void)state;
  Csp *csp = open_with(false, NULL);
  watching = true;
  Session session;
  assert_true(session_begin(&session, csp_vm(csp)));
  static const char *const inputs[] = {"x := 1", "func f() => x", "f() + 1",
                                       "nope", "struct P { x = 0 }"};
  for (int n = 0; n < 50; n++) {
    const char *text = inputs[n % 5];
    SessionInput input = {.path = "in", .text = text, .len = strlen(text)};
    bool fine = session_compile(&session, csp_vm(csp)->boot, &input) != NULL;
    assert_int_equal(fine, n % 5 != 3);
    session_input_free(&input);
  }
  watching = false;
  assert_int_equal(libc_calls, 0);
  assert_int_equal(csp_free(csp), 0);
  expect_nothing_left();
}

// What hosts free() is libc's.
static void texts_for_the_host_are_malloced(void **state) {
  (void)state;
  Csp *csp = open_with(true, NULL);
  char *messages, *code;
  assert_false(csp_check(csp, "c.csp", "nope", 4, &messages));
  assert_non_null(strstr(messages, "nope"));
  free(messages);
  code = csp_disassemble(csp, "c.csp", "println(1)", 10, &messages);
  assert_non_null(strstr(code, "println"));
  free(code);
  CspCall *host = csp_host(csp);
  CspValue v = csp_string(host, "text", 4);
  size_t len;
  char *text = csp_format(host, v, true, &len);
  assert_string_equal(text, "\"text\"");
  free(text);
  text = csp_to_cbor(host, v, 100, &len, &messages);
  assert_int_equal(len, 5);
  free(text);
  assert_null(csp_to_cbor(host, csp_chan(host, 0), 100, &len, &messages));
  free(messages);
  free(csp_real_path(csp, "/"));
  free(csp_working_folder(csp));
  assert_int_equal(csp_free(csp), 0);
  expect_nothing_left();
}

static void natives_may_use_it(void **state) {
  (void)state;
  Csp *csp = open_with(true, NULL);
  CspCall *host = csp_host(csp);
  size_t before = heap.live;
  char *block = csp_alloc(csp, NULL, 3);
  assert_int_equal((uintptr_t)block % 16, 0);
  memcpy(block, "abc", 3);
  block = csp_alloc(csp, block, 100000);
  assert_memory_equal(block, "abc", 3);
  CspValue v = csp_alloc_take(host, block, 3);
  assert_string_equal(csp_to_string(v, NULL), "abc");
  size_t len;
  bool cut;
  char *text = csp_alloc_format_most(host, v, true, 2, &len, &cut);
  assert_true(cut);
  assert_string_equal(text, "\"a");
  csp_alloc_free(text);
  char *error;
  text = csp_alloc_to_cbor(host, v, 100, &len, &error);
  assert_memory_equal(text, "cabc", 4);  // 0x63: a text of 3 bytes
  assert_true(csp_alloc_from_cbor(host, text, len, NULL, &v, &error));
  assert_false(csp_alloc_from_cbor(host, text, len - 1, NULL, &v, &error));
  assert_non_null(strstr(error, "at byte 0: "));
  csp_alloc_free(error);
  csp_alloc_free(text);
  assert_null(csp_alloc_to_cbor(host, csp_chan(host, 0), 9, &len, &error));
  csp_alloc_free(error);
  csp_alloc_free(NULL);
  errno = EDOM;
  csp_alloc_free(csp_alloc_folder(csp));
  assert_null(csp_alloc(csp, NULL, SIZE_MAX));
  assert_int_equal(errno, ENOMEM);
  assert_int_equal(heap.live, before);
  assert_int_equal(csp_free(csp), 0);
  expect_nothing_left();
}

// --- What outlives the runtime ----------------------------------------------
static CspWaker *the_waker;

static CspStatus wait_for_ever(CspCall *call) {
  the_waker = csp_waker(call);
  if (the_waker == NULL) return csp_panic_memory(call);
  return csp_exit(call, 0);
}
static const CspFunction waits[] = {{"wait_for_ever", "", wait_for_ever},
                                    {NULL, NULL, NULL}};

static void wakers_and_doors_keep_the_memory(void **state) {
  (void)state;
  for (int stepped = 0; stepped < 2; stepped++) {
    Csp *csp = open_with(stepped, waits);
    CspDoor *door = csp_door(csp);
    run(csp, "wait_for_ever()");
    assert_int_equal(csp_free(csp), 0);
    assert_int_equal(heap.live, 2);  // the waker and the door
    assert_null(csp_enter(door));
    csp_door_free(door);
    assert_int_equal(heap.live, 2);
    csp_wake(the_waker, NULL, NULL);
    expect_nothing_left();
  }
}

static int stuck_pipe[2];

static void read_pipe(void *data) {
  char c;
  (void)data;
  while (read(stuck_pipe[0], &c, 1) < 0 && errno == EINTR) continue;
}

static CspStatus end_read(CspCall *call, void *data, bool made) {
  (void)made;
  csp_alloc_free(data);
  return csp_ok_nothing(call);
}

static CspStatus stick(CspCall *call) {
  void *data = csp_alloc(csp_of(call), NULL, 100);
  if (data == NULL) return csp_panic_memory(call);
  return csp_block_slow(call, read_pipe, end_read, data);
}
static const CspFunction sticks[] = {{"stick", "", stick}, {NULL, NULL, NULL}};

static size_t live_blocks(void) {
  pthread_mutex_lock(&heap.lock);
  size_t live = heap.live;
  pthread_mutex_unlock(&heap.lock);
  return live;
}

static void a_stuck_thread_frees_it(void **state) {
  (void)state;
  assert_int_equal(pipe(stuck_pipe), 0);
  Csp *csp = open_with(false, sticks);
  run(csp, "import \"os\"\ngo stick()\nsleep(20ms)\nos.exit(0)");
  assert_int_equal(csp_free(csp), 1);
  assert_true(live_blocks() > 0);
  assert_int_equal(write(stuck_pipe[1], "x", 1), 1);
  while (live_blocks() > 0) usleep(1000);
  expect_nothing_left();
  close(stuck_pipe[0]);
  close(stuck_pipe[1]);
}

static CspStatus posted(CspCall *call, void *data) {
  (void)data;
  return csp_ok_nothing(call);
}

// (Posts wait in memory until the runtime comes to them: no more of them than
// the table has places for.)
static void *posts(void *door) {
  for (Csp *csp; (csp = csp_enter(door)) != NULL;) {
    if (live_blocks() < TABLE / 2) csp_post(csp, posted, NULL, NULL);
    csp_leave(door);
  }
  csp_door_free(door);
  return NULL;
}

// A post that is refused is freed before the memory may be gone.
static void posts_race_with_the_end(void **state) {
  (void)state;
  for (int n = 0; n < 30; n++) {
    Csp *csp = open_with(false, NULL);
    pthread_t thread;
    ours = true;
    assert_int_equal(pthread_create(&thread, NULL, posts, csp_door(csp)), 0);
    ours = false;
    run(csp, "sleep(1ms)");
    assert_int_equal(csp_free(csp), 0);
    pthread_join(thread, NULL);
    expect_nothing_left();
  }
}

// --- Without memory ---------------------------------------------------------
static void csp_new_fails_at_each_block(void **state) {
  (void)state;
  for (size_t n = 1;; n++) {
    heap.calls = 0;
    heap.fails_at = n;
    Csp *csp = open_runtime(n % 2);
    heap.fails_at = 0;
    if (csp == NULL) assert_int_equal(errno, ENOMEM);
    bool whole = csp != NULL && heap.calls < n;
    assert_int_equal(csp_free(csp), 0);
    expect_nothing_left();
    if (whole) return;
  }
}

enum { EACH = 23 };  // so many blocks on

static void runs_end_when_it_fails(void **state) {
  (void)state;
  static const char script[] =
      "import \"fmt\"\nout := chan()\n"
      "for i in 5 { go { out <- fmt.sprintf(\"%d\", i) } }\n"
      "for i in 5 { println(<-out) }\n_, err := try(func() => [][1])\n"
      "println(err)";
  bool failed = true;
  for (size_t n = 1; failed; n += EACH) {
    Csp *csp = open_runtime(n % 2);
    csp_install_language(csp);
    heap.calls = 0;
    heap.fails_at = n;
    heap.fails_always = n % 3 == 0;
    if (csp_install_library(csp)) run(csp, script);
    failed = heap.calls >= n;
    heap.fails_at = 0;
    assert_int_equal(csp_free(csp), 0);
    expect_nothing_left();
  }
}

// --- Where blocks end -------------------------------------------------------
#if defined(__SANITIZE_ADDRESS__)
#define SEES_OVERFLOWS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEES_OVERFLOWS 1
#endif
#endif

#ifdef SEES_OVERFLOWS
static void expect_death(int at) {
  pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    volatile char *block = mem_alloc(&mem_libc, 24);
    block[at] = 1;
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void the_sanitizer_sees_the_ends_of_blocks(void **state) {
  (void)state;
  expect_death(24);
  expect_death(-1);
  expect_death(-16);
}
#endif

static void lines_are_aligned(void **state) {
  (void)state;
  Memory memory = {checked, &heap};
  void *blocks[40];
  for (size_t n = 0; n < 40; n++) {
    blocks[n] = mem_lines(&memory, n * 13);
    assert_int_equal((uintptr_t)blocks[n] % 64, 0);
    memset(blocks[n], 1, n * 13);
  }
  for (size_t n = 0; n < 40; n++) mem_free_lines(blocks[n]);
  mem_free_lines(NULL);
  expect_nothing_left();
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin)
  const struct CMUnitTest tests[] = {
      TEST(a_runtime_is_of_the_hosts_memory),
      TEST(concurrent_scripts_are),
      TEST(panics_are),
      TEST(compile_errors_are),
      TEST(the_library_is),
      TEST(lost_natives_are),
      TEST(files_and_programs_are),
      TEST(unloaded_code_is_given_back),
      TEST(sessions_are),
      TEST(texts_for_the_host_are_malloced),
      TEST(natives_may_use_it),
      TEST(wakers_and_doors_keep_the_memory),
      TEST(a_stuck_thread_frees_it),
      TEST(posts_race_with_the_end),
      TEST(csp_new_fails_at_each_block),
      TEST(runs_end_when_it_fails),
      TEST(lines_are_aligned),
#ifdef SEES_OVERFLOWS
      TEST(the_sanitizer_sees_the_ends_of_blocks),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
