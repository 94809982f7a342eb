// SPDX-License-Identifier: MIT
// A host that uses signals itself: the runtime changes no handler, none of its
// threads can get one, and the host's thread keeps its mask.
#include <csp.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_t host_thread;
static atomic_int got, got_elsewhere;

static void on_signal(int number) {
  (void)number;
  if (pthread_equal(pthread_self(), host_thread)) {
    got = 1;
  } else {
    got_elsewhere = 1;
  }
}

// All that a host can block or catch: not SIGKILL and SIGSTOP, nor the two that
// the C library keeps for its threads.
static unsigned long long blockable(void) {
  sigset_t all;
  unsigned long long mask = 0;
  sigfillset(&all);
  for (int i = 1; i <= 64; i++)
    if (i != SIGKILL && i != SIGSTOP && sigismember(&all, i) == 1)
      mask |= 1ull << (i - 1);
  return mask;
}

// The value of that line in /proc/self/task/TID/status.
static unsigned long long mask_of(const char *tid, const char *field) {
  char path[300], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
  FILE *file = fopen(path, "r");
  unsigned long long mask = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, field, strlen(field)) == 0)
      mask = strtoull(line + strlen(field), NULL, 16);
  if (file != NULL) fclose(file);
  return mask & blockable();
}

// Whether it is a thread of the runtime, by its name.
static int is_csp(const char *tid) {
  char path[300], name[32] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", tid);
  FILE *file = fopen(path, "r");
  if (file != NULL && fgets(name, sizeof name, file) == NULL) name[0] = '\0';
  if (file != NULL) fclose(file);
  return strcmp(name, "csp thread\n") == 0;
}

// look(): how many threads of the runtime there are, and how many of those can
// get some signal.
static CspStatus look(CspCall *call) {
  int threads = 0, open = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    if (task->d_name[0] == '.' || !is_csp(task->d_name)) continue;
    threads++;
    if (mask_of(task->d_name, "SigBlk:") != blockable()) open++;
  }
  if (tasks != NULL) closedir(tasks);
  csp_return(call, csp_int(call, threads));
  csp_return(call, csp_int(call, open));
  return CSP_OK;
}

// signal(): sends one to the process.
static CspStatus send_signal(CspCall *call) {
  kill(getpid(), SIGUSR1);
  return csp_ok_nothing(call);
}

// got(): whether it has come.
static CspStatus has_come(CspCall *call) {
  return csp_ok_bool(call, got || got_elsewhere);
}

static const CspFunction functions[] = {{"look", "", look},
                                        {"signal", "", send_signal},
                                        {"got", "", has_come},
                                        {NULL, NULL, NULL}};
static const CspModule host = {.path = "host", .functions = functions};

static const char script[] =
    "import \"host\"\n"
    "import \"os\"\n"
    "tasks := []\n"
    "for i in 8 { tasks.push(go func() {\n"
    "  os.read_file(\"/proc/self/status\")\n"
    "  sleep(1ms)\n"
    "  os.run(\"true\")\n"
    "}()) }\n"
    "threads, open := host.look()\n"
    "for t in tasks { <-t }\n"
    "println(\"threads: ${threads > 0}, open to signals: ${open}\")\n"
    "host.signal()\n"
    "for !host.got() { sleep(1ms) }\n";

int main(void) {
  char self[32];
  snprintf(self, sizeof self, "%d", (int)getpid());
  host_thread = pthread_self();
  signal(SIGUSR1, on_signal);
  unsigned long long blocked = mask_of(self, "SigBlk:");
  unsigned long long caught = mask_of(self, "SigCgt:");
  unsigned long long ignored = mask_of(self, "SigIgn:");

  CspConfig config;
  csp_config_init(&config);
  config.allowed = CSP_FILES | CSP_PROCESSES;
  Csp *csp = csp_new(&config);
  int status = 1;
  csp_install_language(csp);
  if (csp_install_library(csp) && csp_register(csp, &host))
    csp_run(csp, "signals.csp", script, strlen(script), &status);
  csp_free(csp);

  printf("the signal came here: %d, elsewhere: %d\n", got, got_elsewhere);
  if (blocked != mask_of(self, "SigBlk:")) puts("the mask has changed");
  if (caught != mask_of(self, "SigCgt:")) puts("handlers have changed");
  if (ignored != mask_of(self, "SigIgn:")) puts("SIG_IGN has changed");
  return status;
}
