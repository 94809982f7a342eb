// SPDX-License-Identifier: MIT
// A host with the native module MODULE, which it is linked with:
//   module_host [-n] [-f] [-r ROOT] [-s NS] [-t TIMES] [-l LOCALE] FILE
// runs a script. -n and -f allow the network and files, -r the files below a
// folder alone. -s steps it, for at most NS of its time, or 0 for no limit. -t
// runs it so often, where each stepped runtime has NS more than the one before,
// and tells whether the process has the same descriptors afterwards. It prints
// how a stepped script ends, if that is not well.
#include <csp.h>
#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const CspNative *MODULE(void);

static char script[65536];
static CspConfig config;

static Csp *open_host(void) {
  Csp *csp = csp_new(&config);
  if (csp == NULL) return NULL;
  csp_install_language(csp);
  if (csp_install_library(csp) && csp_register(csp, MODULE()->module))
    return csp;
  csp_free(csp);
  return NULL;
}

static int run_threads(void) {
  int status = 1;
  Csp *csp = open_host();
  if (csp == NULL) return 1;
  csp_run(csp, "main.csp", script, strlen(script), &status);
  csp_free(csp);
  return status;
}

static int run_stepped(long long ns) {
  CspResult result;
  Csp *csp = open_host();
  if (csp == NULL) return 1;
  csp_limit_time(csp, ns);
  CspCall *call = csp_host(csp);
  csp_load(call, "main.csp", script, strlen(script), &result);
  if (result.end == CSP_INTERRUPTED)
    puts("interrupted");
  else if (result.end != CSP_DONE)
    puts(result.message != NULL ? result.message : "?");
  csp_result_free(&result);
  csp_free(csp);
  return 0;
}

static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL) count++;
  if (folder != NULL) closedir(folder);
  return count;
}

static int run_often(int times, long long ns) {
  int before = descriptors(), status = 0;
  for (int i = 0; i < times && status == 0; i++)
    status = config.stepped ? run_stepped(ns * i + 1) : run_threads();
  puts(descriptors() == before ? "the same descriptors" : "others");
  return status;
}

int main(int argc, char **argv) {
  int option, times = 0;
  long long ns = 0;
  csp_config_init(&config);
  while ((option = getopt(argc, argv, "nfr:s:t:l:")) != -1) {
    if (option == 'n') config.allowed |= CSP_NET;
    if (option == 'f') config.allowed |= CSP_FILES;
    if (option == 'r') config.root = optarg;
    if (option == 't') times = atoi(optarg);
    if (option == 'l' && setlocale(LC_ALL, optarg) == NULL) return 1;
    if (option == 's') config.stepped = true;
    if (option == 's') ns = atoll(optarg);
  }
  FILE *file = fopen(argv[optind], "r");
  if (file == NULL) return 1;
  script[fread(script, 1, sizeof script - 1, file)] = '\0';
  fclose(file);
  setvbuf(stdout, NULL, _IONBF, 0);
  if (times > 0) return run_often(times, ns);
  return config.stepped ? run_stepped(ns) : run_threads();
}
