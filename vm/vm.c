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
  interp_init(local);
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

static bool idle(void *host, bool may_block) {
  return output_flush_idle(host, may_block);
}
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
  if (!csp->debug.leaks) return;
  Trace *trace = trace_capture(g);
  Text text = {0};
  if (trace != NULL) {
    text_addf(&text, "leaked: ");
    trace_print(&text, trace, g_wait_name((WaitReason)g->g.reason));
  }
  trace_drop(trace);
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

// What a goroutine that will never run again holds outside the heap.
static void release(void *arg, Goroutine *g) {
  (void)arg;
  panic_free_all(g);
  if (g->on_resume == RESUME_CALL) native_drop(g);
  free(g->pending);
  g->pending = NULL;
}

static void free_trace(void *arg, void *trace) {
  (void)arg;
  trace_drop(trace);
}

void panic_mark(Panic *panic, GcMarker *m) {
  for (; panic != NULL; panic = panic->link) gc_mark(m, panic->value);
}

static void mark_failed(void *arg, GcMarker *m) {
  Csp *csp = arg;
  for (size_t n = 0; n < csp->failed_count; n++) gc_mark_obj(m, csp->failed[n]);
}

// --- Options ----------------------------------------------------------------
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
static SchedConfig sched_config(Csp *csp) {
  const DebugOptions *debug = &csp->debug;
  return (SchedConfig){
      .procs = wanted_procs(&csp->config),
      .max_threads = csp->config.max_threads,
      .child_first = csp->config.child_first,
      .stepped = csp->config.stepped,
      .seed = csp->config.seed,
      .empty_word = VALUE_NIL,
      .hooks = {csp, p_init, p_free, idle, deadlock, want_gc, barrier,
                watch_print, watch_each_g, watch_label},
      .trace_line_ns = debug->schedtrace * (int64_t)1000000,
      .trace_details = debug->scheddetail != 0,
      .trace_events =
          csp->trace_out != NULL ? (uint32_t)debug->traceevents : 0};
}

static bool start(Csp *csp) {
  Vm *vm = &csp->vm;
  options_read(csp, csp->config.debug);
  watch_open(csp);
  long stress = csp->debug.gcstress;
  vm->patience_ns = csp->debug.patience * (int64_t)1000000;
  vm->heap = heap_new(vm);
  if (vm->heap == NULL) return false;
  const CspConfig *host = &csp->config;
  heap_set_memory(vm->heap,
                  &(HeapMemory){host->map, host->unmap, host->map_arg});
  HeapHooks hooks = {csp, on_leak, release, free_trace};
  heap_set_hooks(vm->heap, &hooks);
  heap_set_limit(vm->heap, csp->config.max_memory);
  heap_set_stress(vm->heap, stress != 0, stress != 0 || csp->debug.poison != 0);
  vm->safepoint_count = stress ? (int)stress : SAFEPOINT_COUNT;
  SchedConfig config = sched_config(csp);
  vm->child_first = config.child_first;
  vm->sched = sched_new(&config);
  if (vm->sched == NULL) return false;
  vm->boot = local_of(sched_p(vm->sched, 0));
  vm->hash_seed = csp->config.seed ? csp->config.seed : rt_entropy();
  return heap_add_roots(vm->heap, mark_failed, csp) && boot_vm(csp) &&
         host_open(csp);
}

Csp *csp_new(const CspConfig *wanted) {
  Csp *csp = calloc(1, sizeof *csp);
  if (csp == NULL) return NULL;
  CspConfig *config = &csp->config;
  csp_config_init(config);
  if (wanted != NULL) *config = *wanted;
  Vm *vm = &csp->vm;
  vm->state = csp;
  csp->failed_lock.rank = RANK_TASKS;
  csp->waits_lock.rank = RANK_WAITS;
  vm->stack_limit_bytes =
      config->max_stack ? config->max_stack : (uint64_t)256 << 20;
  vm->frame_limit = config->max_frames ? config->max_frames : 1000000;
  vm->goroutine_limit = config->max_goroutines;
  if (!output_init(csp) || !start(csp)) {
    csp_free(csp);
    return NULL;
  }
  return csp;
}

static void end_stepped(Csp *csp) {
  if (csp->config.stepped && csp->host.local != NULL) host_end(csp->vm.sched);
}

static void close_goroutine(void *arg, Goroutine *g) {
  native_close(arg, g);
  release(NULL, g);
}

// By csp_free, or by the last thread that was in a blocking call then.
static void free_all(void *arg) {
  Csp *csp = arg;
  Vm *vm = &csp->vm;
  csp->closing = true;
  if (vm->sched != NULL) end_stepped(csp);
  if (vm->heap != NULL) posts_free(csp);
  if (vm->main != NULL || csp->config.stepped)
    vm_each_goroutine(vm, close_goroutine, vm->boot);
  if (vm->sched != NULL) sched_free(vm->sched);
  heap_free(vm->heap);
  host_methods_free(vm);
  proto_free_all(vm);
  free(vm->names);
  boot_free(csp);
  options_free(csp);
  output_free(csp);
  free(csp);
}

int csp_free(Csp *csp) {
  if (csp == NULL) return 0;
  vm_out_flush(&csp->vm);
  if (csp->stuck > 0) {
    rt_store_relaxed(&csp->left, 1u);  // relaxed: nothing else depends on it
    int stuck = sched_leave(csp->vm.sched, free_all, csp);
    if (stuck > 0) return stuck;
  }
  free_all(csp);
  return 0;
}

VmCode *vm_code(Vm *vm) { return &runtime_of(vm)->code; }
Vm *csp_vm(Csp *csp) { return &csp->vm; }
Csp *vm_csp(Vm *vm) { return runtime_of(vm); }

// --- Running ----------------------------------------------------------------
static ObjClosure *compile(Csp *csp, const char *path, const char *text,
                           size_t len, bool warnings, ObjModule *module,
                           char **messages) {
  // The lexer wants a zero byte behind the text.
  char *copy = malloc(len + 1);
  *messages = copy ? NULL : strdup("out of memory\n");
  if (copy == NULL) return NULL;
  memcpy(copy, text, len);
  copy[len] = '\0';
  CompileInput input = {.path = path,
                        .text = copy,
                        .len = len,
                        .warnings = warnings,
                        .module = module,
                        .test = csp->test};
  ObjClosure *script = csp->vm.compile(&csp->vm, &input, messages);
  free(copy);
  return script;
}

ObjClosure *vm_compile(Vm *vm, const char *path, const char *text, size_t len,
                       ObjModule *module, char **messages) {
  return compile(runtime_of(vm), path, text, len, false, module, messages);
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
  char *messages;
  *status = CSP_NOT_COMPILED;
  ObjClosure *script = compile(csp, path, text, len, false, NULL, &messages);
  if (messages != NULL) output_error(csp, messages, strlen(messages));
  if (messages == NULL && script == NULL) output_no_memory(csp);
  free(messages);
  return script == NULL ? CSP_NOT_COMPILED : vm_run(csp, script, status);
}

// As sched_run, on this thread.
static void run_stepped(Csp *csp) {
  Vm *vm = &csp->vm;
  HostRun run = {NULL, RT_FOREVER, true};
  if (host_run(vm->sched, &vm->main->g, &run) == HOST_STUCK) deadlock(csp);
}

CspOutcome vm_run(Csp *csp, ObjClosure *script, int *status) {
  Vm *vm = &csp->vm;
  vm->main = goroutine_new(vm->boot, value_from_obj(script), NULL, 0);
  *status = CSP_FAILED;
  bool began = vm->main != NULL;
  if (began && csp->config.stepped) {
    run_stepped(csp);
  } else if (began) {
    began = sched_run(vm->sched, &vm->main->g, LINGER_NS, &csp->stuck) !=
            SCHED_NO_MEMORY;
  }
  posts_end(csp);
  if (!began) {
    output_no_memory(csp);
    return CSP_FAILED;
  }
  vm_out_flush(vm);
  report_failed_tasks(csp);
  watch_close(csp);
  *status = rt_load_relaxed(&csp->interrupted) ? 130 : csp->status;
  if (csp->out.error != 0) {
    report_output_error(csp);
    if (*status == 0) *status = CSP_FAILED;
  }
  return *status == 0 ? CSP_RAN : CSP_FAILED;
}

CspOutcome csp_run_test(Csp *csp, const char *path, const char *text,
                        size_t len, const char *function, int *status) {
  csp->test = function;
  return csp_run(csp, path, text, len, status);
}

bool csp_check(Csp *csp, const char *path, const char *text, size_t len,
               char **messages) {
  return compile(csp, path, text, len, true, NULL, messages) != NULL;
}

char *csp_disassemble(Csp *csp, const char *path, const char *text, size_t len,
                      char **messages) {
  ObjClosure *script = compile(csp, path, text, len, false, NULL, messages);
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
  if (csp->config.stepped) {
    host_stop(csp->vm.sched);
  } else {
    sched_exit_soon(csp->vm.sched);
  }
}

void vm_interrupt(Vm *vm, const Goroutine *g, const ObjTask *task) {
  uint64_t id = rt_load_relaxed(&g->g.id);
  // After the id: as long as the task runs, g is not another's.
  if (rt_load_acquire(&task->state) != TASK_RUNNING) return;
  // relaxed: read at safepoints, on its own
  rt_store_relaxed(&vm->interrupt, id);
  sched_interrupt(vm->sched);
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
