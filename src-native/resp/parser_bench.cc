// Nanoseconds per request for parsing, and per reply for writing. Prints one line per shape.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "resp/parser.h"
#include "resp/reply.h"

namespace moon::resp {
namespace {

constexpr size_t kBatch = 64;
constexpr int kRounds = 20000;

std::string encode(const std::vector<std::string>& arguments) {
  std::string bytes = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& argument : arguments) {
    bytes += "$" + std::to_string(argument.size()) + "\r\n" + argument + "\r\n";
  }
  return bytes;
}

void parse(const char* name, const std::vector<std::string>& arguments) {
  std::string bytes;
  for (size_t i = 0; i < kBatch; ++i) bytes += encode(arguments);
  Parser parser;
  ArgArena arena;
  Request request;
  const ParserLimits limits;
  size_t requests = 0;
  const uint64_t start = mono_ns();
  for (int round = 0; round < kRounds; ++round) {
    arena.clear();
    while (parser.next(bytes, limits, arena, &request) == ParseStatus::kRequest) ++requests;
    parser.drop(parser.consumed());
  }
  const double ns = static_cast<double>(mono_ns() - start);
  std::printf("parse  %-24s %6.1f ns\n", name, ns / static_cast<double>(requests));
}

template <typename Write>
void reply(const char* name, Write write) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  Reply writer(buffer, 2);
  const uint64_t start = mono_ns();
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kBatch; ++i) write(writer, static_cast<int64_t>(i) + round);
    buffer.consume(buffer.size());
  }
  const double ns = static_cast<double>(mono_ns() - start);
  std::printf("reply  %-24s %6.1f ns\n", name, ns / (kRounds * static_cast<double>(kBatch)));
}

void run() {
  parse("PING", {"PING"});
  parse("GET key:000000000001", {"GET", "key:000000000001"});
  parse("SET key:000000000001 x8", {"SET", "key:000000000001", "xxxxxxxx"});
  parse("SET EX", {"SET", "key:000000000001", "xxxxxxxx", "EX", "100"});
  std::vector<std::string> mset = {"MSET"};
  for (int i = 0; i < 10; ++i) {
    mset.push_back("key:00000000000" + std::to_string(i));
    mset.push_back("xxxxxxxx");
  }
  parse("MSET of 10", mset);
  parse("SET 2000 bytes", {"SET", "key:000000000001", std::string(2000, 'x')});

  reply("+OK", [](Reply& r, int64_t) { r.ok(); });
  reply("bulk of 8", [](Reply& r, int64_t) { r.bulk("xxxxxxxx"); });
  const std::string value(64, 'v');
  reply("bulk of 64", [&](Reply& r, int64_t) { r.bulk(value); });
  reply("integer", [](Reply& r, int64_t n) { r.integer(n); });
  reply("null", [](Reply& r, int64_t) { r.null(); });
  reply("real 0.1 n", [](Reply& r, int64_t n) { r.real(0.1 * static_cast<double>(n)); });
}

}  // namespace
}  // namespace moon::resp

int main() {
  moon::resp::run();
  return 0;
}
