// SPDX-License-Identifier: MIT
// Runtimes: making, running a script, ending.
//
// A Csp owns a scheduler, a heap and a Vm. All work before csp_run happens on
// the calling thread with the Local of P 0 (vm->boot); csp_run makes the main
// goroutine and hands the thread to the scheduler until the program ends.
#include <stdlib.h>

#include "vm/runtime.h"

static const int64_t LINGER_NS = 50 * 1000 * 1000;

// --- Hooks of the scheduler -------------------------------------------------
static bool p_init(void *host, P *p) {
  Csp *csp = host;
  Local *local = calloc(1, sizeof *local);
  if (local == NULL) return false;
  heap_local_init(&local->heap, csp->vm.heap);
  local->vm = &csp->vm;
  local->p = p;
  p->local = local;
  return true;
}

static void p_free(void *host, P *p) {
  Local *local = local_of(p);
  if (local == NULL) return;
  ((Csp *)host)->balance += local->balance;
  heap_local_free(local);
  free(local);
  p->local = NULL;
}

static void idle(void *host) { vm_out_flush(&((Csp *)host)->vm); }
static void deadlock(void *host) { report_deadlock(&((Csp *)host)->vm); }
static void want_gc(void *host) { heap_want_gc(((Csp *)host)->vm.heap); }
static void barrier(void *host, P *p, uint64_t old_word, uint64_t new_word) {
  (void)host;
  Value slot = old_word;
  heap_barrier(p ? &local_of(p)->heap : NULL, &slot, new_word);
}

// --- Hooks of the heap ------------------------------------------------------
static void on_leak(void *arg, Goroutine *g) {
  Csp *csp = arg;
  if (!csp->leaks) return;
  Trace *trace = trace_capture(g);
  Text text = {0};
  if (trace != NULL) {
    text_addf(&text, "leaked: ");
    trace_print(&text, trace, g_wait_name((WaitReason)g->g.reason));
  }
  free(trace);
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

// What a goroutine that will never run again holds outside the heap.
static void release(void *arg, Goroutine *g) {
  (void)arg;
  panic_free_all(g);
  free(g->pending);
  g->pending = NULL;
}

static void free_trace(void *arg, void *trace) {
  (void)arg;
  free(trace);
}

void panic_mark(Panic *panic, GcMarker *m) {
  for (; panic != NULL; panic = panic->link) gc_mark(m, panic->value);
}

static void mark_failed(void *arg, GcMarker *m) {
  Csp *csp = arg;
  for (size_t n = 0; n < csp->failed_count; n++) gc_mark_obj(m, csp->failed[n]);
}

// --- Options ----------------------------------------------------------------
// X(name in CSPDEBUG, field)
#define DEBUG_OPTIONS(X)  \
  X("gcstress", gcstress) \
  X("leaks", leaks) X("poison", poison) X("schedstats", stats)

typedef struct DebugOptions {
#define X(name, field) long field;
  DEBUG_OPTIONS(X)
#undef X
} DebugOptions;

// "gcstress=1,leaks=1": unknown names are passed over.
static DebugOptions debug_options(const char *text) {
  DebugOptions options = {0};
  for (const char *s = text ? text : ""; *s;) {
    size_t len = strcspn(s, ",");
    size_t name = strcspn(s, "=,");
    long value = s[name] == '=' ? strtol(s + name + 1, NULL, 10) : 1;
#define X(text_, field)                                     \
  if (name == strlen(text_) && memcmp(s, text_, name) == 0) \
    options.field = value;
    DEBUG_OPTIONS(X)
#undef X
    s += len + (s[len] == ',');
  }
  return options;
}

static int wanted_procs(const CspConfig *config) {
  if (config->procs > 0) return config->procs;
  const char *text = getenv("CSPPROCS");
  long n = text ? strtol(text, NULL, 10) : 0;
  return n > 0 && n <= PROCS_MAX ? (int)n : 0;
}

void csp_config_init(CspConfig *config) {
  *config = (CspConfig){.debug = getenv("CSPDEBUG")};
}

// --- Making and freeing -----------------------------------------------------
static bool start(Csp *csp) {
  Vm *vm = &csp->vm;
  DebugOptions options = debug_options(csp->config.debug);
  vm->heap = heap_new(vm);
  if (vm->heap == NULL) return false;
  HeapHooks hooks = {csp, on_leak, release, free_trace};
  heap_set_hooks(vm->heap, &hooks);
  heap_set_stress(vm->heap, options.gcstress != 0,
                  options.gcstress != 0 || options.poison != 0);
  vm->safepoint_count =
      options.gcstress ? (int)options.gcstress : SAFEPOINT_COUNT;
  csp->leaks = options.leaks != 0;
  csp->stats = options.stats != 0;
  SchedConfig config = {
      .procs = wanted_procs(&csp->config),
      .max_threads = csp->config.max_threads,
      .seed = csp->config.seed,
      .empty_word = VALUE_NIL,
      .hooks = {csp, p_init, p_free, idle, deadlock, want_gc, barrier}};
  vm->sched = sched_new(&config);
  if (vm->sched == NULL) return false;
  vm->boot = local_of(sched_p(vm->sched, 0));
  vm->hash_seed = csp->config.seed ? csp->config.seed : rt_entropy();
  return heap_add_roots(vm->heap, mark_failed, csp) && boot_vm(csp);
}

Csp *csp_new(const CspConfig *config) {
  Csp *csp = calloc(1, sizeof *csp);
  if (csp == NULL) return NULL;
  csp->config = *config;
  Vm *vm = &csp->vm;
  vm->state = csp;
  csp->failed_lock.rank = RANK_TASKS;
  vm->stack_limit_bytes =
      config->max_stack ? config->max_stack : (uint64_t)256 << 20;
  vm->frame_limit = config->max_frames ? config->max_frames : 1000000;
  if (!output_init(csp) || !start(csp)) {
    csp_free(csp);
    return NULL;
  }
  return csp;
}

void csp_free(Csp *csp) {
  if (csp == NULL) return;
  Vm *vm = &csp->vm;
  vm_out_flush(vm);
  // Threads that are still in the kernel will touch it all when they return.
  if (csp->stuck > 0) return;
  if (vm->main != NULL) vm_each_goroutine(vm, release, NULL);
  if (vm->sched != NULL) sched_free(vm->sched);
  heap_free(vm->heap);
  host_methods_free(vm);
  proto_free_all(vm);
  free(vm->names);
  boot_free(csp);
  output_free(csp);
  free(csp);
}

VmCode *vm_code(Vm *vm) { return &runtime_of(vm)->code; }
Vm *csp_vm(Csp *csp) { return &csp->vm; }
Csp *vm_csp(Vm *vm) { return runtime_of(vm); }

// --- Running ----------------------------------------------------------------
static ObjClosure *compile(Csp *csp, const char *path, const char *text,
                           size_t len, bool warnings, char **messages) {
  // The lexer wants a zero byte behind the text.
  char *copy = malloc(len + 1);
  *messages = copy ? NULL : strdup("out of memory\n");
  if (copy == NULL) return NULL;
  memcpy(copy, text, len);
  copy[len] = '\0';
  CompileInput input = {
      .path = path, .text = copy, .len = len, .warnings = warnings};
  ObjClosure *script = csp->vm.compile(&csp->vm, &input, messages);
  free(copy);
  return script;
}

static void print_stats(Csp *csp) {
  SchedStats stats;
  sched_stats(csp->vm.sched, &stats);
  Text text = {0};
#define X(field, name) \
  text_addf(&text, "%-20s %llu\n", name, (unsigned long long)stats.field);
  SCHED_STATS(X)
#undef X
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

static void report_output_error(Csp *csp) {
  Text text = {0};
  text_addf(&text, "cspvm: cannot write standard output: %s\n",
            strerror(csp->out.error));
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

CspOutcome csp_run(Csp *csp, const char *path, const char *text, size_t len,
                   int *status) {
  Vm *vm = &csp->vm;
  char *messages;
  *status = CSP_NOT_COMPILED;
  ObjClosure *script = compile(csp, path, text, len, false, &messages);
  if (messages != NULL) output_error(csp, messages, strlen(messages));
  free(messages);
  if (script == NULL) return CSP_NOT_COMPILED;
  vm->main = goroutine_new(vm->boot, value_from_obj(script), NULL, 0);
  *status = CSP_FAILED;
  if (vm->main == NULL) return CSP_FAILED;
  sched_run(vm->sched, &vm->main->g, LINGER_NS, &csp->stuck);
  vm_out_flush(vm);
  report_failed_tasks(csp);
  if (csp->stats) print_stats(csp);
  *status = rt_load_relaxed(&csp->interrupted) ? 130 : csp->status;
  if (csp->out.error != 0) {
    report_output_error(csp);
    if (*status == 0) *status = CSP_FAILED;
  }
  return *status == 0 ? CSP_RAN : CSP_FAILED;
}

bool csp_check(Csp *csp, const char *path, const char *text, size_t len,
               char **messages) {
  return compile(csp, path, text, len, true, messages) != NULL;
}

char *csp_disassemble(Csp *csp, const char *path, const char *text, size_t len,
                      char **messages) {
  ObjClosure *script = compile(csp, path, text, len, false, messages);
  if (script == NULL) return NULL;
  Text out = {0};
  dis_proto(&out, &csp->vm, script->proto);
  text_add(&out, "", 1);
  if (!out.failed) return out.data;
  text_free(&out);
  return NULL;
}

void csp_interrupt(Csp *csp) {
  rt_store_relaxed(&csp->interrupted, 1u);
  sched_exit(csp->vm.sched);
}

// Those that were collected have not ended.
int64_t vm_goroutine_count(Vm *vm) {
  HeapStats heap;
  heap_stats(vm->heap, &heap);
  int64_t count = runtime_of(vm)->balance - (int64_t)heap.goroutines_collected;
  for (int n = 0; n < sched_procs(vm->sched); n++)
    count += rt_load_relaxed(&local_of(sched_p(vm->sched, n))->balance);
  return count;
}

// --- What natives ask of the runtime ----------------------------------------
int csp_args(CspCall *call, char ***argv) {
  const CspConfig *config = &runtime_of(call->vm)->config;
  *argv = config->argv;
  return config->argc;
}

int64_t csp_wall_clock(CspCall *call) {
  (void)call;
  return rt_wall_now();
}

int64_t csp_monotonic(CspCall *call) {
  (void)call;
  return rt_now();
}

uint64_t csp_random(CspCall *call) { return sched_random(call->local->p); }

CspStatus csp_exit(CspCall *call, int status) {
  call->later = LATER_EXIT;
  call->later_int = status;
  return CSP_LATER;
}
