// The way from any thread to the JavaScript thread of one environment: closures, run in order on
// that thread, one wake-up for all that were posted before it woke.
//
// post() is for any thread and drops the closure once the queue is closed (the environment ends).
#pragma once

#define NAPI_VERSION 9
#include <node_api.h>

#include <functional>
#include <string_view>
#include <mutex>
#include <vector>

namespace moon::addon {

class JsQueue {
 public:
  using Task = std::function<void(napi_env)>;

  // JavaScript thread. False when the environment refuses.
  bool open(napi_env env);
  void close();                  // JavaScript thread; nothing runs after it
  void set_ref(napi_env env, bool keep_alive);

  void post(Task task);

 private:
  static void on_wake(napi_env env, napi_value callback, void* context, void* data);

  std::mutex mutex_;
  std::vector<Task> tasks_;      // guarded by mutex_
  bool signalled_ = false;       // guarded by mutex_
  napi_threadsafe_function function_ = nullptr;  // null: closed; guarded by mutex_
};

// Calls a JavaScript function; an exception it throws becomes an uncaught one of the process.
void call_js(napi_env env, napi_value function, std::vector<napi_value> arguments);
napi_value js_string(napi_env env, std::string_view text);   // UTF-8

}  // namespace moon::addon
