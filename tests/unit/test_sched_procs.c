// SPDX-License-Identifier: MIT
// The number of CPUs, from invented cgroup trees.
#include "sched_fixture.h"
#include "tree_fixture.h"

static void without_cgroups_affinity_counts(void **state) {
  (void)state;
  assert_int_equal(sched_procs_from(root, 6), 6);
  assert_int_equal(sched_procs_from(root, 0), 1);
  assert_int_equal(sched_procs_from(root, 5000), PROCS_MAX);
}

static void v2_takes_the_tightest_ancestor(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/a/b/c\n");
  put("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  assert_int_equal(sched_procs_from(root, 16), 16);
  put("sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  assert_int_equal(sched_procs_from(root, 16), 8);
  put("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  assert_int_equal(sched_procs_from(root, 16), 3);  // rounded up
  put("sys/fs/cgroup/cpu.max", "150000 100000\n");  // the mount's own group
  assert_int_equal(sched_procs_from(root, 16), 2);
  assert_int_equal(sched_procs_from(root, 1), 1);
}

static void less_than_one_is_one(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/cpu.max", "5000 100000\n");
  assert_int_equal(sched_procs_from(root, 16), 1);
}

static void v1_quota_and_period(void **state) {
  (void)state;
  put("proc/self/cgroup", "7:memory:/x\n4:cpu,cpuacct:/x/y\n1:cpuset:/\n");
  put("sys/fs/cgroup/cpu/x/y/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/x/y/cpu.cfs_period_us", "100000\n");
  assert_int_equal(sched_procs_from(root, 9), 9);
  put("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "350000\n");
  put("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  assert_int_equal(sched_procs_from(root, 9), 4);
}

static void mounts_are_looked_up(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/docker/me/inner\n");
  put("proc/self/mountinfo",
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:26 /docker/me /other/place rw,nosuid shared:9 - cgroup2 "
      "cgroup2 rw\n");
  put("other/place/inner/cpu.max", "max 100000\n");
  put("other/place/cpu.max", "500000 100000\n");
  assert_int_equal(sched_procs_from(root, 16), 5);
}

static void v1_mounts_by_controller(void **state) {
  (void)state;
  put("proc/self/cgroup", "3:cpuset:/q\n4:cpuacct,cpu:/q\n");
  put("proc/self/mountinfo",
      "30 20 0:26 / /m/set rw - cgroup cgroup rw,cpuset\n"
      "31 20 0:27 / /m/cpu rw - cgroup cgroup rw,cpuacct,cpu\n");
  put("m/set/q/cpu.cfs_quota_us", "100000\n");
  put("m/set/q/cpu.cfs_period_us", "100000\n");
  put("m/cpu/q/cpu.cfs_quota_us", "700000\n");
  put("m/cpu/q/cpu.cfs_period_us", "100000\n");
  assert_int_equal(sched_procs_from(root, 16), 7);
}

static void garbage_is_ignored(void **state) {
  (void)state;
  put("proc/self/cgroup", "nonsense\n\n0:\n0::/g\n");
  put("sys/fs/cgroup/g/cpu.max", "what 12\n");
  assert_int_equal(sched_procs_from(root, 3), 3);
  put("sys/fs/cgroup/g/cpu.max", "100000 0\n");
  assert_int_equal(sched_procs_from(root, 3), 3);
}

static void this_machine_has_some(void **state) {
  (void)state;
  assert_in_range(sched_default_procs(), 1, PROCS_MAX);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, drop_root)
  const struct CMUnitTest tests[] = {
      TEST(without_cgroups_affinity_counts),
      TEST(v2_takes_the_tightest_ancestor),
      TEST(less_than_one_is_one),
      TEST(v1_quota_and_period),
      TEST(mounts_are_looked_up),
      TEST(v1_mounts_by_controller),
      TEST(garbage_is_ignored),
      cmocka_unit_test(this_machine_has_some),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
