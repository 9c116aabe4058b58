// The table blob (src/native/encode-tables.ts) as a whole: settings, commands, INFO template.
//
//   8 bytes "MOONTBL1" | 16 bytes tables hash | three sections, each a u32 length and its bytes:
//   settings, commands, INFO template
//
// Called once by the thread that starts a server. The three tables keep views into the blob: it
// must stay where it is as long as they live.
#pragma once

#include <string>
#include <string_view>

#include "base/settings.h"
#include "dispatch/command_table.h"
#include "dispatch/info_template.h"

namespace moon {

// False with *error, one sentence or several: damaged, made from other tables than this binary, a
// setting that does not parse, or rows without handlers and gauges and the other way round.
bool decode_table_blob(std::string_view blob, const HandlerRegistry& handlers,
                       const GaugeRegistry& gauges, Settings* settings, CommandTable* commands,
                       InfoTemplate* info, std::string* error);

}  // namespace moon
