// Lines as schedcc writes them are read in another way than all others. Both ways must agree: on
// the transfers, the numbers of their lines, and the place and words of errors. Lines with spaces
// at their end are read in the general way, and have the same columns.

#include "catch.hpp"
#include "formats.hpp"

#include <string>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "core/input_text.hpp"
#include "format/sched/plain_lines.hpp"
#include "format/sched/reader.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

/// The same text, with spaces at the end of every n-th line.
std::string spaced(const std::string& text, std::size_t n) {
  std::string result;
  std::size_t line = 0;
  for (const char c : text) {
    if (c == '\n' && line++ % n == 0) result += "  ";
    result += c;
  }
  return result;
}

constexpr std::size_t never = -1;

/// Every transfer with its step and line; or where and why the text cannot be read. `from`: when so
/// many steps were read, the others are read ahead.
std::vector<std::string> steps_of(const std::string& text, std::size_t from = never,
                                  std::size_t threads = 0) {
  std::vector<std::string> result;
  try {
    const auto stream = read_sched(InputText::of(text), "x").open();
    std::size_t steps = 0;
    const auto ahead = [&] {
      if (steps++ == from) stream->read_ahead(threads);
    };
    ahead();
    for (Step step; stream->next(step); ahead()) {
      for (std::size_t i = 0; i < step.transfers.size(); ++i) {
        const Transfer& t = step.transfers[i];
        result.push_back(fmt::format("{} x{}: {} {} {} {} {} line {}", step.number, step.rounds,
                                     t.src, t.dst, t.first, t.count, t.reduce, step.lines[i]));
      }
    }
  } catch (const InputError& error) {
    result.push_back(
        fmt::format("{}:{}: {}", error.location.line, error.location.column, error.what()));
  }
  return result;
}

void agree(const std::string& text) {
  const std::vector<std::string> plain = steps_of(text);
  for (const std::size_t n : {1, 2, 3, 7}) CHECK(steps_of(spaced(text, n)) == plain);
}

constexpr const char* beginning =
    "schedcc 1\ncollective broadcast\nranks 4000000000\nroot 0\nchunks 2147483647\n";

}  // namespace

TEST_CASE("plain lines are read as all others are") {
  for (const auto& [spec, collective, P, K] :
       {std::tuple("ring", Collective::allreduce, 9U, 18U),
        std::tuple("bruck", Collective::alltoall, 13U, 2U),
        std::tuple("circulant", Collective::broadcast, 40U, 11U),
        std::tuple("recursive-doubling", Collective::allgather, 16U, 3U)}) {
    Problem problem;
    problem.collective = collective;
    problem.ranks = P;
    problem.chunks = K;
    const Source source = from_algorithm(spec, problem);
    const std::string text = formats::written(source, "sched");
    CHECK(steps_of(text).size() > 20);
    agree(text);
  }
}

TEST_CASE("what is not a plain line is left to the general reader") {
  const std::string filling = "step 0\n0 -> 1 : 0\n1 -> 2 : 3-5 reduce\n";
  const std::string after = "7 -> 8 : 9\n" + std::string(80, '#') + "\nstep 9\n1 -> 2 : 3\n";
  for (const char* line : {"0 -> 1 : 4294967295",
                           "4294967295 -> 1 : 0",
                           "0 -> 4294967296 : 0",
                           "0 -> 1 : 5-3",
                           "0 -> 1 : 0-4294967295",
                           "0 -> 1 : 00007-008",
                           "0 -> 1 : 1,3",
                           "0 -> 1 : 1-2,4 reduce",
                           "0 -> 1 : 1 reduces",
                           "0 -> 1 : 1 reduce reduce",

                           "-1 -> 2 : 0",
                           "0 -> 1 : -1",
                           "0 -> 1 : 1-",
                           "0 - > 1 : 0",
                           "0 -> x : 0",
                           "0->1 : 0",
                           "0 -> 1 : 1x",
                           "a",

                           "step 0",
                           "step 5",
                           "step 5 rounds 2",
                           "step 5 rounds 0",
                           "ranks 5",
                           "",
                           "# 0 -> 1 : 0",
                           "0 -> 1 : 0 # 5",
                           "\t0 -> 1 : 0",
                           "0 -> 1 : 0\r",
                           "123456789 -> 1 : 0-123456789 reduce"}) {
    INFO(line);
    agree(beginning + filling + line + "\n" + after);
    agree(beginning + filling + line);  // at the end of the text
  }
}

TEST_CASE("the reader of plain lines stops before the end of the text and before other lines") {
  Transfers transfers;
  const std::string line = "1 -> 2 : 3-5 reduce\n";
  CHECK(read_plain_lines(fmt::format("{0}{0}{1:#>64}", line, ""), transfers) == 2 * line.size());
  REQUIRE(transfers.size() == 2);
  CHECK(transfers[1].first == 3);
  CHECK(transfers[1].count == 3);
  CHECK(transfers[1].reduce == 1);
  CHECK(read_plain_lines(line, transfers) == 0);
  CHECK(read_plain_lines({}, transfers) == 0);
}

TEST_CASE("pieces that are read ahead have the plain lines of the text") {
  std::string text = "schedcc 1\n";
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("{} -> {} : {}-{}{}\n", i, i + 1, i, 2 * i, i % 3 == 0 ? " reduce" : "");
    if (i % 7 == 0 || i % 64 < 3) text += i % 2 == 0 ? "\n" : fmt::format("step {} # text\n", i);
    if (i % 50 == 0) text += "# " + std::string(i, '#') + "\n";
  }
  for (const std::string& end : {std::string(), std::string(70, '#'), std::string(70, '\n')}) {
    const std::string whole = text + end;
    for (const std::size_t piece : {1, 20, 21, 100, 997, 1000000}) {
      for (const std::size_t threads : {1, 3}) {
        PlainLinesAhead ahead(InputText::of(whole), 0, threads, piece);
        // Some lines are passed over, as if they had been read in another way.
        std::size_t number = 0;
        for (std::size_t at = 0; at < whole.size();) {
          Transfers expected, read;
          const std::size_t most = read_plain_lines(std::string_view(whole).substr(at), expected);
          const std::size_t bytes = ahead.read(at, read);
          INFO("piece " << piece << ", at " << at);
          REQUIRE(bytes == (at == 0 ? 0 : most));
          REQUIRE(read == (bytes == 0 ? Transfers() : expected));
          const std::size_t lines = ++number % 5 == 0 ? 2 : 1;
          at += bytes;
          for (std::size_t i = 0; i < lines && at < whole.size(); ++i)
            at = std::min(whole.find('\n', at), whole.size() - 1) + 1;
        }
      }
    }
  }
}

TEST_CASE("a large text is the same when it is read ahead, from the start or from a step on") {
  Problem problem;
  problem.collective = Collective::alltoall;
  problem.ranks = 400;
  const std::string text = formats::written(from_algorithm("pairwise", problem), "sched");
  REQUIRE(text.size() > 2 * PlainLinesAhead::usual_piece);
  for (const char* end : {"", "0 -> 1 : x\n"}) {
    const std::string whole = text + end;
    const std::vector<std::string> expected = steps_of(whole);
    for (const std::size_t from : {0, 3}) {
      for (const std::size_t threads : {0, 1, 5}) CHECK(steps_of(whole, from, threads) == expected);
    }
  }
}
