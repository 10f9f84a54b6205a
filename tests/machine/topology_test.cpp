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
    CHECK(error.location.file == path);
    return std::to_string(error.location.line) + ":" + std::to_string(error.location.column) +
           ": " + error.what();
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

TEST_CASE("a topology file is read strictly, and what is wrong has a location") {
  const std::string there = R"({"from": 0, "to": 1, "capacity": 1})";
  const std::string back = R"({"from": 1, "to": 0, "capacity": 4})";
  CHECK(error_text(with_links(there + ", " + back)) == "read");
  CHECK(error_text("{\"topology\": 1, \"name\": \"alone\", \"ranks\": 1, \"links\": []}") ==
        "read");

  CHECK(error_text("") ==
        "1:1: invalid JSON: syntax error while parsing value - unexpected end of input; expected "
        "'[', "
        "'{', or a literal");
  CHECK(
      error_text("{\"topology\": 1,\n\"ranks\" 2}") ==
      "2:9: invalid JSON: syntax error while parsing object separator - unexpected number literal; "
      "expected ':'");
  CHECK(error_text("[]") == "1:1: a topology must be an object, not an array");
  CHECK(error_text("{\"topology\": 3, \"ranks\": 1, \"links\": []}") ==
        "1:14: unsupported format version; supported are 1 and 2");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1}") == "1:1: a topology needs the field 'links'");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1, \"ranks\": 1, \"links\": []}") ==
        "1:29: duplicate field 'ranks'");
  CHECK(error_text("{\"topology\": 1, \"rank\": 1, \"links\": []}") ==
        "1:17: a topology has no field 'rank'; did you mean 'ranks'?");
  CHECK(error_text("{\"topology\": 1, \"ranks\": \"two\", \"links\": []}") ==
        "1:26: 'ranks' must be a number, not a string");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 0, \"links\": []}") ==
        "1:26: 'ranks' must be in 1..4294967294, not 0");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 4294967294, \"links\": []}") ==
        "1:47: 0 links are too few to reach 4294967294 ranks");
  CHECK(error_text(
            "{\"topology\": 1, \"ranks\": 1, \"links\": [],\n  \"switches\": [\"a\", \"a\"]}") ==
        "2:21: two switches are named 'a'");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1, \"links\": [],\n  \"switches\": [\"\"]}") ==
        "2:16: a switch has no name");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 1, \"links\": [],\n  \"switches\": 3}") ==
        "2:15: 'switches' must be an array, not a number");
  CHECK(error_text(std::string(100, '[')) == "1:1: a topology must be an object, not an array");

  CHECK(error_text(with_links("{\"from\": 0, \"to\": 1}")) ==
        "2:12: a link needs the field 'capacity'");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": 1, \"capacity\": 0}")) ==
        "2:45: 'capacity' must be in 1..4294967295, not 0");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": 1, \"capacity\": 1.5}")) ==
        "2:45: 'capacity' must be a whole number of at least 0");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": -1, \"capacity\": 1}")) ==
        "2:30: 'to' must be a whole number of at least 0");
  CHECK(error_text(with_links("{\"from\": 0, \"to\": 2, \"capacity\": 1}")) ==
        "2:30: node 2 does not exist; nodes are 0..1");
  CHECK(error_text(with_links("{\"from\": 1, \"to\": 1, \"capacity\": 1}")) ==
        "2:12: node 1 is linked to itself");
  CHECK(error_text(with_links(there + ",\n" + there)) ==
        "3:1: duplicate link from 0 to 1 (first on line 2)");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 3, \"links\": [" + there + "]}") ==
        "1:38: rank 2 has no link");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 2, \"switches\": [\"hub\"],\n\"links\": [" +
                   there + ", {\"from\": 0, \"to\": 2, \"capacity\": 1}]}") ==
        "2:10: switch 2 ('hub') has no link out of it");
}

namespace {

/// A file of version 2 with four ranks, these fields and links.
std::string file(const std::string& fields, const std::string& links) {
  return "{\"topology\": 2, \"ranks\": 4,\n" + fields + "\n\"links\": [\n" + links + "]}";
}

std::string link(int from, int to, const std::string& rest) {
  return "{\"from\": " + std::to_string(from) + ", \"to\": " + std::to_string(to) + rest + "}";
}

const std::string link_figures = R"(, "latency": "1us", "bandwidth": "10GB/s", "both": true)";

/// The links of a line, the first with these fields.
std::string line(const std::string& first) {
  return link(0, 1, first) + ",\n" + link(1, 2, link_figures) + ",\n" + link(2, 3, link_figures);
}

}  // namespace

TEST_CASE("version 2: wrong figures of links have a location") {
  CHECK(error_text(file("", line(link_figures))) == "read");
  CHECK(error_text(file(R"("ports": 2, "shared": true, "groups": [{"ranks": 2, "name": "node"}],)",
                        line(link_figures))) == "read");
  CHECK(error_text(file(R"("kinds": {"cable": {"latency": "1us", "bandwidth": "1GB/s"}},)",
                        line(R"(, "kind": "cable", "both": true)"))) == "read");

  // Figures, of a link or of a kind: units, signs, and what is not there.
  const auto first = [&](const std::string& rest) { return error_text(file("", line(rest))); };
  CHECK(first(R"(, "latency": "5", "bandwidth": "1GB/s")") ==
        "4:33: 'latency': '5' has no unit; a time has a unit: ps, ns, us, ms or s, as in 1.5us");
  CHECK(first(R"(, "latency": 5, "bandwidth": "1GB/s")") ==
        "4:33: a latency, as \"5us\", must be a string, not a number");
  CHECK(first(R"(, "latency": "5us", "bandwidth": 50)") ==
        "4:53: a bandwidth, as \"50GB/s\", must be a string, not a number");
  CHECK(first(R"(, "latency": "5us", "bandwidth": "50")")
            .find("4:53: 'bandwidth': '50' has no unit; ") == 0);
  CHECK(first(R"(, "latency": "5us", "bandwidth": "0GB/s")")
            .find("4:53: 'bandwidth': '0GB/s' is not a positive bandwidth") == 0);
  CHECK(first(R"(, "latency": "5us", "bandwidth": "0")")
            .find("4:53: 'bandwidth': '0' is not a positive bandwidth with a unit") == 0);
  CHECK(first(R"(, "latency": "-5us", "bandwidth": "1GB/s")").find("4:33: 'latency': '-5us'") == 0);
  CHECK(first(R"(, "latency": "5us")") ==
        "4:1: a link needs the field 'bandwidth', or one of its kind");
  CHECK(first(R"(, "bandwidth": "1GB/s")") ==
        "4:1: a link needs the field 'latency', or one of its kind");
  CHECK(error_text(file(R"("kinds": {"cable": {"latency": "1"}},)", line(link_figures)))
            .find("2:32: 'latency': '1' has no unit") == 0);
  CHECK(error_text(file(R"("kinds": {"cable": {}, "cable": {}},)", line(link_figures))) ==
        "2:24: two kinds of links are named 'cable'");
  CHECK(error_text(file(R"("kinds": {"cable": {}},)", line(R"(, "kind": "cabel")"))) ==
        "4:30: there is no kind of links 'cabel'; did you mean 'cable'?");
  CHECK(error_text(file("", line(R"(, "kind": "cable")")))
            .find("4:30: there is no kind of links 'cable'") == 0);
  CHECK(first(link_figures + R"(, "speed": 1)").find("a link has no field 'speed'") !=
        std::string::npos);
}

TEST_CASE("version 2: wrong ends, ports and groups have a location") {
  CHECK(error_text(file("", link(0, 4, link_figures))) ==
        "4:19: node 4 does not exist; nodes are 0..3");
  CHECK(error_text(file("", line(link_figures) + ",\n" + link(1, 0, link_figures))) ==
        "7:1: duplicate link from 0 to 1 (first on line 4)");
  CHECK(error_text(file(
            "", line(link_figures) + ",\n" +
                    link(1, 0, R"(, "latency": "1us", "bandwidth": "10GB/s", "both": false)"))) ==
        "7:1: duplicate link from 1 to 0 (first on line 4)");
  CHECK(error_text(file("", link(0, 1, link_figures) + "," + link(2, 3, link_figures))) ==
        "3:10: rank 2 cannot be reached from rank 0");
  const std::string one_way = R"(, "latency": "1us", "bandwidth": "10GB/s")";
  CHECK(error_text(file("", link(0, 1, one_way) + "," + link(1, 2, link_figures) + "," +
                                link(2, 3, link_figures))) ==
        "3:10: rank 0 cannot be reached from rank 1");
  CHECK(error_text(file(R"("ports": 0,)", line(link_figures))) ==
        "2:10: 'ports' must be in 1..2147483647, not 0");
  CHECK(error_text(file(R"("shared": true,)", line(link_figures)))
            .find("2:11: 'overheads', 'shared' and 'groups' need 'ports'") == 0);
  const auto overheads = [&](const std::string& fields, const std::string& more) {
    return error_text(file("\"overheads\": {" + fields + "}," + more, line(link_figures)));
  };
  const std::string both = R"("send": "1us", "receive": "2us")";
  CHECK(overheads(both, R"("ports": 1,)") == "read");
  CHECK(overheads(both, "").find("need 'ports'") != std::string::npos);
  CHECK(overheads(R"("send": "1us")", R"("ports": 1,)").find("needs the field 'receive'") !=
        std::string::npos);
  CHECK(overheads(R"("send": "1us", "receive": 2)", R"("ports": 1,)").find("2:") == 0);
  CHECK(overheads(R"("send": "1us", "receive": "-2us")", R"("ports": 1,)").find("2:") == 0);
  CHECK(overheads(R"("send": "1us", "receive": "2")", R"("ports": 1,)").find("2:") == 0);
  const std::string copying = "\"overheads\": {" + both +
                              R"(}, "ports": 1, "switches": [{"name": "s", "multicast": true}],)";
  CHECK(error_text(file(copying, line(link_figures) + ",\n" + link(3, 4, link_figures)))
            .find("2:14: 'overheads' cannot be combined with switches") == 0);
  const auto groups = [&](const std::string& list) {
    return error_text(file("\"ports\": 1, \"groups\": [" + list + "],", line(link_figures)));
  };
  CHECK(groups(R"({"ranks": 3})") == "2:34: groups of 3 ranks do not divide 4 ranks into several");
  CHECK(groups(R"({"ranks": 4})") == "2:34: groups of 4 ranks do not divide 4 ranks into several");
  CHECK(groups(R"({"ranks": 1})") == "2:34: groups of 1 ranks cannot be made of single ranks");
  CHECK(groups(R"({"ranks": 2}, {"ranks": 2})") ==
        "2:48: groups of 2 ranks cannot be made of groups of 2");
  CHECK(error_text("{\"topology\": 1, \"ranks\": 2, \"ports\": 1,\n \"links\": []}") ==
        "1:38: version 1 has no field 'ports'; version 2 has");
  // A header alone has no cost.
  CHECK(error_text("{\"topology\": 2, \"ranks\": 4294967294, \"ports\": 1, \"links\": []}") ==
        "1:59: 0 links are too few to reach 4294967294 ranks");
}

TEST_CASE("version 2 with ports: messages take their whole route, and links have messages") {
  const auto machine = [](bool shared) {
    const std::string name = shared ? "lines-shared.json" : "lines.json";
    return "topology:" +
           topologies::folder().file(
               name, std::string("{\"topology\": 2, \"ranks\": 4, \"ports\": 2, \"shared\": ") +
                         (shared ? "true" : "false") +
                         ", \"groups\": [{\"ranks\": 2}], \"kinds\": {\"k\": {\"latency\": "
                         "\"1us\", \"bandwidth\": \"1GB/s\", \"capacity\": 1}}, \"links\": ["
                         "{\"from\": 0, \"to\": 1, \"kind\": \"k\", \"both\": true},"
                         "{\"from\": 1, \"to\": 2, \"kind\": \"k\", \"both\": true},"
                         "{\"from\": 2, \"to\": 3, \"kind\": \"k\", \"both\": true}]}");
  };
  const auto verdict = [](const std::string& spec, std::vector<Sent> sent) {
    const naive::Plan plan{{Collective::alltoall, 4, 0, 1, false, nullptr}, std::move(sent), 0};
    CheckOptions options;
    options.checks = {"ports", "links"};
    return check(source_of(plan), make_machine(spec, 4), options);
  };
  // 0 -> 3 over the ranks between takes one step; 1 -> 2 in the same step is a second message.
  const std::vector<Sent> one{{0, copy(0, 3, 3)}}, two{{0, copy(0, 3, 3)}, {0, copy(1, 2, 6)}};
  CHECK(verdict(machine(false), one).verdict() == Verdict::holds);
  CHECK(verdict(machine(true), two).verdict() == Verdict::holds);
  const Report wrong = verdict(machine(false), two);
  REQUIRE(wrong.findings.size() == 1);
  CHECK(wrong.findings[0].message.find(
            "the link from rank 1 to rank 2 carries at least 2 messages in step 0") == 0);
  const Machine made = make_machine(machine(true), 4);
  CHECK_FALSE(made.routed());
  CHECK(made.levels()->level(0, 1) == 0);
  CHECK(made.levels()->level(1, 2) == 1);
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

TEST_CASE("without a way the route is the path that is missing") {
  const std::string oneway = topologies::machine("oneway", 2, 0, {{1, 0, 1}});
  CHECK(route(oneway, 2, 0, 1) == std::vector<Rank>{0, 1});
  const naive::Plan plan{{Collective::broadcast, 2, 0, 1, false, nullptr}, {{0, copy(0, 1, 0)}}, 0};
  const Report report = check(source_of(plan), make_machine(oneway, 2));
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check == "links");
  CHECK(report.findings[0].message.find("there is no path from rank 0 to rank 1 on topology:") ==
        0);
  CHECK_FALSE(report.lower_bound->steps);
}

TEST_CASE("a step of R rounds carries R times the capacity, at endpoint level its first hops") {
  const Problem problem{Collective::broadcast, 2, 0, 2, false, nullptr};
  naive::Plan plan{problem, {{0, copy(0, 1, 0, 2)}}, 0};
  plan.rounds = {{0, 2}};
  const auto holds = [](const naive::Plan& p, const std::string& machine) {
    const Report report = check(source_of(p), make_machine(machine, p.problem.ranks));
    CHECK_FALSE(report.below_bound);
    return report.verdict() == Verdict::holds;
  };
  CHECK(holds(plan, topologies::ring(2)));
  CHECK_FALSE(holds(plan, topologies::star(2, 1)));  // the second hop is in step 1
  CHECK(holds(plan, topologies::star(2, 2)));
  naive::Plan hops = hops_of(plan, topologies::star(2, 1));
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
