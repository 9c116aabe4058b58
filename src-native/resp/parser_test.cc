#include "resp/parser.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "resp/parser_harness.h"

namespace moon::resp {
namespace {

using Requests = std::vector<std::vector<std::string>>;

std::string encode(const std::vector<std::string>& arguments) {
  std::string bytes = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& argument : arguments) {
    bytes += "$" + std::to_string(argument.size()) + "\r\n" + argument + "\r\n";
  }
  return bytes;
}

struct Result {
  Requests requests;
  std::string error;
  bool operator==(const Result&) const = default;
};

Result parse_pieces(std::string_view bytes, const std::vector<size_t>& cuts,
                    const ParserLimits& limits = {}) {
  ParserHarness harness(limits);
  size_t at = 0;
  for (size_t cut : cuts) {
    if (!harness.feed(bytes.substr(at, cut - at))) break;
    at = cut;
  }
  harness.feed(bytes.substr(at));
  return {harness.requests(), harness.error()};
}
Result parse_whole(std::string_view bytes, const ParserLimits& limits = {}) {
  return parse_pieces(bytes, {}, limits);
}

TEST(Parser, Multibulk) {
  const Result result = parse_whole("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(result.requests, (Requests{{"SET", "k", ""}, {"PING"}}));
  EXPECT_EQ(result.error, "");
}

TEST(Parser, BinaryArguments) {
  const std::vector<std::string> arguments = {"SET", std::string("a\0b\r\n$", 6), "\xff\r\n"};
  EXPECT_EQ(parse_whole(encode(arguments)).requests, Requests{arguments});
}

TEST(Parser, EmptyRequestsAreSkipped) {
  EXPECT_EQ(parse_whole("*0\r\n*-1\r\n\r\n \r\n\n*1\r\n$4\r\nPING\r\n").requests,
            (Requests{{"PING"}}));
}

TEST(Parser, LineEndsAreNotJudged) {
  // Redis looks for CR and skips two bytes; behind an argument it skips two bytes unseen.
  EXPECT_EQ(parse_whole("*2\rX$1\rYaZZ$1\r\nb??*1\r\n$1\r\nc\r\n").requests,
            (Requests{{"a", "b"}, {"c"}}));
}

TEST(Parser, InlineWords) {
  const struct {
    const char* line;
    std::vector<std::string> words;
  } cases[] = {
      {"PING", {"PING"}},
      {"  set  k\tv ", {"set", "k", "v"}},
      {"set k \"a b\"", {"set", "k", "a b"}},
      {"set k \"\\x41\\n\\r\\t\\b\\a\\\\\\\"\\q\"", {"set", "k", "A\n\r\t\b\a\\\"q"}},
      {"set k \"\\xZZ\\x4\"", {"set", "k", "xZZx4"}},
      {"set k 'it\\'s \\n'", {"set", "k", "it's \\n"}},
      {"set k pre\"fix\" x", {"set", "k", "prefix", "x"}},
      {"set k \"\" ''", {"set", "k", "", ""}},
      {"a\vb \fc", {"a\vb", "c"}},
      {"get back\\slash", {"get", "back\\slash"}},
  };
  for (const auto& c : cases) {
    for (const char* line_end : {"\r\n", "\n"}) {
      const Result result = parse_whole(std::string(c.line) + line_end);
      EXPECT_EQ(result.requests, Requests{c.words}) << c.line;
      EXPECT_EQ(result.error, "") << c.line;
    }
  }
}

TEST(Parser, ErrorTexts) {
  const std::string protocol = "ERR Protocol error: ";
  const struct {
    std::string bytes;
    std::string error;
  } cases[] = {
      {"*abc\r\n", "invalid multibulk length"},
      {"*\r\n", "invalid multibulk length"},
      {"*01\r\n", "invalid multibulk length"},
      {"*+1\r\n", "invalid multibulk length"},
      {"*2147483648\r\n", "invalid multibulk length"},
      {"*1\r\nfoo\r\n", "expected '$', got 'f'"},
      {"*1\r\n:3\r\n", "expected '$', got ':'"},
      {"*2\r\n$1\r\na\r\n*1\r\n", "expected '$', got '*'"},
      {"*1\r\n$-1\r\n", "invalid bulk length"},
      {"*1\r\n$x\r\n", "invalid bulk length"},
      {"*1\r\n$\r\n", "invalid bulk length"},
      {"*1\r\n$536870913\r\n", "invalid bulk length"},
      {"*1\r\n$99999999999999999999\r\n", "invalid bulk length"},
      {"*" + std::string(65536, '1'), "too big mbulk count string"},
      {"*1\r\n$" + std::string(65536, '1'), "too big bulk count string"},
      {std::string(65537, 'a'), "too big inline request"},
      {"set k \"abc\r\n", "unbalanced quotes in request"},
      {"set k 'abc\r\n", "unbalanced quotes in request"},
      {"set k \"abc\"d\r\n", "unbalanced quotes in request"},
      {"set k \"abc\\\"\r\n", "unbalanced quotes in request"},
  };
  for (const auto& c : cases) {
    const Result result = parse_whole("*1\r\n$4\r\nPING\r\n" + c.bytes);
    EXPECT_EQ(result.error, protocol + c.error) << c.bytes.substr(0, 40);
    EXPECT_EQ(result.requests.size(), 1U) << c.bytes.substr(0, 40);
  }
}

TEST(Parser, WaitsRatherThanJudgesEarly) {
  for (const char* bytes : {"PING", "*", "*1", "*1\r", "*abc", "*1\r\nfoo", "*1\r\n$99999999999",
                            "*2147483647\r\n", "*1\r\n$536870912\r\n"}) {
    ParserHarness harness;
    EXPECT_TRUE(harness.feed(bytes)) << bytes;
    EXPECT_TRUE(harness.requests().empty()) << bytes;
    // A header costs memory only as what it announces comes true.
    EXPECT_LT(harness.parser().memory(), 70000U) << bytes;
  }
  ParserHarness harness;
  EXPECT_TRUE(harness.feed("*" + std::string(kInlineMax - 1, '1')));
  EXPECT_TRUE(harness.feed(""));
  EXPECT_FALSE(harness.feed("1"));
}

TEST(Parser, LongestInlineRequest) {
  const std::string word(kInlineMax, 'a');
  EXPECT_EQ(parse_whole(word + "\n").requests, (Requests{{word}}));
  EXPECT_EQ(parse_whole(word + "a\n").error, "ERR Protocol error: too big inline request");
}

TEST(Parser, BeforeAuthentication) {
  const ParserLimits limits = {kBulkMaxDefault, false};
  const std::vector<std::string> ten(10, "a");
  EXPECT_EQ(parse_whole(encode(ten), limits).requests, Requests{ten});
  EXPECT_EQ(parse_whole("*11\r\n", limits).error,
            "ERR Protocol error: unauthenticated multibulk length");
  const std::vector<std::string> widest = {"AUTH", std::string(16384, 'p')};
  EXPECT_EQ(parse_whole(encode(widest), limits).requests, Requests{widest});
  EXPECT_EQ(parse_whole("*2\r\n$4\r\nAUTH\r\n$16385\r\n", limits).error,
            "ERR Protocol error: unauthenticated bulk length");
}

TEST(Parser, ConfiguredBulkLimit) {
  const ParserLimits limits = {1 << 20, true};
  EXPECT_EQ(parse_whole("*1\r\n$1048577\r\n", limits).error,
            "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(parse_whole("*1\r\n$1048576\r\n", limits).error, "");
}

TEST(Parser, EverySplitGivesTheSame) {
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back("argument" + std::to_string(i));
  const std::string samples[] = {
      encode({"SET", "key", "value"}) + encode({"GET", "key"}) + "*0\r\n" + encode({"PING"}),
      "set k \"a \\x41b\"\r\n\r\nping\n" + encode({"", std::string(120, 'x')}),
      encode(many) + encode({"PING"}),
      encode({"PING"}) + "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n:1\r\n",
      "*2\r\n$4\r\nECHO\r\n$-5\r\n",
      encode({"PING"}) + "*1x\r\n",
      "get 'a\n",
  };
  for (const std::string& sample : samples) {
    const Result whole = parse_whole(sample);
    for (size_t cut = 0; cut <= sample.size(); ++cut) {
      EXPECT_EQ(parse_pieces(sample, {cut}), whole) << sample << " cut at " << cut;
    }
    std::vector<size_t> every;
    for (size_t cut = 1; cut < sample.size(); ++cut) every.push_back(cut);
    EXPECT_EQ(parse_pieces(sample, every), whole) << sample;
  }
}

TEST(Parser, RandomRequestsInRandomPieces) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    Requests requests;
    std::string bytes;
    for (size_t r = 1 + random() % 6; r > 0; --r) {
      std::vector<std::string> arguments;
      for (size_t a = 1 + random() % (random() % 4 == 0 ? 60 : 5); a > 0; --a) {
        size_t size = random() % 40;
        if (random() % 20 == 0) size = random() % 100000;
        arguments.emplace_back(size, static_cast<char>('a' + a % 26));
      }
      bytes += encode(arguments);
      requests.push_back(std::move(arguments));
    }
    std::vector<size_t> cuts;
    const size_t piece = 1 + random() % (random() % 2 == 0 ? 300 : 40000);
    size_t at = 0;
    while ((at += 1 + random() % piece) < bytes.size()) cuts.push_back(at);
    const Result result = parse_pieces(bytes, cuts);
    ASSERT_EQ(result.error, "");
    ASSERT_EQ(result.requests, requests) << "round " << round;
  }
}

TEST(Parser, LargeArgumentIsReceivedIntoPlace) {
  const std::string value(1000000, 'v');
  const std::string bytes = encode({"SET", "key", value}) + encode({"PING"});
  ParserHarness harness;
  for (size_t at = 0; at < bytes.size(); at += 10000) {
    EXPECT_TRUE(harness.feed(std::string_view(bytes).substr(at, 10000)));
    EXPECT_LT(harness.held(), 100U);
    // Doubling: never more than twice what has come, plus the first reservation.
    EXPECT_LE(harness.parser().memory(), 2 * (at + 10000) + kLargeReserveFirst + 1000);
  }
  EXPECT_EQ(harness.requests(), (Requests{{"SET", "key", value}, {"PING"}}));
  EXPECT_EQ(harness.taken().size(), 1U);
  EXPECT_GT(harness.fed_large(), value.size() - 20000);
  EXPECT_EQ(harness.parser().memory(), 0U);
}

TEST(Parser, LargeArgumentNotTakenIsReleased) {
  const std::string bytes = encode({"SET", "key", std::string(50000, 'v')});
  Parser parser;
  ArgArena arena;
  Request request;
  std::string first = bytes.substr(0, 20000);
  EXPECT_EQ(parser.next(first, {}, arena, &request), ParseStatus::kNeedMore);
  EXPECT_EQ(parser.consumed(), first.size());
  EXPECT_TRUE(parser.receiving_large());
  parser.drop(parser.consumed());
  std::string second = bytes.substr(20000);
  const size_t taken = parser.feed_large(second);
  EXPECT_EQ(taken, second.size() - 2);
  EXPECT_FALSE(parser.receiving_large());
  second.erase(0, taken);
  EXPECT_EQ(parser.next(second, {}, arena, &request), ParseStatus::kRequest);
  EXPECT_TRUE(request.has_large);
  EXPECT_EQ(arena[request.first + 2].size(), 50000U);
  EXPECT_EQ(parser.take_large(arena[request.first]), nullptr);
  EXPECT_GT(parser.memory(), 50000U);
  parser.drop(parser.consumed());
  EXPECT_EQ(parser.memory(), 0U);
}

TEST(Parser, BatchViewsLiveUntilDrop) {
  // A request that was moved, then more requests in the same batch: all views hold.
  const std::string big(40000, 'b');
  const std::string bytes = encode({"SET", "k", big}) + encode({"MSET", big, big}) +
                            encode({"PING"});
  EXPECT_EQ(parse_pieces(bytes, {100, 39000, 40100, 90000}).requests,
            (Requests{{"SET", "k", big}, {"MSET", big, big}, {"PING"}}));
}

TEST(Parser, IdleOwnsNothing) {
  ParserHarness harness;
  const std::string bytes = encode({"SET", "key", "value"});
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    harness.feed(bytes.substr(0, cut));
    EXPECT_EQ(harness.parser().memory(), 0U);  // short partial requests stay in the input
    harness.feed(bytes.substr(cut));
    EXPECT_EQ(harness.parser().memory(), 0U);
  }
  EXPECT_EQ(harness.requests().size(), bytes.size() + 1);
  EXPECT_EQ(sizeof(Parser), 32U);
}

TEST(Parser, MillionArgumentsInPiecesAreLinear) {
  std::string bytes = "*1000001\r\n$5\r\nRPUSH\r\n";
  for (int i = 0; i < 1000000; ++i) bytes += "$3\r\nabc\r\n";
  constexpr size_t kPiece = 64 * 1024;
  ParserHarness harness;
  size_t seen = 0;  // bytes given to next(), those given again included
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    seen += harness.held() + std::min(kPiece, bytes.size() - at);
    EXPECT_TRUE(harness.feed(std::string_view(bytes).substr(at, kPiece)));
    EXPECT_LT(harness.held(), 16U);
  }
  EXPECT_LT(seen, bytes.size() + bytes.size() / 100);
  ASSERT_EQ(harness.requests().size(), 1U);
  EXPECT_EQ(harness.requests()[0].size(), 1000001U);
  EXPECT_EQ(harness.requests()[0].back(), "abc");
}

TEST(Parser, ErrorIsFinalUntilReset) {
  Parser parser;
  ArgArena arena;
  Request request;
  std::string bad = "*x\r\n";
  EXPECT_EQ(parser.next(bad, {}, arena, &request), ParseStatus::kError);
  std::string good = "PING\r\n";
  EXPECT_EQ(parser.next(good, {}, arena, &request), ParseStatus::kError);
  parser.reset();
  EXPECT_EQ(parser.next(good, {}, arena, &request), ParseStatus::kRequest);
  EXPECT_EQ(arena[request.first], "PING");
}

TEST(Parser, ResetInTheMiddleOfALargeArgument) {
  ParserHarness harness;
  harness.feed("*2\r\n$1\r\na\r\n$100000\r\nabc");
  EXPECT_TRUE(harness.parser().receiving_large());
  harness.parser().reset();
  EXPECT_EQ(harness.parser().memory(), 0U);
}

}  // namespace
}  // namespace moon::resp
