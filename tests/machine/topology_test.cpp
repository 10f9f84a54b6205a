// Topology files: reading, errors with their locations, and the routes that follow from the files.

#include "machine/topology.hpp"
#include "agreement.hpp"
#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "schedcc/error.hpp"
#include "topologies.hpp"

using namespace agreement;

namespace {

/// "line:column: message" of the error in a file with this text; "read" if there is none.
std::string error_text(const std::string& text) {
  static int number = 0;
  const std::string path =
      topologies::folder().file("bad" + std::to_string(number++) + ".json", text);
  try {
    read_topology(path);
  } catch (const InputError& error) {
    CHECK(error.place.file == path);
    return std::to_string(error.place.line) + ":" + std::to_string(error.place.column) + ": " +
           error.what();
  }
  return "read";
}

std::string with_links(const std::string& links) {
  return "{\"topology\": 1, \"ranks\": 2,\n \"links\": [" + links + "]}";
}

std::vector<Rank> route(const std::string& machine, Rank ranks, Rank src, Rank dst) {
  std::vector<Rank> path;
  make_machine(machine, ranks).network()->route(src, dst, path);
  return path;
}

}  // namespace

TEST_CASE("a topology file is read strictly, and what is wrong has a place") {
  const std::string there = R"({"from": 0, "to": 1, "capacity": 1})";
  const std::string back = R"({"from": 1, "to": 0, "capacity": 4})";
  CHECK(error_text(with_links(there + ", " + back)) == "read");
  CHECK(error_text("{\"topology\": 1, \"name\": \"alone\", \"ranks\": 1, \"links\": []}") ==
        "read");

  CHECK(error_text("") ==
        "1:1: no JSON: syntax error while parsing value - unexpected end of input; expected '[', "
        "'{', or a literal");
  CHECK(error_text("{\"topology\": 1,\n\"ranks\" 2}") ==
        "2:9: no JSON: syntax error while parsing object separator - unexpected number literal; "
        "expected ':'");
  CHECK(error_text("[]") == "1:1: a topology is an object, not an array");
  CHECK(error_text("{\"topology\": 2, \"ranks\": 1, \"links\": []}") ==
        "1:14: unsupported format version; supported is 1");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1}") == "1:1: a topology needs the field 'links'");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1, \"ranks\": 1, \"links\": []}") ==
        "1:29: duplicate field 'ranks'");
  CHECK(error_text("{\"topology\": 1, \"rank\": 1, \"links\": []}") ==
        "1:17: a topology has no field 'rank'; did you mean 'ranks'?");
  CHECK(error_text("{\"topology\": 1, \"ranks\": \"two\", \"links\": []}") ==
        "1:26: 'ranks' is a number, not a text");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 0, \"links\": []}") ==
        "1:26: 'ranks' is in 1..4294967294, not 0");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 4294967294, \"links\": []}") ==
        "1:47: 0 links are too few to reach 4294967294 ranks");
  CHECK(error_text(
            "{\"topology\": 1, \"ranks\": 1, \"links\": [],\n  \"switches\": [\"a\", \"a\"]}") ==
        "2:21: two switches are named 'a'");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1, \"links\": [],\n  \"switches\": [\"\"]}") ==
        "2:16: a switch has no name");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1, \"links\": [],\n  \"switches\": 3}") ==
        "2:15: 'switches' is an array, not a number");
  CHECK(error_text(std::string(100, '[')) == "1:1: a topology is an object, not an array");

  CHECK(error_text(with_links("{\"from\": 0, \"to\": 1}")) ==
        "2:12: a link needs the field 'capacity'");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": 1, \"capacity\": 0}")) ==
        "2:45: 'capacity' is in 1..4294967295, not 0");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": 1, \"capacity\": 1.5}")) ==
        "2:45: 'capacity' is a whole number from 0 on");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": -1, \"capacity\": 1}")) ==
        "2:30: 'to' is a whole number from 0 on");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": 2, \"capacity\": 1}")) ==
        "2:30: node 2 does not exist; nodes are 0..1");
  CHECK(error_text(with_links("{\"from\": 1, \"to\": 1, \"capacity\": 1}")) ==
        "2:12: node 1 is linked to itself");
  CHECK(error_text(with_links(there + ",\n" + there)) == "3:1: duplicate link from 0 to 1");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 3, \"links\": [" + there + "]}") ==
        "1:38: rank 2 has no link");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 2, \"switches\": [\"hub\"],\n\"links\": [" +
                   there + ", {\"from\": 0, \"to\": 2, \"capacity\": 1}]}") ==
        "2:10: switch 2 ('hub') has no link out of it");
}

TEST_CASE("routes are shortest and prefer the lowest node at every step") {
  // A square 0 1 3 2 of ranks: from 0 to 3 over 1, back over 1, too.
  const std::string square = topologies::machine(
      "square", 4, 0,
      {{0, 2, 1}, {2, 0, 1}, {0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}, {1, 3, 1}, {3, 1, 1}});
  CHECK(route(square, 4, 0, 3) == std::vector<Rank>{0, 1, 3});
  CHECK(route(square, 4, 3, 0) == std::vector<Rank>{3, 1, 0});
  CHECK(route(square, 4, 1, 2) == std::vector<Rank>{1, 0, 2});
  CHECK(route(square, 4, 2, 3) == std::vector<Rank>{2, 3});
  // Lowest first, not lowest last: 0 goes over 3 to 6 though the way over 4 ends with the lower 1.
  const std::string fork = topologies::machine(
      "fork", 7, 0,
      {{0, 3, 1}, {0, 4, 1}, {3, 5, 1}, {4, 1, 1}, {5, 6, 1}, {1, 6, 1}, {6, 2, 1}, {2, 0, 1}});
  CHECK(route(fork, 7, 0, 6) == std::vector<Rank>{0, 3, 5, 6});
  // Nothing leads from 6 to 3 but over 2 and 0.
  CHECK(route(fork, 7, 6, 3) == std::vector<Rank>{6, 2, 0, 3});
  CHECK(route(topologies::star(5), 5, 3, 1) == std::vector<Rank>{3, 5, 1});
}

TEST_CASE("without a way the route is the link that is missing") {
  const std::string oneway = topologies::machine("oneway", 2, 0, {{1, 0, 1}});
  CHECK(route(oneway, 2, 0, 1) == std::vector<Rank>{0, 1});
  const Plan plan{{Collective::broadcast, 2, 0, 1, false, nullptr}, {{0, copy(0, 1, 0)}}, 0};
  const Report report = check(source_of(plan), make_machine(oneway, 2));
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check == "links");
  CHECK(report.findings[0].message.find("there is no link from rank 0 to rank 1 on topology:") ==
        0);
  CHECK_FALSE(report.lower_bound->steps);
}

TEST_CASE("a step of R rounds carries R times the capacity, at endpoint level its first hops") {
  const Problem problem{Collective::broadcast, 2, 0, 2, false, nullptr};
  Plan plan{problem, {{0, copy(0, 1, 0, 2)}}, 0};
  plan.rounds = {{0, 2}};
  const auto holds = [](const Plan& p, const std::string& machine) {
    const Report report = check(source_of(p), make_machine(machine, p.problem.ranks));
    CHECK_FALSE(report.below_bound);
    return report.verdict() == Verdict::holds;
  };
  CHECK(holds(plan, topologies::ring(2)));
  CHECK_FALSE(holds(plan, topologies::star(2, 1)));  // the second hop is in step 1
  CHECK(holds(plan, topologies::star(2, 2)));
  Plan hops = hops_of(plan, topologies::star(2, 1));
  hops.rounds = {{0, 2}, {1, 2}};
  CHECK(holds(hops, topologies::star(2, 1)));
}

TEST_CASE("bounds of topologies, by hand") {
  const auto bound = [](const std::string& machine, Rank P, Collective c, std::uint32_t K,
                        std::uint64_t rounds = 1) {
    return *lower_bound({c, P, 0, K, false, nullptr}, make_machine(machine, P), 1, rounds).steps;
  };
  const std::string ring = topologies::ring(8);
  CHECK(bound(ring, 8, Collective::broadcast, 1) == 4);  // half round
  CHECK(bound(ring, 8, Collective::broadcast, 5) == 6);  // two packets a step leave the root
  CHECK(bound(ring, 8, Collective::reduce, 5) == 6);
  CHECK(bound(ring, 8, Collective::allgather, 1) == 4);  // 7 chunks over two links
  CHECK(bound(ring, 8, Collective::allgather, 2) == 7);
  CHECK(bound(ring, 8, Collective::allgather, 2, 2) == 4);  // the distance
  CHECK(bound(ring, 8, Collective::scatter, 1) == 4);
  CHECK(bound(ring, 8, Collective::gather, 3) == 11);  // 21 chunks, two a step
  const std::string star = topologies::star(5, 1);
  CHECK(bound(star, 5, Collective::broadcast, 1) == 2);
  CHECK(bound(star, 5, Collective::scatter, 1) == 5);  // four leave one by one, then a hop
  CHECK(bound(star, 5, Collective::alltoall, 2) == 9);
}

TEST_CASE("bounds of meshes and crossbars: what a total exchange must bring through the middle") {
  const auto bound = [](const std::string& machine, Rank P) {
    return *lower_bound({Collective::alltoall, P, 0, 1, false, nullptr}, make_machine(machine, P),
                        1)
                .steps;
  };
  CHECK(bound("mesh:8x8", 64) == 128);  // 32 * 32 chunks over 8 edges
  CHECK(bound("mesh:8x8,congestion=2", 64) == 64);
  CHECK(bound("torus:8x8", 64) == 64);
  CHECK(bound("mesh:2x8", 16) == 32);
  CHECK(bound("crossbar:a=8,b=8", 64) == 224);  // 8 * 56 chunks, two at a time
  CHECK(bound("crossbar:a=8,b=8,in=1", 64) == 448);
  CHECK(bound("crossbar:a=8,b=8,in=8,out=8", 64) == 63);  // the ports
}
