#include "dispatch/tables.h"

#include "base/decoder.h"
#include "base/tables_hash.h"

namespace moon {

bool decode_table_blob(std::string_view blob, const HandlerRegistry& handlers,
                       const GaugeRegistry& gauges, Settings* settings, CommandTable* commands,
                       InfoTemplate* info, std::string* error) {
  constexpr std::string_view kMagic = "MOONTBL1";
  Decoder in(blob);
  if (in.bytes(kMagic.size()) != kMagic) {
    *error = "these are no tables of moon-server";
    return false;
  }
  const std::string_view hash = in.bytes(kTablesHash.size());
  if (hash != kTablesHash) {
    *error = "the native binary was built from other tables (";
    *error += kTablesHash;
    *error += ") than the JavaScript beside it (";
    *error += hash;
    *error += "): reinstall the package, or in a repository run npm run build";
    return false;
  }
  const std::string_view settings_section = in.text();
  const std::string_view commands_section = in.text();
  const std::string_view info_section = in.text();
  if (!in.ok() || in.remaining() != 0) {
    *error = "the tables are damaged";
    return false;
  }
  return settings->decode(settings_section, error) &&
         commands->decode(commands_section, handlers, error) &&
         info->decode(info_section, gauges, error);
}

}  // namespace moon
