#include "net/network.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/clock.h"
#include "dispatch/client_eviction.h"
#include "io/sockets.h"
#include "net/connection.h"
#include "net/local_session.h"
#include "resp/errors.h"

namespace moon::net {

void Listener::on_accept(int fd) { network_.accept(fd, unix_socket_); }

void Listener::on_accept_error(int error) { network_.accept_failed(error); }

Network::Network(dispatch::Engine& engine, shard::Shard& shard, io::Reactor& reactor)
    : engine_(engine), shard_(shard), reactor_(reactor), dispatcher_(engine, shard) {
  shard.thread_owner = this;
}

Network::~Network() = default;

void Network::begin_turn() {
  now_ms_ = wall_ms();
  bulk_max_ = engine_.settings.get(Setting::kProtoMaxBulkLen);
  query_limit_ = static_cast<size_t>(engine_.settings.get(Setting::kClientQueryBufferLimit));
}

// --- accepting --------------------------------------------------------------------------------

void Network::listen(int fd, bool unix_socket) {
  listeners_.push_back(std::make_unique<Listener>(*this, unix_socket));
  reactor_.listen(fd, *listeners_.back());
}

void Network::stop_listening() {
  for (auto& listener : listeners_) reactor_.unlisten(*listener);
}

void Network::accept(int fd, bool unix_socket) {
  const Settings& settings = engine_.settings;
  if (engine_.clients->size() >= static_cast<uint64_t>(settings.get(Setting::kMaxclients))) {
    shard_.counters.add(Counter::kRejectedConnections);
    return refuse(fd, resp::error_text(resp::Err::kMaxClients));
  }
  if (!unix_socket) io::configure_tcp(fd, static_cast<int>(settings.get(Setting::kTcpKeepalive)));
  const bool local = unix_socket || io::peer_is_loopback(fd);
  const bool password = !settings.text(Setting::kRequirepass).empty();
  if (!local && !password && settings.on(Setting::kProtectedMode)) {
    shard_.counters.add(Counter::kRejectedConnections);
    return refuse(fd, resp::error_text(resp::Err::kProtectedMode));
  }
  auto* connection = new Connection(engine_.clients->next_id(), *this, fd, unix_socket);
  if (unix_socket) {
    connection->address = settings.text(Setting::kUnixsocket) + ":0";
    connection->local_address = connection->address;
  } else {
    connection->address = io::peer_address(fd);
    connection->local_address = io::local_address(fd);
  }
  if (password) connection->set_gate(dispatch::kGateAuth);
  ++alive_;
  connections_.emplace(connection->id, connection);
  engine_.clients->add(*connection);
  shard_.counters.add(Counter::kTotalConnectionsReceived);
  shard_.counters.add(Counter::kConnectedClients);
  connection->start();
}

// As Redis: one attempt to tell, then the socket is closed.
void Network::refuse(int fd, std::string_view text) {
  std::string line = "-";
  line += text;
  line += "\r\n";
  [[maybe_unused]] ssize_t written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

void Network::accept_failed(int error) {
  std::string json = "{\"level\":\"warning\",\"message\":\"Accepting client connection: ";
  json += strerrordesc_np(error) != nullptr ? strerrordesc_np(error) : "unknown error";
  json += "\"}";
  engine_.control->event("log", json);
}

// --- sending ----------------------------------------------------------------------------------

void Network::mark_dirty(Connection& connection) {
  if (connection.listed_dirty) return;
  connection.listed_dirty = true;
  dirty_.push_back(&connection);
}

void Network::flush() {
  flushing_.swap(dirty_);
  for (Connection*& connection : flushing_) {
    if (connection == nullptr) continue;  // forgotten meanwhile
    connection->listed_dirty = false;
    connection->flush();
  }
  flushing_.clear();
}

// --- life and death ---------------------------------------------------------------------------

void Network::forget(Connection& connection) {
  if (connections_.erase(connection.id) == 0) return;
  engine_.clients->remove(connection);
  shard_.counters.sub(Counter::kConnectedClients);
  if (!connection.listed_dirty) return;
  std::replace(dirty_.begin(), dirty_.end(), &connection, static_cast<Connection*>(nullptr));
  std::replace(flushing_.begin(), flushing_.end(), &connection,
               static_cast<Connection*>(nullptr));
}

void Network::tick() {
  std::vector<Connection*> all;
  all.reserve(connections_.size());
  for (auto& [id, connection] : connections_) all.push_back(connection);
  for (Connection* connection : all) connection->on_tick(now_ms());
  dispatcher_.chunks().trim(kChunksKept);
  if (shard_.index == 0) dispatch::evict_clients(engine_, shard_.counters);
}

void Network::close_all() {
  std::vector<Connection*> all;
  for (auto& [id, connection] : connections_) all.push_back(connection);
  for (Connection* connection : all) connection->close_now();
  std::vector<LocalSession*> locals;
  for (auto& [id, session] : locals_) locals.push_back(session.get());
  for (LocalSession* session : locals) session->close_now();
}

bool Network::drained() const {
  for (const auto& [id, connection] : connections_) {
    if (!connection->settled()) return false;
  }
  return true;
}

void Network::close_killed() {
  std::vector<Connection*> killed;
  for (auto& [id, connection] : connections_) {
    if (connection->kill_requested.load(std::memory_order_acquire)) killed.push_back(connection);
  }
  for (Connection* connection : killed) connection->close_now();
}

void Network::on_kill(shard::Shard& home, void* /*unused*/) {
  static_cast<Network*>(home.thread_owner)->close_killed();
}

void Network::call_local(std::unique_ptr<LocalCall> call) {
  auto session =
      std::make_unique<LocalSession>(engine_.clients->next_id(), *this, std::move(call));
  LocalSession& opened = *session;
  engine_.clients->add(opened);
  locals_.emplace(opened.id, std::move(session));
  opened.start();
}

// The session may be on the call stack: it is deleted by the next poll.
void Network::forget_local(LocalSession& session) {
  auto found = locals_.find(session.id);
  if (found == locals_.end()) return;
  LocalSession* doomed = found->second.release();
  locals_.erase(found);
  engine_.clients->remove(session);
  shard_.post(shard_, {[](shard::Shard&, void* pointer) {
                         delete static_cast<LocalSession*>(pointer);
                       },
                       doomed});
}

void Network::answer_control(uint64_t client_id, std::string_view reply) {
  dispatch::Session* session = nullptr;
  if (auto local = locals_.find(client_id); local != locals_.end()) {
    session = local->second.get();
  } else if (auto found = connections_.find(client_id); found != connections_.end()) {
    session = found->second;
  }
  if (session != nullptr && session->parked()) dispatcher_.answer_control(*session, reply);
}

void Network::log_closing(const dispatch::Client& client, const char* reason) {
  std::string json = "{\"level\":\"warning\",\"message\":\"Closing client id=";
  json += std::to_string(client.id);
  json += " addr=" + client.address;
  json += " for overcoming of the ";
  json += reason;
  json += "\"}";
  engine_.control->event("log", json);
}

}  // namespace moon::net
