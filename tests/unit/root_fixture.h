// SPDX-License-Identifier: MIT
// A folder with a root for scripts in it, and what they must not reach beside
// that: secrets, and names that must stay as they are.
#ifndef CSP_TESTS_UNIT_ROOT_FIXTURE_H
#define CSP_TESTS_UNIT_ROOT_FIXTURE_H

#include "host_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct World {
  char top[64];         // TOP/outside, TOP/marker, TOP/root
  char root[80];        // the scripts' "/"
  char outside[80];     // with secret, folder/secret
  char before[4][160];  // fingerprints
} World;

static inline void world_write(const char *folder, const char *name,
                               const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static inline void world_folder(const char *folder, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(mkdir(path, 0755), 0);
}

static inline void world_link(const char *folder, const char *target,
                              const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(symlink(target, path), 0);
}

static const char *const world_watched[] = {
    "outside", "outside/secret", "outside/folder", "outside/folder/secret"};

static inline void world_fingerprint(const World *world, int i, char out[160]) {
  char path[160];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", world->top, world_watched[i]);
  if (stat(path, &info) != 0) memset(&info, 0, sizeof info);
  snprintf(out, 160, "%o %ld %ld.%09ld", info.st_mode, (long)info.st_size,
           (long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

// The outside is as it was.
static inline void world_check(const World *world) {
  for (int i = 0; i < 4; i++) {
    char now[160];
    world_fingerprint(world, i, now);
    if (strcmp(now, world->before[i]) != 0)
      fail_msg("%s was %s, is %s", world_watched[i], world->before[i], now);
  }
}

static inline void world_open(World *world) {
  strcpy(world->top, "/tmp/csp-root-XXXXXX");
  assert_non_null(mkdtemp(world->top));
  snprintf(world->root, sizeof world->root, "%s/root", world->top);
  snprintf(world->outside, sizeof world->outside, "%s/outside", world->top);
  world_folder(world->top, "root");
  world_folder(world->top, "outside");
  world_folder(world->outside, "folder");
  world_write(world->outside, "secret", "SECRET");
  world_write(world->outside, "folder/secret", "SECRET");
  world_write(world->outside, "module.csp", "const word = \"SECRET\"\n");
  world_write(world->top, "marker", "SECRET");
  world_write(world->root, "marker", "inside");
  world_folder(world->root, "a");
  world_folder(world->root, "a/b");
  world_folder(world->root, "tmp");
  world_write(world->root, "a/file", "a file");
  world_link(world->root, "../outside", "out");
  world_link(world->root, "../../../../../../../../..", "up");
  world_link(world->root, "/a", "absolute");
  world_link(world->root, "../../outside/secret", "a/last");
  world_link(world->root, world->outside, "host");
  for (int i = 0; i < 4; i++) world_fingerprint(world, i, world->before[i]);
}

static inline int world_remove(const char *path, const struct stat *info,
                               int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static inline void world_close(World *world) {
  nftw(world->top, world_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline CspConfig world_config(const World *world) {
  return (CspConfig){.procs = 2, .allowed = CSP_FILES, .root = world->root};
}

#endif
