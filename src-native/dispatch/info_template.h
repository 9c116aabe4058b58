// InfoTemplate: INFO as src/admin/info-template.ts lists it, rendered by any shard thread without
// JavaScript. Sections hold pieces: literal text, a counter, a setting, a gauge or a block.
//
// Built once on the starting thread, then read by all. The blob must outlive it.
//
// A gauge writes one value; a block writes whole lines, each ended by CRLF. Both are functions of
// the server, registered by name, called on the thread that renders: they may read only what any
// thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counters.h"
#include "base/settings.h"

namespace moon {

using GaugeFn = void (*)(void* server, std::string& out);

class GaugeRegistry {
 public:
  struct Entry {
    std::string_view name;
    GaugeFn fn;
  };
  // `name` must be a string literal.
  void add(std::string_view name, GaugeFn fn) { entries_.push_back({name, fn}); }
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

class InfoTemplate {
 public:
  // False with *error when the section is damaged or gauges and template do not agree: the text
  // names every missing, surplus and doubly registered one.
  bool decode(std::string_view section, const GaugeRegistry& gauges, std::string* error);

  // INFO's arguments, any case: none = default; "default", "all", "everything" or section names;
  // unknown names select nothing. Appends the text to *out (empty when nothing is selected).
  void render(std::span<const std::string_view> sections, const CounterBook& counters,
              const Settings& settings, void* server, std::string* out) const;

 private:
  enum class Kind : uint8_t { kText, kCounter, kSetting, kGauge, kBlock, kCount };
  enum class Form : uint8_t { kPlain, kHuman, kCount };  // human: bytes as 1.50M
  struct Piece {
    Kind kind{};
    Form form{};            // kSetting, kGauge
    uint16_t slot = 0;      // kCounter, kSetting
    uint32_t divisor = 1;   // kCounter
    std::string_view text;  // kText; else the name of the gauge or block
    GaugeFn fn = nullptr;   // kGauge, kBlock
  };
  struct Section {
    std::string_view name;  // lower case
    bool in_default = false;
    size_t first_piece = 0;
    size_t piece_count = 0;
  };

  struct Source {
    const CounterBook& counters;
    const Settings& settings;
    void* server;
  };

  bool decode_sections(std::string_view section);
  bool decode_piece(class Decoder& in, Piece* piece) const;
  bool bind_gauges(const GaugeRegistry& gauges, std::string* error);
  uint64_t select(std::span<const std::string_view> names) const;
  static void render_piece(const Piece& piece, const Source& source, std::string* out);

  std::vector<Section> sections_;
  std::vector<Piece> pieces_;
};

// Bytes as the *_human fields show them: 512B, 1.50M.
std::string human_bytes(uint64_t bytes);

}  // namespace moon
