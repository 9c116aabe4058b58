#include "addon/host.h"

#include <algorithm>

#include "addon/objects.h"
#include "base/json.h"

namespace moon::addon {

Host::Host(napi_env env, napi_value on_event) : env_(env) {
  napi_create_reference(env, on_event, 1, &on_event_);
}

Host::~Host() {
  if (worker_.joinable()) worker_.join();
}

napi_ref Host::reference(napi_value function) {
  napi_ref ref = nullptr;
  napi_create_reference(env_, function, 1, &ref);
  return ref;
}

namespace {

napi_value take_reference(napi_env env, napi_ref ref) {
  napi_value value;
  napi_get_reference_value(env, ref, &value);
  napi_delete_reference(env, ref);
  return value;
}

napi_value js_null(napi_env env) {
  napi_value value;
  napi_get_null(env, &value);
  return value;
}

}  // namespace

// --- start ------------------------------------------------------------------------------------

bool Host::start(server::StartOptions options, napi_value done) {
  if (!queue_.open(env_)) return false;
  Environment::of(env_)->add(shared_from_this());
  napi_ref done_ref = reference(done);
  worker_ = std::thread([self = shared_from_this(), done_ref,
                         options = std::move(options)]() mutable {
    server::StartError error;
    self->server_ = server::Server::start(std::move(options), *self, &error);
    self->queue_.post([self, done_ref, error](napi_env env) {
      self->report_start(env, done_ref, error);
    });
  });
  return true;
}

void Host::report_start(napi_env env, napi_ref done, const server::StartError& error) {
  worker_.join();
  napi_value function = take_reference(env, done);
  if (server_ != nullptr) {
    state_ = State::kRunning;
    return call_js(env, function, {js_null(env), make_server_object(env, shared_from_this())});
  }
  state_ = State::kStopped;
  napi_value object;
  napi_create_object(env, &object);
  napi_set_named_property(env, object, "code", js_string(env, error.code));
  napi_set_named_property(env, object, "message", js_string(env, error.message));
  if (!error.cure.empty()) {
    napi_set_named_property(env, object, "cure", js_string(env, error.cure));
  }
  auto self = shared_from_this();
  Environment::of(env)->remove(this);
  queue_.close();
  napi_delete_reference(env, on_event_);
  call_js(env, function, {object, js_null(env)});
}

// --- calls ------------------------------------------------------------------------------------

void Host::call(std::vector<char> request, napi_value done) {
  if (state_ != State::kRunning) {
    return call_js(env_, done, {js_string(env_, "closed"), js_buffer(env_, {})});
  }
  napi_ref done_ref = reference(done);
  server_->call(std::move(request), [self = shared_from_this(), done_ref](const char* error,
                                                                          std::string replies) {
    std::string problem = error == nullptr ? "" : error;
    self->queue_.post([done_ref, problem, replies = std::move(replies)](napi_env env) {
      napi_value function = take_reference(env, done_ref);
      napi_value first = problem.empty() ? js_null(env) : js_string(env, problem);
      call_js(env, function, {first, js_buffer(env, replies)});
    });
  });
}

void Host::event(std::string_view name, std::string_view json) {
  queue_.post([self = shared_from_this(), event_name = std::string(name),
               payload = std::string(json)](napi_env env) {
    if (self->state_ == State::kStopped) return;
    napi_value function;
    napi_get_reference_value(env, self->on_event_, &function);
    call_js(env, function, {js_string(env, event_name), js_string(env, payload)});
  });
}

void Host::request(dispatch::ControlRequest request) {
  const uint64_t id = control_ids_.fetch_add(1, std::memory_order_relaxed) + 1;
  {
    std::lock_guard guard(control_mutex_);
    control_clients_[id] = {request.client_id, request.shard};
  }
  std::string json = "{\"id\":" + std::to_string(id) + ",\"args\":[";
  for (size_t i = 0; i < request.args.size(); ++i) {
    if (i != 0) json += ',';
    append_json_string(&json, request.args[i]);
  }
  json += "]}";
  event("control", json);
}

void Host::respond_control(uint64_t id, std::string reply) {
  ControlClient client;
  {
    std::lock_guard guard(control_mutex_);
    auto found = control_clients_.find(id);
    if (found == control_clients_.end()) return;
    client = found->second;
    control_clients_.erase(found);
  }
  if (reply.empty() || state_ != State::kRunning) return;
  server_->answer_control(client.client_id, client.shard, std::move(reply));
}

// --- stop -------------------------------------------------------------------------------------

void Host::stop(bool graceful, uint64_t timeout_ms, napi_value done) {
  if (state_ == State::kStopped) return call_js(env_, done, {});
  stop_done_.push_back(reference(done));
  if (state_ == State::kStopping) {
    if (!graceful) server_->hurry();
    return;
  }
  state_ = State::kStopping;
  worker_ = std::thread([self = shared_from_this(), graceful, timeout_ms] {
    self->server_->stop(graceful, timeout_ms);
    self->queue_.post([self](napi_env env) { self->finish_stop(env); });
  });
}

void Host::finish_stop(napi_env env) {
  worker_.join();
  state_ = State::kStopped;
  server_.reset();
  Environment::of(env)->remove(this);
  queue_.close();
  napi_delete_reference(env, on_event_);
  std::vector<napi_ref> waiting;
  waiting.swap(stop_done_);
  for (napi_ref ref : waiting) call_js(env, take_reference(env, ref), {});
}

void Host::end_with_environment() {
  queue_.close();
  if (worker_.joinable()) {
    if (state_ == State::kStopping) server_->hurry();
    worker_.join();
  }
  if (server_ != nullptr) server_->stop(false, 0);
  server_.reset();
  state_ = State::kStopped;
}

// --- environment ------------------------------------------------------------------------------

Environment::Environment(napi_env env) { napi_add_env_cleanup_hook(env, on_end, this); }

Environment* Environment::of(napi_env env) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  return static_cast<Environment*>(data);
}

void Environment::add(std::shared_ptr<Host> host) { hosts_.push_back(std::move(host)); }

void Environment::remove(const Host* host) {
  std::erase_if(hosts_, [&](const std::shared_ptr<Host>& known) { return known.get() == host; });
}

void Environment::on_end(void* environment) {
  auto* self = static_cast<Environment*>(environment);
  std::vector<std::shared_ptr<Host>> hosts;
  hosts.swap(self->hosts_);
  for (auto& host : hosts) host->end_with_environment();
}

}  // namespace moon::addon
