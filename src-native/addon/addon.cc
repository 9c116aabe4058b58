// The Node-API surface, as src/native/binding.ts describes it. The facade in TypeScript validates
// and speaks; what arrives here has the right types or gets a TypeError.
#include "addon/host.h"
#include "addon/objects.h"
#include "base/tables_hash.h"

namespace moon::addon {

namespace {

constexpr size_t kArgumentsMax = 4;

struct Arguments {
  napi_value values[kArgumentsMax];
  size_t count = kArgumentsMax;
  napi_value receiver = nullptr;
};

Arguments arguments_of(napi_env env, napi_callback_info info) {
  Arguments arguments;
  napi_get_cb_info(env, info, &arguments.count, arguments.values, &arguments.receiver, nullptr);
  return arguments;
}

napi_value type_error(napi_env env, const char* message) {
  napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", message);
  return nullptr;
}

bool is_function(napi_env env, napi_value value) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_function;
}

bool bytes_of(napi_env env, napi_value value, std::string_view* bytes) {
  void* data = nullptr;
  size_t size = 0;
  napi_typedarray_type type;
  if (napi_get_typedarray_info(env, value, &type, &size, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array) {
    return false;
  }
  *bytes = {static_cast<const char*>(data), size};
  return true;
}

bool string_of(napi_env env, napi_value value, std::string* text) {
  size_t size = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &size) != napi_ok) return false;
  text->resize(size);
  return napi_get_value_string_utf8(env, value, text->data(), size + 1, &size) == napi_ok;
}

bool string_property(napi_env env, napi_value object, const char* name, std::string* text) {
  napi_value value;
  return napi_get_named_property(env, object, name, &value) == napi_ok &&
         string_of(env, value, text);
}

bool read_options(napi_env env, napi_value object, server::StartOptions* options) {
  napi_value any_port;
  return string_property(env, object, "moonVersion", &options->moon_version) &&
         string_property(env, object, "redisVersion", &options->redis_version) &&
         string_property(env, object, "runId", &options->run_id) &&
         string_property(env, object, "configFile", &options->config_file) &&
         string_property(env, object, "executable", &options->executable) &&
         string_property(env, object, "workingDirectory", &options->working_directory) &&
         napi_get_named_property(env, object, "anyPort", &any_port) == napi_ok &&
         napi_get_value_bool(env, any_port, &options->any_port) == napi_ok;
}

napi_value start(napi_env env, napi_callback_info info) {
  Arguments arguments = arguments_of(env, info);
  server::StartOptions options;
  std::string_view tables;
  if (arguments.count != 4 || !bytes_of(env, arguments.values[0], &tables) ||
      !read_options(env, arguments.values[1], &options) ||
      !is_function(env, arguments.values[2]) || !is_function(env, arguments.values[3])) {
    return type_error(env, "start(tables, options, onEvent, done)");
  }
  options.tables = tables;
  auto host = std::make_shared<Host>(env, arguments.values[2]);
  if (!host->start(std::move(options), arguments.values[3])) {
    napi_throw_error(env, nullptr, "the JavaScript environment is closing");
  }
  return nullptr;
}

std::shared_ptr<Host> host_of(napi_env env, napi_value receiver) {
  void* holder = nullptr;
  if (receiver == nullptr || napi_unwrap(env, receiver, &holder) != napi_ok) {
    type_error(env, "not a server object");
    return nullptr;
  }
  return *static_cast<std::shared_ptr<Host>*>(holder);
}

napi_value call(napi_env env, napi_callback_info info) {
  Arguments arguments = arguments_of(env, info);
  std::shared_ptr<Host> host = host_of(env, arguments.receiver);
  if (host == nullptr) return nullptr;
  std::string_view request;
  if (arguments.count != 3 || !bytes_of(env, arguments.values[0], &request) ||
      !is_function(env, arguments.values[2])) {
    return type_error(env, "call(request, count, done)");
  }
  host->call({request.begin(), request.end()}, arguments.values[2]);
  return nullptr;
}

napi_value stop(napi_env env, napi_callback_info info) {
  Arguments arguments = arguments_of(env, info);
  std::shared_ptr<Host> host = host_of(env, arguments.receiver);
  if (host == nullptr) return nullptr;
  std::string mode;
  int64_t timeout_ms = 0;
  if (arguments.count != 3 || !string_of(env, arguments.values[0], &mode) ||
      napi_get_value_int64(env, arguments.values[1], &timeout_ms) != napi_ok ||
      !is_function(env, arguments.values[2])) {
    return type_error(env, "stop(mode, timeoutMs, done)");
  }
  host->stop(mode == "graceful", static_cast<uint64_t>(std::max<int64_t>(timeout_ms, 0)),
             arguments.values[2]);
  return nullptr;
}

napi_value respond_control(napi_env env, napi_callback_info info) {
  Arguments arguments = arguments_of(env, info);
  std::shared_ptr<Host> host = host_of(env, arguments.receiver);
  if (host == nullptr) return nullptr;
  int64_t id = 0;
  std::string_view reply;
  if (arguments.count != 2 || napi_get_value_int64(env, arguments.values[0], &id) != napi_ok ||
      !bytes_of(env, arguments.values[1], &reply)) {
    return type_error(env, "respondControl(id, reply)");
  }
  host->respond_control(static_cast<uint64_t>(id), std::string(reply));
  return nullptr;
}

napi_value set_ref(napi_env env, napi_callback_info info) {
  Arguments arguments = arguments_of(env, info);
  std::shared_ptr<Host> host = host_of(env, arguments.receiver);
  if (host == nullptr) return nullptr;
  bool keep_alive = true;
  if (arguments.count != 1 ||
      napi_get_value_bool(env, arguments.values[0], &keep_alive) != napi_ok) {
    return type_error(env, "setRef(on)");
  }
  host->set_ref(keep_alive);
  return nullptr;
}

void release_host(napi_env /*env*/, void* holder, void* /*hint*/) {
  delete static_cast<std::shared_ptr<Host>*>(holder);
}

}  // namespace

napi_value js_buffer(napi_env env, std::string_view bytes) {
  napi_value buffer;
  napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &buffer);
  return buffer;
}

napi_value make_server_object(napi_env env, std::shared_ptr<Host> host) {
  napi_value object;
  napi_create_object(env, &object);
  napi_value info = js_string(env, host->info());
  const napi_property_descriptor properties[] = {
      {"info", nullptr, nullptr, nullptr, nullptr, info, napi_enumerable, nullptr},
      {"call", nullptr, call, nullptr, nullptr, nullptr, napi_default, nullptr},
      {"stop", nullptr, stop, nullptr, nullptr, nullptr, napi_default, nullptr},
      {"respondControl", nullptr, respond_control, nullptr, nullptr, nullptr, napi_default,
       nullptr},
      {"setRef", nullptr, set_ref, nullptr, nullptr, nullptr, napi_default, nullptr},
  };
  napi_define_properties(env, object, std::size(properties), properties);
  auto* holder = new std::shared_ptr<Host>(std::move(host));
  napi_wrap(env, object, holder, release_host, nullptr, nullptr);
  return object;
}

napi_value initialize(napi_env env, napi_value exports) {
  napi_set_instance_data(
      env, new Environment(env),
      [](napi_env, void* data, void*) { delete static_cast<Environment*>(data); }, nullptr);
  napi_value function;
  napi_create_function(env, "start", NAPI_AUTO_LENGTH, start, nullptr, &function);
  napi_set_named_property(env, exports, "start", function);
  napi_set_named_property(env, exports, "tablesHash", js_string(env, kTablesHash));
  return exports;
}

}  // namespace moon::addon

NAPI_MODULE_INIT() { return moon::addon::initialize(env, exports); }
