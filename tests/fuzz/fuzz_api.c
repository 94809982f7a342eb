// SPDX-License-Identifier: MIT
// libFuzzer target: a host's calls of csp.h in any order. Each input byte is a
// call, those after it say with what. Values are kept as handles in slots, as
// csp.h wants it of a host; scripts (of a table, or the input's own text) call
// back into natives that call, wait, and end. A runtime is stepped, or runs one
// script on its threads; another thread of the host's posts, wakes, interrupts
// and releases meanwhile. All memory is counted, and may fail (api_memory.h).
// `tests/fuzz/run SECONDS` builds and runs it.
#include "tests/fuzz/api_natives.h"
#include "tests/fuzz/api_thread.h"
#include "tests/fuzz/gate.h"

enum { LIMIT_NS = 5000000 };

// --- Scripts ----------------------------------------------------------------
static const char *const scripts[] = {
    "import \"host\"\nimport \"values\"\nfunc f(n = 9) => "
    "values.again(n)\nfunc g() { m := {}; for i in 9 { v := values.vec(i)\n"
    "m[v] = v + v; v[i] = i }; return m }\nfunc back(v) { for x in v { "
    "host.keep(x) }; data, _ := values.packed(v); "
    "if data != nil { values.unpacked(data) }; return values.cbor(v) }\n",
    "import \"host\"\nimport \"values\"\nfunc f() { xs := []\nfor x in "
    "values.each(1, 2) { xs.push(values.vec(len(xs))) }\nreturn xs.sort() }\n"
    "func g() => host.go(f)\nfunc back(x) { host.work(); values.each(x, f) }\n",
    "import \"host\"\nfunc f() { go { host.block_fd() }\n"
    "return host.block_slow() }\nfunc g() => host.block_call(f)\n"
    "func back() => host.go_wait(func() => host.block_call(back))\n",
    "import \"host\"\nfunc f() { group g { go { host.told() }\n"
    "go { host.wait() }\ng.timeout(1ms) } }\nfunc g() => host.told()\n"
    "func back(x) { defer host.sleep(); return <-host.go(f, x) }\n",
    "import \"host\"\nfunc f(x = 1) => x\nfunc g(a, b) { return a + b, a }\n"
    "func back(f) => host.call(f, 1)\nfunc deep(n) => host.call(deep, n)\n",
    "import \"host\"\nstruct P { x, y = 2 }\nfunc (p P) sum() => p.x + p.y\n"
    "f := P\ng := func(p) => p.sum()\nback := P(1, [2])\n",
    "import \"host\"\nc := chan()\nt := go { for v in c { host.keep(v) } }\n"
    "func f(v) { c <- v }\nfunc g() => <-t\nfunc back() { close(c) }\n",
    "import \"host\"\nfunc f() { go { host.keep(host.wait()) } }\n"
    "func g() => host.wait()\nfunc back(c) { host.send(c, host.recv(c)) }\n",
    "import \"host\"\nfunc f() { group g { g.timeout(1ms); go { sleep(1h) } } "
    "}\n"
    "func g() { for { } }\nfunc back(f) { defer f(1); panic(\"no\") }\n",
    "import \"host\"\nfunc f(x) { defer host.call(g); return host.block() }\n"
    "func g() { xs := []; for { xs.push([xs, \"x\".repeat(99)]) } }\n"
    "func back(v) => host.tail(back, host.tail(f, v))\n",
    "import \"host\"\nimport \"os\"\nfunc f() { os.exit(3) }\n"
    "func g() { host.stop(); host.yield(); return 1 }\nback := 1 << 62\n",
    "func f(n) { if n is int && n > 0 { return f(n - 1) }; return n }\n"
    "func g(x) => str(x)\nfunc back(xs...) { select { case v := <-after(1us):"
    " return v } }\nx := f(1000)\n",
    "import \"host\"\nfunc f(s = \"aba\") => [host.text(s), host.find(s, "
    "\"a\"),"
    " host.format(s), s.middle(), host.args()]\nfunc g() => [host.load(), "
    "host.state()]\nfunc back(a, b) => [host.order(a, b), host.lists(a, b)]\n",
    "import \"host\"\nimport \"os\"\nfunc f(n = 7) { for i in 40 { "
    "host.paths(n "
    "* i) } }\nfunc g() => os.read_file(\"d/../a\")\nfunc back(p) { "
    "host.write(str(p)); os.chdir(\"d\"); return os.list_dir(p) }\n",
    "import \"host\"\nfunc f() { group g { g.timeout(1ms)\ngo { "
    "host.block_after() }\nhost.block_after() } }\nfunc g() { go f()\n"
    "return host.block_after() }\nfunc back() => host.call(g)\n",
    "import \"host\"\nfunc f() { go { host.block_fd() }\ngo { "
    "host.wait_end() }\nhost.block_fd() }\nfunc g() { defer host.wait_end(); "
    "host.exit() }\nfunc back(m) => [host.clear(m), host.number(m)]\n",
    "import \"host\"\nfunc f(n = 70001, left = 7) => [host.room(n, left), "
    "host.room_later(n + 1, left)]\nfunc g() { xs := []; for i in 40 { "
    "xs.push(host.room(i * 30001, i * 999)); go host.room_later(i * 7777, i) } "
    "}\nfunc back(v) { b := host.room_later(v, 3); b.push(1); return f(v, v) "
    "}\n",
    "import \"host\"\nimport \"sync\"\nstruct E { at }\nfunc (e E) error() => "
    "\"${e.at}\"\nm := sync.mutex()\nlatch := sync.latch(2)\nfew := "
    "sync.semaphore(2)\nfunc f(x = 1) { m.lock(); defer m.unlock(); "
    "return (x, m, few) }\nfunc g() { group g { g.timeout(1ms); go "
    "latch.wait(); go few.with(f); latch.done() }; return E(few) }\n"
    "func back(v) { n := map(default: (v,)); n[v] = E(m); return n[v], "
    "host.call(g) }\n",
    "import \"host\"\nfunc use(a) { for i in 3 { host.link_read(a) } }\n"
    "func f() { a, b, ok := host.link(); group g { g.timeout(1ms); go use(a)\n"
    "go use(a); go host.link_write(b); go use(b); go host.link_close(a) } }\n"
    "func g() { a, b, ok := host.link(); go use(a); go host.link_write(a)\n"
    "go use(a); host.link_write(b); go host.link_close(a); return [a, b] }\n"
    "func back(x) { go use(x); go host.link_read(x); host.link_close(x) }\n",
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };
static const char *const names[] = {"f",   "g", "back", "deep", "x", "y",
                                    "sum", "c", "t",    "",     "P", "middle"};
enum { NAMES = sizeof names / sizeof *names };

static const char *name(Host *host) { return names[byte(host) % NAMES]; }

// --- What the host does -----------------------------------------------------
static void take_result(Host *host, CspCall *call, CspResult *result) {
  host->ran |= result->end == CSP_DONE;
  if (result->end != CSP_ENDED) keep(host, call, result->values[0]);
  csp_result_free(result);
}

static void do_load(Host *host, CspCall *call) {
  CspResult result;
  uint8_t which = byte(host);
  size_t len;
  const char *source;
  if (which < 192) {
    source = scripts[which % SCRIPTS];
    len = strlen(source);
  } else {
    source = text(host, &len);
  }
  csp_load(call, "fuzz.csp", source, len, &result);
  take_result(host, call, &result);
}

static void do_call(Host *host, CspCall *call) {
  CspValue function = slot(host, call), args[3];
  int argc = byte(host) % 4;
  for (int i = 0; i < argc; i++) args[i] = slot(host, call);
  CspResult result;
  csp_call(call, function, argc, args, &result);
  take_result(host, call, &result);
}

static void do_go(Host *host, CspCall *call) {
  CspValue function = slot(host, call), x = slot(host, call);
  keep(host, call, csp_go(call, function, byte(host) & 1, &x, task_over, NULL));
}

static void do_cbor(Host *host, CspCall *call) {
  size_t len, used;
  char *error = NULL, *made = NULL;
  const char *data;
  CspValue v = slot(host, call);
  if (byte(host) & 1) {
    made = csp_to_cbor(call, v, byte(host) * 100u, &len, &error);
    data = made;
  } else {
    data = text(host, &len);
  }
  free(error);
  error = NULL;
  if (data != NULL && csp_from_cbor(call, data, len, &used, &v, &error))
    keep(host, call, v);
  free(error);
  free(made);
}

// A native of the table, as scripts call it.
static void do_native(Host *host, CspCall *call) {
  CspValue function = csp_builtin(call, texts[byte(host) % TEXTS].name);
  CspValue args[2] = {slot(host, call), slot(host, call)};
  CspResult result;
  if (csp_is_undef(function)) return;
  csp_call(call, function, byte(host) % 3, args, &result);
  take_result(host, call, &result);
}

// Nothing holds the scripts any more, but what runs.
static void do_unload(Host *host, CspCall *call) {
  for (int i = 0; i < SLOTS; i++) release_one(host, host->csp, i);
  csp_collect(call);
}

static void do_task(Host *host, CspCall *call) {
  CspValue task = slot(host, call);
  CspResult result;
  if (csp_type(task) != CSP_TASK) return;
  if (csp_task_done(call, task, &result)) keep(host, call, result.values[0]);
  csp_result_free(&result);
}

static void do_new_struct(Host *host, CspCall *call) {
  CspValue type = slot(host, call),
           args[2] = {slot(host, call), slot(host, call)};
  const char *fields[2] = {byte(host) & 1 ? name(host) : NULL,
                           byte(host) & 1 ? name(host) : NULL};
  CspResult result;
  csp_new_struct(call, type, byte(host) % 3, args, fields, &result);
  take_result(host, call, &result);
}

static void do_make(Host *host, CspCall *call) {
  size_t len;
  const char *data;
  CspValue v = csp_nil();
  switch (byte(host) % 14) {
    case 0:
      v = csp_int(call, number(host));
      break;
    case 1:
      v = csp_float(call, real(host));
      break;
    case 2:
      data = text(host, &len);
      v = csp_string(call, data, len);
      break;
    case 3:
      data = text(host, &len);
      v = csp_bytes(call, data, len);
      break;
    case 4:
      len = byte(host);  // of 32 on the list grows in place
      v = csp_list_growing(call, len, len << 12);
      break;
    case 5:
      v = csp_map(call, byte(host));
      break;
    case 6:
      v = csp_chan(call, (uint32_t)(byte(host) * byte(host)));
      break;
    case 7: {
      int64_t from = number(host);
      v = csp_range(call, from, number(host));
      break;
    }
    case 8: {
      CspValue message = slot(host, call), cause = slot(host, call);
      bool coded =
          csp_type(message) == CSP_STRING || csp_type(message) == CSP_INT;
      v = coded ? csp_error_coded(call, message, cause, message)
                : csp_error(call, message, cause);
      break;
    }
    case 9:
      v = csp_builtin(call, names[byte(host) % NAMES]);
      break;
    case 10:
      v = csp_bool(byte(host) & 1);
      break;
    case 11:
      v = vec_new(call, number(host));
      break;
    case 12: {
      CspValue parts[2] = {slot(host, call), slot(host, call)};
      v = csp_tuple(call, parts, byte(host) % 3);
      break;
    }
    case 13:
      v = room_of_host(host, call);
      break;
    default:
      break;
  }
  keep(host, call, v);
}

static void do_list(Host *host, CspCall *call) {
  CspValue list = slot(host, call), v = slot(host, call);
  if (csp_type(list) != CSP_LIST) return;
  size_t len = csp_list_len(list), at = byte(host);
  switch (byte(host) % 5) {
    case 0:
      if (len < 1000) csp_list_push(call, list, v);
      break;
    case 1:
      if (at < len) csp_list_set(call, list, at, v);
      break;
    case 2:
      keep(host, call, csp_list_get(list, at));
      break;
    case 3:
      if (at <= len && len < 1000) csp_list_insert(call, list, at, v);
      break;
    default:
      if (at < len)
        csp_list_remove(call, list, at, byte(host) % (len - at + 1));
  }
}

static void do_map(Host *host, CspCall *call) {
  CspValue map = slot(host, call), key = slot(host, call), v = slot(host, call);
  bool found;
  if (csp_type(map) != CSP_MAP) return;
  CspIter iter = {{0}};
  switch (byte(host) % 6) {
    case 0:
      csp_map_set(call, map, key, v);
      break;
    case 1:
      if (csp_map_get(call, map, key, &v)) keep(host, call, v);
      break;
    case 2:
      csp_map_delete(call, map, key, &found);
      break;
    case 3:
      csp_map_set_name(call, map, name(host), v);
      break;
    case 4:
      if (csp_map_get_name(call, map, name(host), &v)) keep(host, call, v);
      break;
    default:
      while (csp_map_next(call, map, &iter, &key, &v)) keep(host, call, v);
  }
}

static void do_chan(Host *host, CspCall *call) {
  CspValue c = slot(host, call), v = slot(host, call);
  if (csp_type(c) != CSP_CHAN) return;
  switch (byte(host) % 3) {
    case 0:
      csp_try_send(call, c, v);
      break;
    case 1:
      if (csp_try_recv(call, c, &v)) keep(host, call, v);
      break;
    default:
      csp_close(call, c);
  }
}

static void do_look(Host *host, CspCall *call) {
  CspValue v = slot(host, call), w = slot(host, call), out;
  int64_t from, to, step;
  bool flag;
  size_t len;
  char buffer[8];
  csp_compare(v, w);
  csp_equal(v, w);
  csp_type_name(v);
  csp_truthy(v);
  csp_range_get(v, &from, &to, &flag, &step);
  if (csp_field(v, name(host), &out)) keep(host, call, out);
  if (csp_field_at(v, byte(host) % 8, &out) != NULL) keep(host, call, out);
  csp_set_field(call, v, name(host), w);
  if (csp_method(call, v, name(host), &out)) keep(host, call, out);
  if (csp_type(v) == CSP_MODULE && csp_member(call, v, name(host), &out))
    keep(host, call, out);
  if (csp_is_error(v)) {
    keep(host, call, csp_error_cause(v));
    keep(host, call, csp_error_code(v));
    keep(host, call, csp_error_trace(call, v));
  }
  if (csp_type(v) == CSP_BYTES) {
    csp_bytes_read(v, byte(host), buffer, sizeof buffer);
    csp_bytes_write(v, byte(host), buffer, byte(host) % 8);
    if (csp_bytes_len(v) < 10000) csp_bytes_append(call, v, buffer, 8);
  }
  free(csp_format_most(call, v, byte(host) & 1, byte(host), &len, &flag));
}

static void do_look_on(Host *host) {
  uint64_t count;
  int status;
  csp_counter(host->csp, "steals", &count);
  csp_next(host->csp);
  csp_fd(host->csp);
  csp_ended(host->csp, &status);
  csp_flush_out(host->csp);
  if (csp_is_stepped(host->csp) != host->stepped) abort();
}

static void do_control(Host *host, CspCall *call) {
  switch (byte(host) % 15) {
    case 0:
      csp_collect(call);
      break;
    case 1:
      csp_interrupt(host->csp);
      break;
    case 2:
      csp_limit_time(host->csp, 1 + byte(host) * 20000);
      break;
    case 3:
      wake(host, byte(host) % WAKERS);
      break;
    case 4:
      post_one(host->csp);
      break;
    case 5:
      csp_keep(host->csp);
      host->kept++;
      break;
    case 6:
      if (host->kept) {
        host->kept--;
        csp_release_keep(host->csp);
      }
      break;
    case 7:
      free(csp_dump_goroutines(host->csp));
      break;
    case 8:
      do_look_on(host);
      break;
    case 9:
      helper_begin(host);
      break;
    case 10:
      do_unload(host, call);
      break;
    case 11:
      if (write(host->pipe[1], "x", 1) < 0) abort();
      break;
    case 12:
      do_task(host, call);
      break;
    case 13:
      helper_join(host);
      break;
    default:
      path_deed(host->csp, byte(host) * 7u);
  }
}

// false: the runtime has ended.
static bool turn(Host *host) {
  CspCall *call = csp_host(host->csp);
  if (call == NULL) return false;
  switch (byte(host) % 13) {
    case 0:
      do_load(host, call);
      break;
    case 1:
    case 2:
      do_call(host, call);
      break;
    case 3:
      do_make(host, call);
      break;
    case 4:
      do_list(host, call);
      break;
    case 5:
      do_map(host, call);
      break;
    case 6:
      do_chan(host, call);
      break;
    case 7:
      do_look(host, call);
      break;
    case 8:
      do_control(host, call);
      break;
    case 9:
      do_go(host, call);
      break;
    case 10:
      do_cbor(host, call);
      break;
    case 11:
      do_native(host, call);
      break;
    default:
      if (byte(host) & 1)
        do_new_struct(host, call);
      else
        csp_step(host->csp, byte(host) * 2000);
  }
  return true;
}

// --- A runtime's life -------------------------------------------------------
static void discard(void *arg, const char *data, size_t len) {
  (void)arg;
  (void)data;
  (void)len;
}

static void at_end(Csp *csp) {
  if (csp == NULL) abort();
}

static CspConfig configured(Host *host, uint8_t flags, uint8_t more) {
  static char *argv[] = {"first", "second"};
  CspConfig config;
  csp_config_init(&config);
  config.stepped = host->stepped = (flags & 96) != 96;
  config.procs = host->stepped ? 0 : 2;
  config.seed = 1;
  config.max_frames = flags & 1 ? 50 : 5000;
  config.max_stack = 1 << 20;
  config.max_memory = flags & 2 ? 2 << 20 : 16 << 20;
  config.max_goroutines = flags & 4 ? 3 : 1000;
  config.child_first = flags & 8;
  config.debug = flags & 16 ? "gcstress=5,poison=1" : NULL;
  config.write_out = config.write_err = discard;
  config.alloc = memory_alloc;
  config.alloc_arg = &host->memory;
  config.argc = more & 2 ? 2 : 0;
  config.argv = argv;
  config.root = more & 1 ? root_folder : NULL;
  config.allowed = more & 1 ? CSP_FILES : 0;
  return config;
}

static bool installed(Csp *csp) {
  csp_install_language(csp);
  return csp_install_library(csp) && csp_register(csp, &module) &&
         csp_register(csp, &values) &&
         csp_register_class(csp, &vec_class, vec_methods) &&
         csp_register_class(csp, &link_class, NULL) &&
         csp_register_builtins(csp, texts) &&
         csp_register_methods(csp, CSP_STRING, string_methods) &&
         csp_at_end(csp, at_end);
}

// Compiles one of the scripts before any runs.
static void look_at(Csp *csp, const char *script) {
  char *messages;
  free(csp_disassemble(csp, "fuzz.csp", script, strlen(script), &messages));
  free(messages);
  csp_check(csp, "fuzz.csp", script, strlen(script), &messages);
  free(messages);
}

// NULL: there was no memory for it.
static Csp *new_runtime(Host *host) {
  uint8_t flags = byte(host), more = byte(host);
  if (flags & 128) {
    unsigned first = byte(host);
    host->memory.first = 1 + first * first;
    host->memory.every = byte(host);
  }
  CspConfig config = configured(host, flags, more);
  Csp *csp = csp_new(&config);
  bool fine = csp != NULL && installed(csp);
  if (!fine && !memory_has_failed(&host->memory)) abort();
  if (fine && more & 4) look_at(csp, scripts[byte(host) % SCRIPTS]);
  if (fine) csp_limit_time(csp, LIMIT_NS);
  if (fine || csp == NULL) return csp;
  csp_free(csp);
  return NULL;
}

static void step_all(Host *host) {
  for (int turns = 0; host->in.at < host->in.end && turns < 300; turns++) {
    if (!turn(host)) break;
  }
  csp_step(host->csp, TURN_NS);
  for (int i = 0; i < WAKERS; i += 2) wake(host, i);
  csp_step(host->csp, TURN_NS);
  while (host->kept-- > 0) csp_release_keep(host->csp);
}

// Ends the run, whatever it does: with threads there is no limit of time.
static void *watchdog_main(void *arg) {
  CspDoor *door = arg;
  nanosleep(&(struct timespec){0, LIMIT_NS}, NULL);
  for (Csp *csp; (csp = csp_enter(door)) != NULL;) {
    csp_interrupt(csp);
    csp_leave(door);
    nanosleep(&(struct timespec){0, 100000}, NULL);
  }
  return NULL;
}

// A script on threads of the runtime's own; f, g and back are called.
static void run_threads(Host *host) {
  static const char calls[] =
      "\nfor f in [f, g, back, f, g] { _ = try(func() { go f() }); _ = try(f) "
      "}\n";
  char source[2048];
  int status;
  pthread_t watchdog;
  helper_begin(host);
  CspDoor *door = csp_door(host->csp);
  if (pthread_create(&watchdog, NULL, watchdog_main, door) != 0) abort();
  snprintf(source, sizeof source, "%s%s", scripts[byte(host) % SCRIPTS], calls);
  CspOutcome outcome =
      byte(host) & 1
          ? csp_run_test(host->csp, "fuzz.csp", source, strlen(source), "g",
                         &status)
          : csp_run(host->csp, "fuzz.csp", source, strlen(source), &status);
  host->ran = outcome != CSP_NOT_COMPILED;
  host->stuck = csp_free(host->csp);
  pthread_join(watchdog, NULL);
  csp_door_free(door);
}

// The runtime is freed.
static void end_rest(Host *host) {
  helper_end(host);
  for (int i = 0; i < WAKERS; i++) wake(host, i);
  memory_end(&host->memory, host->stuck != 0);
  pthread_mutex_destroy(&host->lock);
  close(host->pipe[0]);
  close(host->pipe[1]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  root_make();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Host host = {.in = {data, data + size}}, *h = current = &host;
  pthread_mutex_init(&h->lock, NULL);
  if (pipe2(h->pipe, O_NONBLOCK) != 0) abort();
  h->csp = new_runtime(h);
  if (h->csp != NULL && h->stepped) {
    step_all(h);
    h->stuck = csp_free(h->csp);
  } else if (h->csp != NULL) {
    run_threads(h);
  }
  gate(size, h->ran);
  end_rest(h);
  return 0;
}
