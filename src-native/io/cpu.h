// What this process may use of the machine: processors and memory, as limited by affinity and by
// control groups (v1 and v2). Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace moon::io {

struct CpuBudget {
  int online = 1;        // processors of the machine
  int allowed = 1;       // of those, in this thread's affinity mask
  double quota = 0;      // of the control group, in processors; 0: none
  int shards = 1;        // what `--shards 0` means: allowed, at most quota rounded up
  std::string limit;     // what decided: "online", "affinity", "cgroup v1", "cgroup v2"
};

struct MemoryBudget {
  uint64_t bytes = 0;
  std::string limit;  // "host", "cgroup v1", "cgroup v2"
};

// `root` stands in for / in tests.
CpuBudget cpu_budget(const std::string& root = "");
MemoryBudget memory_budget(const std::string& root = "");

// The nth processor (counting round) of this thread's affinity mask.
int nth_allowed_cpu(int n);
// Pins the calling thread. Threads that it starts inherit this. False if the system refuses.
bool pin_thread_to_cpu(int cpu);

}  // namespace moon::io
