// Hop level on networks without routers: it is the presence of the line `nodes`, not its number,
// that makes every transfer a hop.

#include "agreement.hpp"
#include "catch.hpp"
#include "formats.hpp"
#include "machine/lowering.hpp"
#include "topologies.hpp"

using namespace agreement;
using formats::read;
using formats::written;

namespace {

std::string head(Rank ranks, const std::string& machine, const std::string& nodes) {
  return "schedcc 1\ncollective broadcast\nranks " + std::to_string(ranks) +
         "\nroot 0\nchunks 1\nmachine " + machine + "\n" + nodes;
}

Report verify(const std::string& text) {
  const Source source = read(text, "sched");
  return check(source, make_machine(source.machine, source.problem.ranks));
}

}  // namespace

TEST_CASE("nodes as many as ranks: a hop needs a link") {
  const std::string line = topologies::line(3);
  const std::string steps = "step 0\n0 -> 2 : 0\nstep 2\n2 -> 1 : 0\n";
  CHECK(verify(head(3, line, "") + steps).verdict() == Verdict::holds);
  const Report report = verify(head(3, line, "nodes 3\n") + steps);
  CHECK(violated(report) == std::set<std::string>{"links"});
  REQUIRE(!report.findings.empty());
  CHECK(report.findings[0].message.find("there is no link from rank 0 to rank 2") == 0);
  CHECK(report.findings[0].line == 9);
  const std::string hops = "step 0\n0 -> 1 : 0\nstep 1\n1 -> 2 : 0\n";
  CHECK(verify(head(3, line, "nodes 3\n") + hops).verdict() == Verdict::holds);
}

TEST_CASE("elsewhere as many nodes as ranks have no effect, and fewer or more are errors") {
  const std::string steps = "step 0\n0 -> 2 : 0\nstep 1\n2 -> 1 : 0\n";
  CHECK(verify(head(3, "duplex", "nodes 3\n") + steps).verdict() == Verdict::holds);
  CHECK(applicable(verify(head(3, "duplex", "nodes 3\n") + steps)) ==
        applicable(verify(head(3, "duplex", "") + steps)));
  CHECK_THROWS_AS(verify(head(3, "duplex", "nodes 4\n") + steps), InputError);
  CHECK_THROWS_AS(verify(head(3, topologies::line(3), "nodes 4\n") + steps), InputError);
  for (const std::string_view format : {"sched", "json", "csv"}) {
    const std::string text = written(read(head(3, "duplex", "nodes 3\n") + steps, "sched"), format);
    std::string fewer = text;
    const std::size_t at = fewer.find("3", fewer.find("nodes"));
    REQUIRE(at != std::string::npos);
    fewer[at] = '2';
    CHECK(formats::error(fewer, format).message == "2 nodes are fewer than the 3 ranks");
    CHECK(formats::error(fewer, format).line != 0);
  }
}

TEST_CASE("the level comes back from every format that can say it") {
  for (const Rank P : {1u, 2u, 5u}) {
    for (const std::string& machine : {topologies::line(P), topologies::star(P)}) {
      const Machine made = make_machine(machine, P);
      const std::uint64_t nodes = made.network()->nodes();
      for (const bool hops : {false, true}) {
        const std::string text =
            head(P, machine, hops ? "nodes " + std::to_string(nodes) + "\n" : "") +
            (P > 1 ? "step 0\n0 -> 1 : 0\n" : "");
        const Source source = read(text, "sched");
        CHECK(source.hop_level() == hops);
        CHECK(written(source, "sched") == text);
        for (const std::string_view format : {"binary", "json", "csv"}) {
          const std::string other = written(source, format);
          const Source back = read(other, format);
          CHECK(back.nodes == source.nodes);
          CHECK(written(back, format) == other);
          CHECK(written(back, "sched") == text);
        }
      }
      const Source lowered = at_hop_level(read(head(P, machine, ""), "sched"), made);
      CHECK(lowered.hop_level());
      CHECK(written(lowered, "sched") == head(P, machine, "nodes " + std::to_string(nodes) + "\n"));
    }
  }
}

TEST_CASE("without routers a hop-level schedule is a program for ranks") {
  const std::string text =
      head(3, topologies::line(3), "nodes 3\n") + "step 0\n0 -> 1 : 0\nstep 1\n1 -> 2 : 0\n";
  for (const std::string_view format : {"cpp", "mpi", "msccl", "goal", "ti", "sccl", "dot"}) {
    CHECK_FALSE(written(read(text, "sched"), format).empty());
  }
  CHECK(check(read(written(read(text, "sched"), "msccl"), "msccl"), {}).verdict() ==
        Verdict::holds);
}
