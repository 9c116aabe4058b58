#include "addon/js_queue.h"

#include "base/assert.h"

namespace moon::addon {

bool JsQueue::open(napi_env env) {
  napi_value name;
  if (napi_create_string_utf8(env, "moon-server", NAPI_AUTO_LENGTH, &name) != napi_ok) {
    return false;
  }
  return napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr,
                                         this, on_wake, &function_) == napi_ok;
}

void JsQueue::close() {
  std::vector<Task> dropped;
  std::lock_guard guard(mutex_);
  if (function_ == nullptr) return;
  napi_release_threadsafe_function(function_, napi_tsfn_abort);
  function_ = nullptr;
  dropped.swap(tasks_);
}

void JsQueue::set_ref(napi_env env, bool keep_alive) {
  std::lock_guard guard(mutex_);
  if (function_ == nullptr) return;
  if (keep_alive) {
    napi_ref_threadsafe_function(env, function_);
  } else {
    napi_unref_threadsafe_function(env, function_);
  }
}

void JsQueue::post(Task task) {
  std::lock_guard guard(mutex_);
  if (function_ == nullptr) return;
  tasks_.push_back(std::move(task));
  if (signalled_) return;
  signalled_ =
      napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking) == napi_ok;
}

void JsQueue::on_wake(napi_env env, napi_value /*callback*/, void* context, void* /*data*/) {
  if (env == nullptr) return;  // the environment is being torn down
  auto* queue = static_cast<JsQueue*>(context);
  std::vector<Task> tasks;
  {
    std::lock_guard guard(queue->mutex_);
    tasks.swap(queue->tasks_);
    queue->signalled_ = false;
  }
  for (Task& task : tasks) {
    napi_handle_scope scope;
    if (napi_open_handle_scope(env, &scope) != napi_ok) return;
    task(env);
    napi_close_handle_scope(env, scope);
  }
}

void call_js(napi_env env, napi_value function, std::vector<napi_value> arguments) {
  napi_value receiver;
  napi_get_undefined(env, &receiver);
  napi_value result;
  if (napi_call_function(env, receiver, function, arguments.size(), arguments.data(), &result) !=
      napi_pending_exception) {
    return;
  }
  napi_value exception;
  if (napi_get_and_clear_last_exception(env, &exception) == napi_ok) {
    napi_fatal_exception(env, exception);
  }
}

napi_value js_string(napi_env env, std::string_view text) {
  napi_value value;
  napi_create_string_utf8(env, text.data(), text.size(), &value);
  return value;
}

}  // namespace moon::addon
