#include "dispatch/info_template.h"

#include <algorithm>
#include <cstdio>

#include "base/decoder.h"
#include "base/lower.h"
#include "base/numbers.h"

namespace moon {
namespace {

constexpr size_t kSectionsMax = 64;  // one bit each in a selection

void append_number(std::string* out, uint64_t value) {
  char digits[kIntegerMax];
  out->append(digits, format_uint64(value, digits));
}

void append_name(std::string* text, std::string_view what, std::string_view name) {
  if (!text->empty()) *text += ", ";
  *text += what;
  *text += " '";
  *text += name;
  *text += '\'';
}

}  // namespace

std::string human_bytes(uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGTPE";
  if (bytes < 1024) return std::to_string(bytes) + 'B';
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%c", value, kUnits[unit]);
  return text;
}

// --- at start ---------------------------------------------------------------------------------

bool InfoTemplate::decode(std::string_view section, const GaugeRegistry& gauges,
                          std::string* error) {
  if (!decode_sections(section)) {
    *error = "the template of INFO is damaged";
    return false;
  }
  return bind_gauges(gauges, error);
}

bool InfoTemplate::decode_sections(std::string_view section) {
  Decoder in(section);
  const size_t count = in.u16();
  if (count > kSectionsMax) return false;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    Section each;
    each.name = in.text();
    each.in_default = in.u8() != 0;
    each.first_piece = pieces_.size();
    each.piece_count = in.u16();
    for (size_t piece = 0; piece < each.piece_count; ++piece) {
      if (!decode_piece(in, &pieces_.emplace_back())) return false;
    }
    sections_.push_back(each);
  }
  return in.ok() && in.remaining() == 0;
}

bool InfoTemplate::decode_piece(Decoder& in, Piece* piece) const {
  piece->kind = static_cast<Kind>(in.u8());
  switch (piece->kind) {
    case Kind::kCounter:
      piece->slot = in.u16();
      piece->divisor = in.u32();
      if (piece->slot >= kCounterCount || piece->divisor == 0) return false;
      break;
    case Kind::kSetting:
      piece->slot = in.u16();
      piece->form = static_cast<Form>(in.u8());
      if (piece->slot >= kSettingCount) return false;
      break;
    case Kind::kGauge:
      piece->text = in.text();
      piece->form = static_cast<Form>(in.u8());
      break;
    case Kind::kText:
    case Kind::kBlock:
      piece->text = in.text();
      break;
    case Kind::kCount:
    default:
      return false;
  }
  return in.ok() && piece->form < Form::kCount;
}

bool InfoTemplate::bind_gauges(const GaugeRegistry& gauges, std::string* error) {
  const std::span<const GaugeRegistry::Entry> entries = gauges.entries();
  std::vector<bool> used(entries.size(), false);
  std::string wrong;
  for (Piece& piece : pieces_) {
    if (piece.kind != Kind::kGauge && piece.kind != Kind::kBlock) continue;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].name != piece.text) continue;
      if (piece.fn != nullptr) append_name(&wrong, "registered twice:", piece.text);
      piece.fn = entries[i].fn;
      used[i] = true;
    }
    if (piece.fn == nullptr) append_name(&wrong, "no gauge for the field", piece.text);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!used[i]) append_name(&wrong, "no field for the gauge", entries[i].name);
  }
  if (wrong.empty()) return true;
  *error = "INFO and its gauges do not agree: " + wrong;
  return false;
}

// --- INFO -------------------------------------------------------------------------------------

uint64_t InfoTemplate::select(std::span<const std::string_view> names) const {
  uint64_t chosen = 0;
  const bool everything = std::any_of(names.begin(), names.end(), [](std::string_view name) {
    return equals_ignore_case(name, "all") || equals_ignore_case(name, "everything");
  });
  const bool defaults =
      names.empty() || std::any_of(names.begin(), names.end(), [](std::string_view name) {
        return equals_ignore_case(name, "default");
      });
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    const bool named = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return equals_ignore_case(name, section.name);
    });
    if (everything || named || (defaults && section.in_default)) chosen |= uint64_t{1} << i;
  }
  return chosen;
}

void InfoTemplate::render(std::span<const std::string_view> sections,
                          const CounterBook& counters, const Settings& settings, void* server,
                          std::string* out) const {
  const uint64_t chosen = select(sections);
  const Source source{counters, settings, server};
  const size_t start = out->size();
  for (size_t i = 0; i < sections_.size(); ++i) {
    if ((chosen >> i & 1) == 0) continue;
    if (out->size() != start) *out += "\r\n";
    const Section& section = sections_[i];
    for (size_t piece = 0; piece < section.piece_count; ++piece) {
      render_piece(pieces_[section.first_piece + piece], source, out);
    }
  }
}

void InfoTemplate::render_piece(const Piece& piece, const Source& source, std::string* out) {
  switch (piece.kind) {
    case Kind::kText:
      *out += piece.text;
      break;
    case Kind::kCounter:
      append_number(out, source.counters.total(static_cast<Counter>(piece.slot)) / piece.divisor);
      break;
    case Kind::kSetting: {
      const auto setting = static_cast<Setting>(piece.slot);
      if (piece.form == Form::kHuman) {
        *out += human_bytes(static_cast<uint64_t>(source.settings.get(setting)));
      } else {
        *out += source.settings.text(setting);
      }
      break;
    }
    case Kind::kGauge: {
      if (piece.form == Form::kPlain) {
        piece.fn(source.server, *out);
        break;
      }
      std::string plain;
      piece.fn(source.server, plain);
      uint64_t bytes = 0;
      *out += parse_uint64(plain, &bytes) ? human_bytes(bytes) : plain;
      break;
    }
    case Kind::kBlock:
      piece.fn(source.server, *out);
      break;
    case Kind::kCount:
      break;
  }
}

}  // namespace moon
