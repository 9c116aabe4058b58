// One server as JavaScript sees it: carries calls and events between the environment's thread and
// the shard threads, and ends the server when the environment ends.
//
// Lifetime: shared by the JavaScript object, by the environment's list while the server runs, and
// by the closures on their way to JavaScript.
#pragma once

#include "addon/js_queue.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/server.h"

namespace moon::addon {

class Host final : public dispatch::ControlPort, public std::enable_shared_from_this<Host> {
 public:
  Host(napi_env env, napi_value on_event);
  ~Host() override;

  // JavaScript thread.
  bool start(server::StartOptions options, napi_value done);
  void call(std::vector<char> request, napi_value done);
  void stop(bool graceful, uint64_t timeout_ms, napi_value done);
  void respond_control(uint64_t id, std::string reply);
  void set_ref(bool keep_alive) { queue_.set_ref(env_, keep_alive); }
  std::string info() const { return server_->info(); }
  // The environment ends: stop at once, join, call nobody.
  void end_with_environment();

  // Shard threads.
  void request(dispatch::ControlRequest request) override;
  void event(std::string_view name, std::string_view json) override;

 private:
  enum class State { kStarting, kRunning, kStopping, kStopped };

  void report_start(napi_env env, napi_ref done, const server::StartError& error);
  void finish_stop(napi_env env);
  napi_ref reference(napi_value function);

  const napi_env env_;
  JsQueue queue_;
  napi_ref on_event_ = nullptr;
  std::unique_ptr<server::Server> server_;
  std::thread worker_;                     // starting or stopping
  State state_ = State::kStarting;         // JavaScript thread
  std::vector<napi_ref> stop_done_;        // JavaScript thread
  std::atomic<uint64_t> control_ids_{0};
  std::mutex control_mutex_;
  struct ControlClient {
    uint64_t client_id;
    uint32_t shard;
  };
  std::map<uint64_t, ControlClient> control_clients_;  // guarded by control_mutex_
};

// The servers of one environment; ends them when the environment ends.
class Environment {
 public:
  explicit Environment(napi_env env);
  static Environment* of(napi_env env);
  void add(std::shared_ptr<Host> host);
  void remove(const Host* host);

 private:
  static void on_end(void* environment);
  std::vector<std::shared_ptr<Host>> hosts_;
};

}  // namespace moon::addon
