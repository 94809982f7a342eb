// SPDX-License-Identifier: MIT
// A read of an open file is ended at each of its steps: it is cancelled, its
// file is closed, the time limit interrupts it, or the runtime ends. Then the
// file has lost nothing, and gives nothing twice: what the reader got and what
// the next one gets are the whole text, in its order. No descriptor stays open.
//
// A step is a csp_step of a microsecond. So the goroutines take turns
// at each piece and each wait. The text is longer than the file's buffer, than
// a pipe and than the first rooms of a read.
// small: CSPDEBUG=gcstress=31
#include <signal.h>

#include "descriptors.h"
#include "embed_fixture.h"

static const char script[] =
    "import \"os\"\n"
    "import \"sched\"\n"
    "dir := os.temp_dir()?\n"
    "fifo := dir + \"/fifo\"\n"
    "os.run(\"mkfifo\", [fifo])?\n"
    "func numbers(n) {\n"
    "  out := []\n"
    "  for i in n { out.push(\"0\".repeat(80 - len(str(i))) + str(i)) }\n"
    "  return out.join(\"\")\n"
    "}\n"
    "text := numbers(20000) + \"\\r\\nlast\\n\"\n"
    "os.write_file(dir + \"/file\", text)?\n"
    "\n"
    "func later(err) => err != nil && str(err).contains(\"try again\")\n"
    "func feed() {\n"
    "  out := os.open(fifo, \"w\")?\n"
    "  fed = false\n"
    "  defer {\n"
    "    _ = out.close()\n"
    "    fed = true\n"
    "  }\n"
    "  for i in 33 {\n"
    "    part := text[i * 50000:min(i * 50000 + 50000, len(text))]\n"
    "    for later(out.write(part)) { sleep(1us) }\n"
    "    for later(out.flush()) { sleep(1us) }\n"
    "  }\n"
    "}\n"
    "\n"
    "file := nil\n"
    "reading := nil\n"
    "got := nil\n"
    "err := nil\n"
    "over := false\n"
    "ended := false\n"
    "fed := true\n"
    "reads := [\n"
    "  func() => file.read_line(),\n"
    "  func() => file.read_all(),\n"
    "  func() => file.read(1200000),\n"
    "  func() => file.read_bytes(1500001)\n"
    "]\n"
    "func read(n) {\n"
    "  text, failed := reads[n % 4]()\n"
    "  got = text\n"
    "  err = failed\n"
    "  over = true\n"
    "  return n\n"
    "}\n"
    "func or_panic(failed) {\n"
    "  if failed != nil { panic(failed) }\n"
    "}\n"
    "func open_one(n) {\n"
    "  got = nil\n"
    "  err = nil\n"
    "  over = false\n"
    "  reading = nil\n"
    "  ended = false\n"
    "  if n < 4 {\n"
    "    file = os.open(dir + \"/file\")?\n"
    "  } else {\n"
    "    file = os.open(fifo)?\n"
    "    go feed()\n"
    "    for fed { sched.yield() }\n"
    "  }\n"
    "}\n"
    "func open(n) {\n"
    "  or_panic(open_one(n))\n"
    "  return n\n"
    "}\n"
    "func begin(n) {\n"
    "  open(n)\n"
    "  go {\n"
    "    defer { ended = true }\n"
    "    group g {\n"
    "      reading = g\n"
    "      go { read(n) }\n"
    "    }\n"
    "  }\n"
    "  return n\n"
    "}\n"
    "func is_over(n) {\n"
    "  if over { return 1 }\n"
    "  return 0\n"
    "}\n"
    "\n"
    "writer := nil\n"
    "came := \"\"\n"
    "func write(n) {\n"
    "  if n == 0 { err = writer.write(text) }\n"
    "  if n == 1 { err = writer.write(text[0:9], bytes(text[9:]), text) }\n"
    "  if n == 2 { err = os.append_file(fifo, text) }\n"
    "  if n == 3 { err = os.copy_file(dir + \"/file\", fifo) }\n"
    "  for n < 2 && err == nil && later(writer.flush()) { sleep(1us) }\n"
    "  if err != nil { _ = writer.close() }\n"
    "  over = true\n"
    "}\n"
    "func open_both() {\n"
    "  file = os.open(fifo)?\n"
    "  writer = os.open(fifo, \"w\")?\n"
    "}\n"
    "func begin_write(n) {\n"
    "  over = false\n"
    "  ended = false\n"
    "  reading = nil\n"
    "  or_panic(open_both())\n"
    "  came = \"\"\n"
    "  err = nil\n"
    "  go {\n"
    "    defer { ended = true }\n"
    "    group g {\n"
    "      reading = g\n"
    "      go { write(n) }\n"
    "    }\n"
    "  }\n"
    "  return n\n"
    "}\n"
    // The writers of n >= 2 have a file of their own.
    "func all_of(n) {\n"
    "  if n == 1 { return text + text }\n"
    "  return text\n"
    "}\n"
    "func cancel_write(n) {\n"
    "  for reading == nil { sleep(1us) }\n"
    "  reading.cancel()\n"
    "  for !ended { sleep(1us) }\n"
    "  _ = writer.close()\n"
    "  return begins(n)\n"
    "}\n"
    "func begins(n) {\n"
    "  came += file.read_all()?\n"
    "  assert(all_of(n).has_prefix(came))\n"
    "  assert(!over || err != nil || came == all_of(n))\n"
    "  assert(n >= 2 || len(came) == writer.written()?)\n"
    "  file.close()?\n"
    "  return n, nil\n"
    "}\n"
    "func close_write(n) {\n"
    "  if n >= 2 { return cancel_write(n) }\n"
    "  closed := writer.close()\n"
    "  for later(closed) {\n"
    "    came += file.read(1000)?\n"
    "    closed = writer.close()\n"
    "  }\n"
    "  for !ended { sleep(1us) }\n"
    "  return begins(n)\n"
    "}\n"
    "func let_write(n) {\n"
    "  for len(came) < len(all_of(n)) {\n"
    "    came += file.read(min(50000, len(all_of(n)) - len(came)))?\n"
    "  }\n"
    "  for !ended { sleep(1us) }\n"
    "  assert(err == nil)\n"
    "  assert(came == all_of(n))\n"
    "  writer.close()\n"
    "  file.close()?\n"
    "  return n, nil\n"
    "}\n"
    "func remove(n) {\n"
    "  or_panic(os.remove_all(dir))\n"
    "  return n\n"
    "}\n"
    "func cancel(n) {\n"
    "  for reading == nil { sleep(1us) }\n"
    "  reading.cancel()\n"
    "  for !ended { sleep(1us) }\n"
    "  return rest(n)\n"
    "}\n"
    // The whole text came, once.
    "func rest(n) {\n"
    "  assert(err == nil)\n"
    "  before := \"\"\n"
    "  if got != nil { before = str(got) }\n"
    "  if n % 4 == 0 && got != nil { before += \"\\r\\n\" }\n"
    "  after := file.read_all()?\n"
    "  assert(len(before) + len(after) == len(text))\n"
    "  assert(before + after == text)\n"
    "  return finish(n), nil\n"
    "}\n"
    "func finish(n) {\n"
    "  _ = file.close()\n"
    "  for !fed { sleep(1us) }\n"
    "  return n\n"
    "}\n"
    "func close(n) {\n"
    "  file.close()?\n"
    "  for !ended { sleep(1us) }\n"
    "  assert(got != nil || str(err).contains(\"the file is closed\"))\n"
    "  return finish(n), nil\n"
    "}\n";

// Four reads are of a regular file, and four of a FIFO.
enum { READS = 8, WRITES = 4 };

// The steps that were made before the read was over, at most so many.
static int take_steps(Host *host, CspHandle module, int most) {
  int steps = 0;
  while (steps < most && call_int(host, module, "is_over", 0) == 0) {
    csp_step(host->csp, 1000);
    steps++;
  }
  return steps;
}

// Ends the read after each number of steps that leaves it something to do.
static void end_each(const char *ends) {
  Host host;
  int before = open_descriptors();
  open_host(&host, STEPPED);
  CspHandle module = load(&host, script);
  for (int n = 0; n < READS; n++) {
    int steps = 0;
    do {
      call_int(&host, module, "begin", n);
      int taken = take_steps(&host, module, steps);
      call_int(&host, module, ends, n);
      if (taken < steps) break;
      steps += 1 + steps / 16;
    } while (true);
  }
  call_int(&host, module, "remove", 0);
  close_host(&host);
  assert_int_equal(open_descriptors(), before);
}

static void a_cancelled_read_loses_nothing(void **state) {
  (void)state;
  end_each("cancel");
}

static void a_closed_file_ends_its_read(void **state) {
  (void)state;
  end_each("close");
}

static void end_writes(const char *ends) {
  Host host;
  int before = open_descriptors();
  open_host(&host, STEPPED);
  CspHandle module = load(&host, script);
  for (int n = 0; n < WRITES; n++) {
    for (int steps = 0; steps < 40; steps += 1 + steps / 4) {
      call_int(&host, module, "begin_write", n);
      take_steps(&host, module, steps);
      call_int(&host, module, ends, n);
    }
  }
  call_int(&host, module, "remove", 0);
  close_host(&host);
  assert_int_equal(open_descriptors(), before);
}

// It failed when it had written what the FIFO takes, and nobody knew how much.
// So did a copy.
static void a_write_that_has_begun_waits_for_room(void **state) {
  (void)state;
  end_writes("let_write");
}

static void a_cancelled_write_is_a_beginning(void **state) {
  (void)state;
  end_writes("cancel_write");
}

static void a_closed_file_ends_its_write(void **state) {
  (void)state;
  end_writes("close_write");
}

// The limit grows until the read is over before.
static void interrupt_each(Host *host, CspHandle module, int n) {
  CspResult result = {.end = CSP_THREW};
  for (int64_t ns = 1000; result.end != CSP_DONE; ns += ns / 4) {
    CspCall *call = csp_host(host->csp);
    call_int(host, module, "open", n);
    csp_limit_time(host->csp, ns);
    CspValue arg = csp_int(call, n);
    csp_call(call, member(host, module, "read"), 1, &arg, &result);
    csp_limit_time(host->csp, 0);
    csp_result_free(&result);
    call_int(host, module, "rest", n);
  }
}

static void an_interrupted_read_loses_nothing(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  CspHandle module = load(&host, script);
  for (int n = 0; n < READS; n++) interrupt_each(&host, module, n);
  call_int(&host, module, "remove", 0);
  close_host(&host);
}

static void a_runtime_ends_in_a_read(void **state) {
  (void)state;
  int before = open_descriptors();
  bool over = false;
  for (int steps = 0; !over; steps += 1 + steps / 2) {
    Host host;
    over = true;
    for (int n = 0; n < READS; n += 3) {
      open_host(&host, STEPPED);
      CspHandle module = load(&host, script);
      call_int(&host, module, "begin", n);
      over &= take_steps(&host, module, steps) < steps;
      call_int(&host, module, "remove", 0);
      close_host(&host);
    }
    assert_int_equal(open_descriptors(), before);
  }
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);  // the FIFO's reader is gone
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cancelled_read_loses_nothing),
      cmocka_unit_test(a_closed_file_ends_its_read),
      cmocka_unit_test(an_interrupted_read_loses_nothing),
      cmocka_unit_test(a_runtime_ends_in_a_read),
      cmocka_unit_test(a_write_that_has_begun_waits_for_room),
      cmocka_unit_test(a_cancelled_write_is_a_beginning),
      cmocka_unit_test(a_closed_file_ends_its_write),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
