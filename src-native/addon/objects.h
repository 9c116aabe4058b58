// Conversions between JavaScript values and ours. JavaScript thread only.
#pragma once

#include "addon/js_queue.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace moon::addon {

class Host;

// The object with info, call(), stop(), respondControl(), setRef() (src/native/binding.ts).
napi_value make_server_object(napi_env env, std::shared_ptr<Host> host);

napi_value js_buffer(napi_env env, std::string_view bytes);

}  // namespace moon::addon
