// Feeds a parser as a connection does, for the unit test and the fuzzer: the input lives in an
// allocation of exactly its size, so that the address sanitizer sees every byte read too far.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "resp/parser.h"

namespace moon::resp {

class ParserHarness {
 public:
  explicit ParserHarness(const ParserLimits& limits = {}) : limits_(limits) {}
  ~ParserHarness() {
    for (SharedBytes* block : taken_) block->release();
  }

  // False once the parser has said kError.
  bool feed(std::string_view piece) {
    if (!error_.empty()) return false;
    if (parser_.receiving_large()) {
      const size_t taken = parser_.feed_large({piece.data(), piece.size()});
      fed_large_ += taken;
      piece.remove_prefix(taken);
    }
    append(piece);
    Request request;
    ParseStatus status;
    ArgArena arena;
    std::vector<Request> batch;
    while ((status = parser_.next({input_.get(), size_}, limits_, arena, &request)) ==
           ParseStatus::kRequest) {
      batch.push_back(request);
    }
    // As in the server, the whole batch is parsed before anything is executed.
    for (const Request& one : batch) execute(one, arena);
    if (status == ParseStatus::kError) error_ = parser_.error_text();
    const size_t consumed = parser_.consumed();
    MOON_ASSERT(consumed <= size_);
    keep_from(consumed);
    parser_.drop(consumed);
    return error_.empty();
  }

  const std::vector<std::vector<std::string>>& requests() const { return requests_; }
  const std::string& error() const { return error_; }
  Parser& parser() { return parser_; }
  size_t held() const { return size_; }            // bytes kept in the input
  size_t fed_large() const { return fed_large_; }  // bytes that never were in the input
  const std::vector<SharedBytes*>& taken() const { return taken_; }

 private:
  void append(std::string_view piece) {
    auto grown = std::make_unique<char[]>(size_ + piece.size());
    if (size_ != 0) std::memcpy(grown.get(), input_.get(), size_);
    std::copy(piece.begin(), piece.end(), grown.get() + size_);
    size_ += piece.size();
    input_ = std::move(grown);
  }
  void keep_from(size_t offset) {
    const std::string rest(input_.get() + offset, size_ - offset);
    size_ = 0;
    append(rest);
  }
  void execute(const Request& request, const ArgArena& arena) {
    std::vector<std::string> arguments;
    bool any_large = false;
    for (uint32_t i = 0; i < request.count; ++i) {
      const std::string_view argument = arena[request.first + i];
      SharedBytes* block = parser_.take_large(argument);
      if (block != nullptr) {
        MOON_ASSERT(block->size() == block->capacity());
        MOON_ASSERT(block->view() == argument);
        MOON_ASSERT(parser_.take_large(argument) == nullptr);
        taken_.push_back(block);
        any_large = true;
      }
      arguments.emplace_back(argument);
    }
    MOON_ASSERT(any_large == request.has_large);
    MOON_ASSERT(request.begin <= request.end);
    requests_.push_back(std::move(arguments));
  }

  ParserLimits limits_;
  Parser parser_;
  std::unique_ptr<char[]> input_ = std::make_unique<char[]>(0);
  size_t size_ = 0;
  size_t fed_large_ = 0;
  std::vector<std::vector<std::string>> requests_;
  std::vector<SharedBytes*> taken_;
  std::string error_;
};

}  // namespace moon::resp
