#include "io/cpu.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "io/probe.h"

namespace moon::io {
namespace {

// A directory that stands in for /.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = testing::TempDir() + "/moon-root-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }

  void put(const std::string& name, const std::string& text) {
    const std::filesystem::path file = path_ + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(CpuBudget, ThisMachine) {
  const CpuBudget budget = cpu_budget();
  EXPECT_GE(budget.online, 1);
  EXPECT_GE(budget.allowed, 1);
  EXPECT_GE(budget.shards, 1);
  EXPECT_LE(budget.shards, budget.allowed);
  EXPECT_FALSE(budget.limit.empty());
}

TEST(CpuBudget, CgroupV2TightestOfThePath) {
  FakeRoot root;
  root.put("/proc/self/cgroup", "0::/system.slice/moon.service\n");
  root.put("/sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n");
  root.put("/sys/fs/cgroup/system.slice/moon.service/cpu.max", "max 100000\n");
  const CpuBudget budget = cpu_budget(root.path());
  EXPECT_DOUBLE_EQ(budget.quota, 0.5);
  EXPECT_EQ(budget.shards, 1);
  EXPECT_EQ(budget.limit, budget.allowed > 1 ? "cgroup v2" : "online");
}

TEST(CpuBudget, CgroupV1InAContainer) {
  FakeRoot root;
  // The path is the host's; inside, the group is mounted as the root of the hierarchy.
  root.put("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n0::/\n");
  root.put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  root.put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
  root.put("/proc/meminfo", "MemTotal:        1048576 kB\nMemFree: 1 kB\n");
  const CpuBudget budget = cpu_budget(root.path());
  EXPECT_DOUBLE_EQ(budget.quota, 1.5);
  EXPECT_EQ(budget.shards, std::min(2, budget.allowed));
  const MemoryBudget memory = memory_budget(root.path());
  EXPECT_EQ(memory.bytes, 268435456u);
  EXPECT_EQ(memory.limit, "cgroup v1");
}

TEST(CpuBudget, NoLimits) {
  FakeRoot root;
  root.put("/proc/self/cgroup", "0::/\n");
  root.put("/sys/fs/cgroup/memory.max", "max\n");
  root.put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.put("/proc/meminfo", "MemTotal:        1048576 kB\n");
  EXPECT_EQ(cpu_budget(root.path()).quota, 0);
  const MemoryBudget memory = memory_budget(root.path());
  EXPECT_EQ(memory.bytes, 1073741824u);
  EXPECT_EQ(memory.limit, "host");
  EXPECT_EQ(memory_budget("/nowhere").bytes, 0u);
}

TEST(Pinning, PinnedThreadSeesOneCpu) {
  std::thread([] {
    const int cpu = nth_allowed_cpu(1);
    EXPECT_TRUE(pin_thread_to_cpu(cpu));
    EXPECT_EQ(cpu_budget().allowed, 1);
    EXPECT_EQ(nth_allowed_cpu(0), cpu);
    EXPECT_FALSE(pin_thread_to_cpu(100'000));
  }).join();
}

TEST(Probe, UsableHere) {
  const UringProbe probe = probe_uring();
  EXPECT_EQ(probe.usable, probe.reason.empty());
}

TEST(Probe, ReasonsNameCauseAndCure) {
  FakeRoot root;
  root.put("/sys/kernel/io_uring_disabled", "2\n");
  EXPECT_NE(explain_uring_error(EPERM, root.path()).find("kernel.io_uring_disabled is 2"),
            std::string::npos);
  root.put("/sys/kernel/io_uring_disabled", "0\n");
  root.put("/self/status", "Name:\tmoon\nSeccomp:\t2\n");
  EXPECT_NE(explain_uring_error(EPERM, root.path()).find("seccomp"), std::string::npos);
  root.put("/self/status", "Name:\tmoon\nSeccomp:\t0\n");
  EXPECT_NE(explain_uring_error(EPERM, root.path()).find("security policy"), std::string::npos);
  EXPECT_NE(explain_uring_error(ENOSYS).find("Linux 6.0"), std::string::npos);
  EXPECT_NE(explain_uring_error(ENOMEM).find("ulimit -l"), std::string::npos);
  EXPECT_NE(explain_uring_error(EMFILE).find("EMFILE"), std::string::npos);
  EXPECT_FALSE(explain_uring_error(12345).empty());
}

}  // namespace
}  // namespace moon::io
