// The server as a whole: INFO, TIME, LOLWUT.
#include <cmath>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/lower.h"
#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

void info(Context& ctx) {
  std::string text;
  ctx.engine.info.render(ctx.args.subspan(1), ctx.engine.counters, ctx.engine.settings,
                         &ctx.engine, &text);
  ctx.reply.verbatim("txt", text);
}

void time(Context& ctx) {
  const int64_t now_us = wall_us();
  ctx.reply.array(2);
  ctx.reply.bulk_integer(now_us / 1000000);
  ctx.reply.bulk_integer(now_us % 1000000);
}

// --- LOLWUT -----------------------------------------------------------------------------------

// Days between two new moons, and one of them (6 January 2000, 18:14 UTC).
constexpr double kSynodicDays = 29.530588853;
constexpr double kNewMoonUnixDays = 947182440.0 / 86400.0;

// The part of the cycle that is over at `unix_ms`: 0 new, 0.25 first quarter, 0.5 full.
double moon_phase(int64_t unix_ms) {
  const double cycles = (static_cast<double>(unix_ms) / 86400000.0 - kNewMoonUnixDays) /
                        kSynodicDays;
  return cycles - std::floor(cycles);
}

// The moon of tonight as seen from the north, `rows` lines high. In each line the terminator
// stands at cos(phase) of the half width; its right side is lit while the moon grows.
std::string draw_moon(double phase, int rows) {
  const double edge = std::cos(phase * 2 * M_PI);
  const bool grows = phase < 0.5;
  const double radius = rows / 2.0;
  std::string picture;
  for (int row = 0; row < rows; ++row) {
    const double y = (row + 0.5 - radius) / radius;
    const double half_width = std::sqrt(1 - y * y);
    // A character is about twice as high as wide.
    for (int column = 0; column < rows * 2; ++column) {
      const double x = (column + 0.5) / rows - 1;
      if (std::fabs(x) > half_width) {
        picture += ' ';
        continue;
      }
      const bool lit = grows ? x > half_width * edge : x < -half_width * edge;
      picture += lit ? '#' : '.';
    }
    picture.erase(picture.find_last_not_of(' ') + 1);
    picture += '\n';
  }
  return picture;
}

void lolwut(Context& ctx) {
  constexpr int64_t kRowsMin = 4;
  constexpr int64_t kRowsMax = 40;
  int64_t rows = 12;
  size_t next = 1;
  if (ctx.argc() > 2 && equals_ignore_case(ctx.arg(1), "VERSION")) {
    int64_t version = 0;  // there is one picture, whatever the version
    if (!parse_int64(ctx.arg(2), &version)) return ctx.reply.error(resp::Err::kNotInteger);
    next = 3;
  }
  if (ctx.argc() > next && !parse_int64(ctx.arg(next), &rows)) {
    return ctx.reply.error(resp::Err::kNotInteger);
  }
  rows = rows < kRowsMin ? kRowsMin : rows > kRowsMax ? kRowsMax : rows;
  std::string text = draw_moon(moon_phase(ctx.now_ms()), static_cast<int>(rows));
  text += "\nTonight's moon, drawn by moon-server ";
  text += ctx.engine.facts.version;
  text += ". Redis ver. ";
  text += ctx.engine.facts.redis_version;
  text += '\n';
  ctx.reply.verbatim("txt", text);
}

}  // namespace

void register_server(HandlerRegistry& registry) {
  registry.add("info", info);
  registry.add("lolwut", lolwut);
  registry.add("time", time);
}

}  // namespace moon::commands
