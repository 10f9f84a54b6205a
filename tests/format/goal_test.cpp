// GOAL: the dependencies of operations, and programs whose messages are not buffered.

#include "catch.hpp"

#include <string>
#include <vector>

#include "format/goal/program.hpp"
#include "format/goal/run.hpp"
#include "formats.hpp"
#include "schedcc/check.hpp"

using namespace formats;

namespace {

using Kind = GoalProgram::Kind;

/// Of a send its receive, and the other way round, where tags are steps.
std::vector<std::uint32_t> partners(const GoalProgram& program) {
  std::vector<std::uint32_t> result(program.operations.size());
  for (std::uint32_t s = 0; s < result.size(); ++s) {
    const auto& send = program.operations[s];
    if (send.kind != Kind::send) continue;
    for (std::uint32_t r = 0; r < result.size(); ++r) {
      const auto& receive = program.operations[r];
      if (receive.kind == Kind::receive && receive.rank == send.peer && receive.peer == send.rank &&
          receive.tag == send.tag) {
        result[s] = r, result[r] = s;
      }
    }
  }
  return result;
}

/// Which operations of each rank have ended before operation i begins, by everything that it waits
/// for, and what that waited for.
std::vector<std::vector<bool>> ended_before(const GoalProgram& program, bool sends_begin) {
  const std::size_t size = program.operations.size();
  std::vector<std::vector<bool>> result(size, std::vector<bool>(size));
  for (std::uint64_t i = 0; i < size; ++i) {
    for (const auto& d : program.dependencies) {
      if (d.after != i) continue;
      for (std::uint64_t j = 0; j < size; ++j) {
        if (result[d.before][j]) result[i][j] = true;
      }
      const bool begun = sends_begin && program.operations[d.before].kind == Kind::send;
      if (!d.on_start || begun) result[i][d.before] = true;
    }
  }
  return result;
}

Report verified(const std::string& text, std::uint64_t eager = 0, bool strict = false) {
  const Source source = read(text, "goal");
  CheckOptions options;
  options.eager = eager;
  options.strict = strict;
  return check(source, make_machine("duplex", source.problem.ranks), options);
}

/// Two ranks that exchange messages of a chunk, each sending first.
std::string chains(const std::string& bytes) {
  std::string text =
      "// schedcc 1\n// collective allgather\n// ranks 2\n// chunks 1\nnum_ranks 2\n";
  for (int rank = 0; rank < 2; ++rank) {
    const std::string me = std::to_string(rank), other = std::to_string(1 - rank);
    text += "rank " + me + " {\n// step 0\n// " + me + " -> " + other + " : " + me + "\no0: send " +
            bytes + "b to " + other + " tag 0\no1: recv " + bytes + "b from " + other +
            " tag 0\no1 requires o0\n}\n";
  }
  return text;
}

}  // namespace

TEST_CASE("in GOAL operations wait for all of the rank's last step, and for none of their own") {
  std::size_t programs = 0;
  each_source([&](const Source& source) {
    if (source.hop_level() || source.problem.ranks > 8) return;
    const bool cycles = source.machine.starts_with("logp");
    const GoalProgram program = parse_goal(written(source, "goal"), "test");
    const auto partner = partners(program);
    const auto before = ended_before(program, cycles);
    const auto& all = program.operations;
    INFO(source.name << ": " << describe(source.problem));
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      for (std::uint64_t j = 0; j < i; ++j) {
        if (all[i].rank != all[j].rank || all[i].kind == Kind::calculate ||
            all[j].kind == Kind::calculate)
          continue;
        // On logp machines a rank's operations stand one behind the other.
        CHECK(before[i][j] == (cycles || all[j].tag < all[i].tag));
      }
    }
    for (const std::uint64_t eager : {std::uint64_t{0}, UINT64_MAX}) {
      CHECK_FALSE(GoalRun(program, partner).run(eager));
    }
    ++programs;
  });
  CHECK(programs > 60);
}

TEST_CASE("without a machine, a schedule is written for the one that it names") {
  const auto check = [](const Source& source) {
    for (const Format* format : schedcc::formats()) {
      if (!format->writable) continue;
      // Graphviz draws these from the text of `dot`, which is compared; drawing takes long.
      if (format->name == "svg" || format->name == "png" || format->name == "pdf") continue;
      EmitOptions options;
      options.parameters = Spec{}.check(format->parameters, format->name);
      const auto text = [&] {
        StringOutput out;
        try {
          format->write(source, options, out);
        } catch (const InputError& error) {
          return std::string("refused: ") + error.what();
        }
        return out.text;
      };
      const std::string without = text();
      options.machine = make_machine(source.machine, source.problem.ranks);
      INFO(format->name << ": " << source.name << ": " << describe(source.problem));
      CHECK(without == text());
    }
    if (!source.hop_level()) CHECK_NOTHROW(read(written(source, "goal"), "goal"));
  };
  each_source([&](const Source& source) {
    if (source.problem.ranks <= 8) check(source);
  });
  // Messages that meet at their receiver: the reader places operations by the machine named.
  for (const std::string machine : {"logp:L=6,o=2,g=4", "logp:L=1,o=0,g=1", "kport:k=2"}) {
    const std::string text = "schedcc 1\ncollective gather\nranks 4\nroot 0\nchunks 1\nmachine " +
                             machine + "\nstep 0\n1 -> 0 : 1\n2 -> 0 : 2\nstep 1\n3 -> 0 : 3\n";
    check(read(text, "sched"));
  }
}

TEST_CASE("many operations of a step wait for many through an empty one") {
  std::string text = "schedcc 1\ncollective allgather\nranks 9\nchunks 1\nmachine bsp:h=8\n";
  for (const char* step : {"0", "1"}) {
    text += std::string("step ") + step + "\n";
    for (int r = 1; r < 9; ++r) {
      text += "0 -> " + std::to_string(r) + " : 0\n" + std::to_string(r) +
              " -> 0 : " + std::to_string(r) + "\n";
    }
  }
  const std::string goal = written(read(text, "sched"), "goal");
  const GoalProgram program = parse_goal(goal, "test");
  std::size_t of_rank_0 = 0;
  for (const auto& d : program.dependencies) of_rank_0 += program.operations[d.after].rank == 0;
  CHECK(of_rank_0 == 16 + 16);
  CHECK(written(read(goal, "goal"), "sched") ==
        written(read(written(read(text, "sched"), "goal"), "goal"), "sched"));
}

TEST_CASE("a chain is read as it runs: it deadlocks where its messages are not buffered") {
  const Report small = verified(chains("65535"));
  CHECK(small.verdict() == Verdict::holds);
  REQUIRE(small.findings.size() == 1);
  CHECK(small.findings[0].check == "deadlock");
  CHECK(small.findings[0].severity == Severity::warning);
  CHECK(small.findings[0].line == 10);
  CHECK(small.findings[0].message ==
        "deadlock without buffering: rank 0 waits here for its send of line 9, which rank 1 never "
        "matches; "
        "LogGOPSim buffers messages of up to 65535 bytes (-S)");
  CHECK(verified(chains("65535"), 0, true).verdict() == Verdict::violated);

  const Report large = verified(chains("65536"));
  CHECK(large.verdict() == Verdict::violated);
  REQUIRE(large.findings.size() == 1);
  CHECK(large.findings[0].severity == Severity::error);
  CHECK(large.findings[0].message ==
        "deadlock without buffering: rank 0 waits here for its send of line 9, which rank 1 never "
        "matches; "
        "LogGOPSim buffers messages of up to 65535 bytes (-S); this file has longer ones");
  CHECK(verified(chains("65536"), 1).verdict() == Verdict::holds);

  // A chain of an asymmetric program: rank 1 receives before it sends.
  const std::string chain =
      "num_ranks 2\nrank 0 {\na: send 99999b to 1\nb: recv 99999b from 1\nb requires a\n}\n"
      "rank 1 {\na: recv 99999b from 0\nb: send 99999b to 0\nb requires a\n}\n";
  CHECK(verified(chain).findings.empty());
}

TEST_CASE("sizes of others are read as LogGOPSim reads them") {
  const auto program = [](const std::string& sent, const std::string& received) {
    return "num_ranks 2\nrank 0 {\nsend " + sent + "b to 1\n}\nrank 1 {\nrecv " + received +
           "b from 0\n}\n";
  };
  for (const auto& [sent, received] :
       {std::pair("0", "0"), {"0", "7"}, {"7", "0"}, {"65535", "1"}, {"65536", "99999"}}) {
    const Report report = verified(program(sent, received));
    CHECK(report.verdict() == Verdict::holds);
    CHECK(report.findings.empty());
    CHECK(report.messages == 1);
  }
  for (const auto& [sent, received] : {std::pair("65535", "65536"), {"65536", "0"}}) {
    CHECK_THROWS_WITH(
        verified(program(sent, received)),
        std::string("the message has ") + received + " bytes here, and " + sent +
            " where it is sent, line 3; LogGOPSim would treat one end as eager and the "
            "other as rendezvous (-S 65535)");
  }
}
