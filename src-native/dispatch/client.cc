#include "dispatch/client.h"

#include "dispatch/transaction.h"

namespace moon::dispatch {

Client::Client(uint64_t client_id, shard::Shard& home_shard) : id(client_id), home(home_shard) {}
Client::~Client() = default;

std::string Client::name() const {
  std::lock_guard guard(names_mutex_);
  return names_ == nullptr ? std::string() : names_->name;
}

std::string Client::library_name() const {
  std::lock_guard guard(names_mutex_);
  return names_ == nullptr ? std::string() : names_->library_name;
}

std::string Client::library_version() const {
  std::lock_guard guard(names_mutex_);
  return names_ == nullptr ? std::string() : names_->library_version;
}

Client::Names& Client::names() {
  if (names_ == nullptr) names_ = std::make_unique<Names>();
  return *names_;
}

void Client::set_name(std::string_view value) {
  std::lock_guard guard(names_mutex_);
  names().name = value;
}

void Client::set_library_name(std::string_view value) {
  std::lock_guard guard(names_mutex_);
  names().library_name = value;
}

void Client::set_library_version(std::string_view value) {
  std::lock_guard guard(names_mutex_);
  names().library_version = value;
}

}  // namespace moon::dispatch
