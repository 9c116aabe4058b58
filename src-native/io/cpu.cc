#include "io/cpu.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "io/text_file.h"

namespace moon::io {

namespace {

// A kernel may serve more processors than cpu_set_t holds; such a mask is sized by trial.
constexpr int kCpusMax = 65536;

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  for (int size = CPU_SETSIZE; size <= kCpusMax; size *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(size));
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(size));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    for (int cpu = 0; known && cpu < size; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (known) break;
  }
  return cpus;
}

// "max" and other words that are no number give nothing.
std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

// The path of this process below a hierarchy: the line "N:<controllers>:<path>".
std::string group_path(const std::string& root, std::string_view controller) {
  const std::string groups = read_text_file(root + "/proc/self/cgroup");
  std::string_view rest = groups;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const bool wanted = controller.empty()
                            ? names == ",,"
                            : names.find("," + std::string(controller) + ",") != std::string::npos;
    if (wanted) return std::string(line.substr(second + 1));
  }
  return "/";
}

// Calls visit(directory) for the group and all groups above it: each may hold the tightest limit.
// In a container the path may be that of the host, which does not exist here; its end does.
template <typename Visit>
void for_each_group(const std::string& mount, std::string path, Visit visit) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  for (;;) {
    visit(mount + (path == "/" ? "" : path));
    if (path.size() <= 1) return;
    path.resize(std::max<size_t>(path.rfind('/'), 1));
  }
}

void tighten(double quota, const char* limit, CpuBudget* budget) {
  if (quota <= 0 || (budget->quota > 0 && budget->quota <= quota)) return;
  budget->quota = quota;
  if (static_cast<int>(std::ceil(quota)) < budget->shards) budget->limit = limit;
}

void tighten(uint64_t bytes, const char* limit, MemoryBudget* budget) {
  if (bytes == 0 || (budget->bytes > 0 && budget->bytes <= bytes)) return;
  budget->bytes = bytes;
  budget->limit = limit;
}

void read_cpu_quota_v2(const std::string& group, CpuBudget* budget) {
  const std::string text = read_text_file(group + "/cpu.max");
  const size_t space = text.find(' ');
  if (space == std::string::npos) return;
  const auto quota_us = parse_number(std::string_view(text).substr(0, space));
  const auto period_us = parse_number(std::string_view(text).substr(space + 1));
  if (!quota_us || !period_us || *period_us <= 0) return;
  tighten(static_cast<double>(*quota_us) / static_cast<double>(*period_us), "cgroup v2", budget);
}

void read_cpu_quota_v1(const std::string& group, CpuBudget* budget) {
  const auto quota_us = parse_number(read_text_file(group + "/cpu.cfs_quota_us"));
  const auto period_us = parse_number(read_text_file(group + "/cpu.cfs_period_us"));
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return;
  tighten(static_cast<double>(*quota_us) / static_cast<double>(*period_us), "cgroup v1", budget);
}

void read_memory_limit(const std::string& file, const char* limit, MemoryBudget* budget) {
  const auto bytes = parse_number(read_text_file(file));
  if (bytes && *bytes > 0) tighten(static_cast<uint64_t>(*bytes), limit, budget);
}

uint64_t host_memory(const std::string& root) {
  const std::string text = read_text_file(root + "/proc/meminfo");
  constexpr std::string_view kLabel = "MemTotal:";
  const size_t at = text.find(kLabel);
  if (at == std::string::npos) return 0;
  const size_t digits = text.find_first_not_of(' ', at + kLabel.size());
  if (digits == std::string::npos) return 0;
  return static_cast<uint64_t>(parse_number(std::string_view(text).substr(digits)).value_or(0)) *
         1024;
}

}  // namespace

CpuBudget cpu_budget(const std::string& root) {
  CpuBudget budget;
  budget.online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  budget.allowed = std::max(1, static_cast<int>(allowed_cpus().size()));
  budget.shards = budget.allowed;
  budget.limit = budget.allowed < budget.online ? "affinity" : "online";
  for_each_group(root + "/sys/fs/cgroup", group_path(root, ""),
                 [&](const std::string& group) { read_cpu_quota_v2(group, &budget); });
  for_each_group(root + "/sys/fs/cgroup/cpu", group_path(root, "cpu"),
                 [&](const std::string& group) { read_cpu_quota_v1(group, &budget); });
  if (budget.quota > 0) {
    budget.shards = std::clamp(static_cast<int>(std::ceil(budget.quota)), 1, budget.allowed);
  }
  return budget;
}

MemoryBudget memory_budget(const std::string& root) {
  MemoryBudget budget;
  tighten(host_memory(root), "host", &budget);
  for_each_group(root + "/sys/fs/cgroup", group_path(root, ""), [&](const std::string& group) {
    read_memory_limit(group + "/memory.max", "cgroup v2", &budget);
  });
  for_each_group(root + "/sys/fs/cgroup/memory", group_path(root, "memory"),
                 [&](const std::string& group) {
                   read_memory_limit(group + "/memory.limit_in_bytes", "cgroup v1", &budget);
                 });
  return budget;
}

int nth_allowed_cpu(int n) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.empty()) return 0;
  return cpus[static_cast<size_t>(n) % cpus.size()];
}

bool pin_thread_to_cpu(int cpu) {
  cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(cpu) + 1);
  const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(cpu) + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(static_cast<size_t>(cpu), bytes, set);
  const bool pinned = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return pinned;
}

}  // namespace moon::io
