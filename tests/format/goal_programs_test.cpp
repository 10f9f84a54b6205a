// GOAL programs of others: what LogGOPSim's generators write, and long ones.

#include "catch.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "format/goal/labels.hpp"
#include "format/goal/match.hpp"
#include "format/goal/program.hpp"
#include "formats.hpp"
#include "schedcc/check.hpp"

using namespace formats;

namespace {

using Kind = GoalProgram::Kind;

struct RandomNumbers {
  explicit RandomNumbers(std::uint32_t seed) : engine(seed) {}
  std::uint32_t operator()(std::size_t n) { return static_cast<std::uint32_t>(engine() % n); }
  std::mt19937 engine;
};

Report verdict_of(const std::string& text) {
  const Source source = read(text, "goal");
  return check(source, make_machine("duplex", source.problem.ranks), {});
}

/// The text of an error; "none" if there is none.
std::string refused(const std::string& text) {
  try {
    verdict_of(text);
  } catch (const InputError& error) {
    return fmt::format("{}:{}: {}", error.location.line, error.location.column, error.what());
  }
  return "none";
}

/// A file of these ranks.
std::string goal_file(const std::vector<std::string>& ranks) {
  std::string text = fmt::format("num_ranks {}\n", ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    text += fmt::format("\nrank {} {{\n{}}}\n", rank, ranks[rank]);
  return text;
}

/// Each of `ranks` ranks sends on, `rounds` times, what it has received; `last` lines for each.
std::string ring_file(int ranks, int rounds, const std::string& last = "") {
  std::vector<std::string> programs;
  for (int rank = 0; rank < ranks; ++rank) {
    std::string text;
    for (int i = 0; i < rounds; ++i) {
      text += fmt::format("l{}: send 64b to {} tag 0\n", 2 * i + 1, (rank + 1) % ranks);
      if (i > 0) text += fmt::format("l{} requires l{}\n", 2 * i + 1, 2 * i);
      text += fmt::format("l{}: recv 64b from {} tag 0\n", 2 * i + 2, (rank + ranks - 1) % ranks);
    }
    programs.push_back(text + last);
  }
  return goal_file(programs);
}

}  // namespace

TEST_CASE("what LogGOPSim's generators write is read") {
  const struct {
    const char* what;
    std::vector<std::string> ranks;
    std::uint64_t messages;
  } cases[] = {
      {"a rank without operations", {"", ""}, 0},
      {"one rank, whose messages are its own",
       {"l1: send 1b to 0 tag 0\nl2: recv 1b from 0 tag 0\n"},
       0},
      {"a rank that sends to itself and to another",
       {"l1: send 8b to 0 tag 0\nl2: send 8b to 1 tag 0\nl3: calc 8\nl4: recv 8b from 0 tag 0\n"
        "l3 requires l4\nl2 requires l3\n",
        "l1: recv 8b from 0 tag 0\n"},
       1},
      {"an operation that waits for later ones",
       {"l1: calc 0\nl2: recv 1b from 1 tag 0\nl3: send 1b to 1 tag 0\nl1 requires l2\n"
        "l3 requires l1\n",
        "l1: send 1b to 0 tag 0\nl2: recv 1b from 0 tag 0\n"},
       2},
      {"calculations on another processor, and of no length",
       {"l1: calc 100 cpu 1\nl2: calc 0 cpu 1\nl2 requires l1\nl3: send 1b to 1 tag 0\n"
        "l3 irequires l2\n",
        "l1: recv 1b from 0 tag 0\n"},
       1},
      {"comments of a trace, and a blank line at the end of a rank",
       {"/* Isend begin */\nl1: send 4b to 1 tag 5\n/* Isend end */\n\n",
        "/* Irecv begin */\nl1: recv 4b from 0 tag 5\n/* Irecv end */\n\n"},
       1},
      {"a tag with the communicator in its high bits, as a negative number of 64 bits",
       {"l1: send 4b to 1 tag 18446744071578845191\n", "l1: recv 4b from 0 tag 2164260871\n"},
       1},
      {"receives from any rank, and of any tag, where one is possible",
       {"l1: recv 4b from -1 tag 7\nl2: recv 4b from 2 tag 18446744073709551615\n"
        "l3: recv 4b from -1 tag 8\n",
        "l1: send 4b to 0 tag 7\nl2: send 4b to 0 tag 8\n", "l1: send 4b to 0 tag 7000\n"},
       3},
  };
  for (const auto& c : cases) {
    INFO(c.what);
    const Report report = verdict_of(goal_file(c.ranks));
    CHECK(report.verdict() == Verdict::holds);
    CHECK(report.findings.empty());
    CHECK(report.messages == c.messages);
  }
}

TEST_CASE("a receive from any rank is refused if more than one message can arrive") {
  const std::string twice =
      "-1 takes the message that comes first, which depends on the times; a schedule must name the "
      "rank and the tag";
  const std::string sends = "send 4b to 0 tag 7\n";
  CHECK(refused(goal_file({"recv 4b from -1 tag 7\nrecv 4b from -1 tag 7\n", sends, sends})) ==
        "4:14: " + twice);
  CHECK(refused(goal_file({"recv 4b from 1 tag -1\nrecv 4b from 1 tag -1\n",
                           sends + "send 4b to 0 tag 8\n"})) == "4:20: " + twice);
  CHECK(refused(goal_file({"recv 4b from -1 tag -1\n", "send 4b to 2\n", "recv 4b from 1\n"})) ==
        "4:14: no rank sends a message that rank 0 can receive here");
  CHECK(refused(goal_file({"recv 4b from -1 tag 7\nrecv 4b from -1 tag 7\n", sends + sends})) ==
        "none");
}

TEST_CASE("labels are those that a map has") {
  RandomNumbers below(7);
  GoalLabels labels;
  for (std::uint32_t rank = 0; rank < 60; ++rank) {
    labels.clear();
    std::map<std::string, std::uint32_t> expected;
    std::set<std::string> texts;  // of labels, which must outlive them
    const std::uint32_t most = rank % 3 == 0 ? 3000 : 40;
    const char* const prefixes[] = {"l", "o", "b", "l1_", "x", "calc_"};
    for (std::uint32_t i = 0; i < most; ++i) {
      const std::uint32_t which = below(6), number = below(8) == 0 ? below(most) : i;
      const std::string label =
          prefixes[which < 2 ? which : which % (1 + rank % 6)] +
          (below(16) == 0 ? "0" + std::to_string(number) : std::to_string(number));
      const bool added = expected.try_emplace(label, i).second;
      REQUIRE(labels.insert(*texts.insert(label).first, i) == added);
      const std::string other = "l" + std::to_string(below(most));
      const auto found = expected.find(other);
      REQUIRE(labels.find(other) ==
              (found == expected.end() ? std::nullopt : std::optional(found->second)));
    }
    for (const auto& [label, operation] : expected) REQUIRE(labels.find(label) == operation);
  }
}

TEST_CASE("sends and receives of equal ranks and tags meet in the order of the file") {
  RandomNumbers below(11);
  for (int trial = 0; trial < 200; ++trial) {
    const Rank ranks = 2 + below(5);
    std::vector<std::vector<std::string>> programs(ranks);
    for (std::uint32_t i = below(60); i > 0; --i) {
      const Rank from = below(ranks), to = below(ranks);
      const std::uint32_t tag = below(3);
      programs[from].push_back(fmt::format("send 1b to {} tag {}\n", to, tag));
      programs[to].push_back(fmt::format("recv 1b from {} tag {}\n", from, tag));
    }
    std::vector<std::string> texts(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::ranges::shuffle(programs[rank], below.engine);
      for (const std::string& line : programs[rank]) texts[rank] += line;
    }
    const GoalProgram program = parse_goal(goal_file(texts), "test");
    const auto partners = match_goal(program, "test");
    // The n-th send of a key meets its n-th receive.
    using Key = std::tuple<Rank, Rank, std::uint32_t, std::size_t>;
    std::map<std::tuple<Rank, Rank, std::uint32_t, Kind>, std::size_t> seen;
    std::map<Key, std::uint32_t> sends, receives;
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      const auto& o = program.operations[i];
      const bool send = o.kind == Kind::send;
      const Rank from = send ? o.rank : o.peer, to = send ? o.peer : o.rank;
      (send ? sends : receives)[{from, to, o.tag, seen[{from, to, o.tag, o.kind}]++}] = i;
    }
    REQUIRE(sends.size() == receives.size());
    for (const auto& [key, send] : sends) {
      CHECK(partners[send] == receives.at(key));
      CHECK(partners[receives.at(key)] == send);
    }
  }
}

TEST_CASE("mutants of long GOAL programs are refused where they are wrong") {
  constexpr int ranks = 16, rounds = 400;
  const std::string text = ring_file(ranks, rounds);
  const Report report = verdict_of(text);
  CHECK(report.verdict() == Verdict::holds);
  CHECK(report.messages == std::uint64_t{ranks} * rounds);
  CHECK(report.steps == rounds);

  // All ranks wait for their last receive before they send.
  const std::string last = fmt::format("l{} requires l{}\n", 2 * rounds - 1, 2 * rounds);
  CHECK(refused(ring_file(ranks, rounds, last)) ==
        fmt::format("{}:1: deadlock: rank 0 waits here for an operation that never completes",
                    3 * rounds));

  RandomNumbers below(3);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t at = below(text.size()), begin = text.rfind('\n', at) + 1,
                      end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    const std::string answer = refused(text.substr(0, begin) + text.substr(end + 1));
    INFO(line);
    if (line.find("requires") != std::string::npos || line.empty()) {
      CHECK(answer == "none");
    } else if (line.find("send") != std::string::npos || line.find("recv") != std::string::npos) {
      const bool labelled = answer.find("has no label") != std::string::npos;
      const bool alone = answer.find("this message (tag 0)") != std::string::npos;
      CHECK((labelled || alone));
    } else {
      CHECK(answer != "none");
    }
  }
}
