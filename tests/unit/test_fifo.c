// SPDX-License-Identifier: MIT
// A stepped runtime waits for no FIFO, pipe or lease, neither in a script's
// calls nor at its end. (Where it did, these tests would not come back.)
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embed_fixture.h"

typedef struct Fifo {
  Host host;
  char folder[32], path[64];
} Fifo;

static void open_fifo(Fifo *fifo) {
  open_host(&fifo->host, STEPPED);
  strcpy(fifo->folder, "/tmp/csp_fifo_XXXXXX");
  assert_non_null(mkdtemp(fifo->folder));
  snprintf(fifo->path, sizeof fifo->path, "%s/fifo.csp", fifo->folder);
  assert_int_equal(mkfifo(fifo->path, 0600), 0);
}

static void close_fifo(Fifo *fifo) {
  close_host(&fifo->host);
  unlink(fifo->path);
  rmdir(fifo->folder);
}

// The script's path is the FIFO's `path`.
static CspHandle load_with(Fifo *fifo, const char *text) {
  char *whole;
  assert_true(asprintf(&whole, "import \"os\"\npath := \"%s\"\n%s", fifo->path,
                       text) > 0);
  CspHandle module = load(&fifo->host, whole);
  free(whole);
  return module;
}

static void expect_out(Fifo *fifo, const char *text) {
  assert_string_equal(fifo->host.out, text);
  fifo->host.out[0] = '\0';
}

static const char does_not_wait[] = "a stepped runtime does not wait for that";

// --- Opening ----------------------------------------------------------------
static void nobody_reads_the_fifo(void **state) {
  (void)state;
  Fifo f;
  open_fifo(&f);
  load_with(&f,
            "func see(err) {\n"
            "  println(\"${err}\".contains(\"does not wait for that\"))\n"
            "}\n"
            "_, err := os.open(path, \"w\")\n"
            "see(err)\n"
            "see(os.write_file(path, \"text\"))\n"
            "see(os.append_file(path, \"text\"))\n"
            "see(os.copy_file(\"/dev/zero\", path))\n");
  expect_out(&f, "true\ntrue\ntrue\ntrue\n");
  close_fifo(&f);
}

static void nobody_writes_the_fifo(void **state) {
  (void)state;
  Fifo f;
  open_fifo(&f);
  load_with(&f,
            "println(os.read_file(path))\n"
            "file, err := os.open(path)\n"
            "println(err, file.close())\n");
  expect_out(&f, " nil\nnil nil\n");
  int end = open(f.path, O_RDWR);
  assert_true(end >= 0);
  load_with(&f,
            "_, err := os.read_file(path)\n"
            "println(err)\n");
  assert_non_null(strstr(f.host.out, does_not_wait));
  close(end);
  close_fifo(&f);
}

// The one whose turn it is not parks: the step ends, a call can be interrupted
// and its time be limited.
static void two_readers_of_one_fifo(void **state) {
  (void)state;
  Fifo f;
  CspResult result;
  open_fifo(&f);
  int end = open(f.path, O_RDWR);
  assert_true(end >= 0);
  load_with(&f,
            "f := os.open(path)?\n"
            "for i in 2 { go { println(f.read_line()) } }\n");
  assert_int_equal(csp_step(f.host.csp, -1), CSP_IDLE);
  csp_limit_time(f.host.csp, 20 * 1000000);
  char *text;
  assert_true(asprintf(&text,
                       "import \"os\"\nf := os.open(\"%s\")?\n"
                       "go f.read_line()\nsleep(1ms)\nf.read_line()",
                       f.path) > 0);
  assert_int_equal(
      csp_load(csp_host(f.host.csp), "s.csp", text, strlen(text), &result),
      CSP_INTERRUPTED);
  csp_result_free(&result);
  free(text);
  csp_limit_time(f.host.csp, 0);
  close(end);
  close_fifo(&f);
}

// Fault: one that nobody writes was an empty module.
static void a_module_is_no_fifo(void **state) {
  (void)state;
  Fifo f;
  const char *text = "import \"./fifo\"\n";
  char *message, script[64];
  open_fifo(&f);
  snprintf(script, sizeof script, "%s/s.csp", f.folder);
  for (int written = 0; written < 2; written++) {
    int end = written ? open(f.path, O_RDWR) : -1;
    assert_true(end >= 0 || !written);
    assert_false(csp_check(f.host.csp, script, text, strlen(text), &message));
    assert_non_null(strstr(message, "fifo.csp: it is not a regular file\n"));
    free(message);
    if (end >= 0) close(end);
  }
  close_fifo(&f);
}

// The kernel would let an open wait for some 45 s.
static void another_process_has_a_lease(void **state) {
  (void)state;
  Fifo f;
  open_fifo(&f);
  unlink(f.path);
  int end = open(f.path, O_RDWR | O_CREAT, 0600);
  assert_true(end >= 0);
  fcntl(end, F_SETSIG, SIGURG);  // which nobody handles, and which ends nothing
  bool leased = fcntl(end, F_SETLEASE, F_WRLCK) == 0;
  if (leased) {
    load_with(
        &f,
        "_, err := os.read_file(path)\n"
        "println(err.code, err.message.contains(\"has a lease on it\"))\n"
        "err = os.write_file(path, \"text\")\n"
        "println(err.code, err.message.contains(\"has a lease on it\"))\n");
    fcntl(end, F_SETLEASE, F_UNLCK);
    load_with(&f,
              "println(os.write_file(path, \"text\"))\n"
              "println(os.read_file(path)?)\n");
    expect_out(&f, "busy true\nbusy true\nnil\ntext\n");
  }
  close(end);
  close_fifo(&f);
  if (!leased) skip();  // this file system has no leases
}

// --- Writing ----------------------------------------------------------------
static size_t drain(int fd, size_t most) {
  static char block[4096];
  size_t got = 0;
  while (got < most) {
    ssize_t n = read(fd, block, sizeof block);
    if (n <= 0) break;
    got += (size_t)n;
  }
  return got;
}

static const char filling[] =
    "func fill() {\n"
    "  file, err := os.open(path, \"w\")\n"
    "  assert(err == nil)\n"
    "  piece := \"0123456789\".repeat(100)\n"
    "  taken := 0\n"
    "  for {\n"
    "    err = file.write(piece)\n"
    "    if err != nil { break }\n"
    "    taken += len(piece)\n"
    "  }\n"
    "  println(taken, \"${err}\".contains(\"does not wait\"))\n"
    "  assert(file.close() != nil)\n"
    "  return file\n"
    "}\n";

static CspHandle fill(Fifo *fifo, const char *how) {
  char *text;
  assert_true(asprintf(&text, "%s%s", filling, how) > 0);
  CspHandle module = load_with(fifo, text);
  free(text);
  return module;
}

// What is refused is not written, what is taken is not lost.
static void nobody_empties_the_pipe(void **state) {
  (void)state;
  Fifo f;
  open_fifo(&f);
  int end = open(f.path, O_RDONLY | O_NONBLOCK);
  assert_true(end >= 0);
  fill(&f, "file := fill()\n");
  size_t taken = strtoul(f.host.out, NULL, 10);
  assert_non_null(strstr(f.host.out, " true\n"));
  assert_true(taken > 65536);
  size_t got = drain(end, SIZE_MAX);
  assert_true(got > 0 && got < taken);
  // The rest comes at the end, where there is room for it.
  csp_free(f.host.csp);
  got += drain(end, SIZE_MAX);
  assert_int_equal(got, taken);
  assert_string_equal(f.host.err, "");
  close(end);
  unlink(f.path);
  rmdir(f.folder);
}

// It is told what was lost, whoever held the file.
static void the_end_waits_for_nobody(void **state) {
  (void)state;
  static const char *const ways[] = {
      "file := fill()\n",
      "import \"sched\"\nfill()\nsched.gc()\n",
      "fill()\n",
  };
  for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
    Fifo f;
    open_fifo(&f);
    int end = open(f.path, O_RDONLY | O_NONBLOCK);
    assert_true(end >= 0);
    fill(&f, ways[n]);
    csp_free(f.host.csp);
    assert_non_null(strstr(f.host.err, "cannot write"));
    assert_non_null(
        strstr(f.host.err, "nobody reads it, and a stepped runtime"));
    close(end);
    unlink(f.path);
    rmdir(f.folder);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_reads_the_fifo),
      cmocka_unit_test(nobody_writes_the_fifo),
      cmocka_unit_test(two_readers_of_one_fifo),
      cmocka_unit_test(a_module_is_no_fifo),
      cmocka_unit_test(another_process_has_a_lease),
      cmocka_unit_test(nobody_empties_the_pipe),
      cmocka_unit_test(the_end_waits_for_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
