// The formats that are only written: json, cpp, dot. Tests with compilers and Graphviz are in
// execute/ and formats/; these need neither.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

using namespace schedcc;

namespace {

struct StringOutput : Output {
  void write(std::string_view more) override { text += more; }
  std::string text;
};

Source built(const std::string& algorithm, Rank ranks, std::uint32_t chunks,
             const std::string& collective = "", bool ordered = false) {
  const Spec spec = Spec::parse(algorithm);
  const Algorithm& a = find_algorithm(spec.name);
  Request request;
  request.problem.collective = collective.empty() ? a.collectives[0] : find_collective(collective);
  request.problem.ranks = ranks;
  request.problem.chunks = chunks;
  request.problem.ordered = ordered;
  request.parameters = spec.check(a.parameters, algorithm);
  request.machine = make_machine(a.machines_for(request.parameters).front(), ranks);
  Source source;
  source.name = algorithm;
  source.problem = request.problem;
  source.machine = request.machine.spec();
  source.open = [steps = a.steps(request)] { return stream(steps); };
  return source;
}

Problem small_broadcast() {
  Problem problem;
  problem.ranks = 4;
  problem.chunks = 8;
  return problem;
}

/// A broadcast over 4 ranks, or any other problem, with the transfers given, a row each.
Source by_hand(const std::vector<std::pair<std::uint64_t, std::vector<Transfer>>>& rows,
               const Problem& problem = small_broadcast()) {
  auto schedule = std::make_shared<Schedule>();
  for (const auto& [number, transfers] : rows) {
    schedule->begin_step(number);
    for (const Transfer& t : transfers) schedule->add(t);
  }
  Source source;
  source.name = "by hand";
  source.problem = problem;
  source.open = [schedule] { return stream(std::shared_ptr<const Schedule>(schedule)); };
  return source;
}

std::string emit(const Source& source, const std::string& format,
                 const std::string& stem = "schedule") {
  const Spec spec = Spec::parse(format);
  const Format& f = find_format(spec.name);
  EmitOptions options;
  options.parameters = spec.check(f.parameters, "format '" + spec.name + "'");
  options.command = "schedcc compile " + source.name;
  options.stem = stem;
  StringOutput out;
  f.write(source, options, out);
  return out.text;
}

std::string error_of(const Source& source, const std::string& format) {
  try {
    emit(source, format);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

std::string namespace_in(const std::string& table) {
  const std::size_t at = table.find("\nnamespace ") + 11;
  return table.substr(at, table.find(" {", at) - at);
}

/// (step, src, dst, chunk, reduce) of every chunk that travels.
using Moves = std::multiset<std::tuple<std::uint64_t, Rank, Rank, Chunk, bool>>;

Moves moves(const Source& source) {
  Moves result;
  const auto steps = source.open();
  for (Step step; steps->next(step);) {
    for (const Transfer& t : step.transfers) {
      for (Chunk c = t.first; c < t.first + t.count; ++c) {
        result.emplace(step.number, t.src, t.dst, c, t.reduce != 0);
      }
    }
  }
  return result;
}

Moves moves(const nlohmann::json& document) {
  Moves result;
  for (const auto& step : document["steps"]) {
    for (const auto& t : step["transfers"]) {
      for (const auto& run : t["chunks"]) {
        for (Chunk c = run[0]; c <= Chunk{run[1]}; ++c) {
          result.emplace(step["step"], t["src"], t["dst"], c, t.value("reduce", false));
        }
      }
    }
  }
  return result;
}

const std::vector<std::tuple<std::string, Rank, std::uint32_t, std::string>> examples{
    {"fractional-tree:r=3", 13, 7, ""},
    {"binomial-tree", 11, 2, "scatter"},
    {"binomial-tree", 9, 2, "reduce"},
    {"ring", 6, 6, "allreduce"},
    {"recursive-doubling", 8, 1, "allgather"},
    {"pairwise", 5, 2, ""},
    {"karp", 20, 1, ""},
    {"xor", 8, 1, ""},
    {"chain", 1, 3, ""},
};

}  // namespace

TEST_CASE("json says what the schedule is", "[json]") {
  for (const auto& [algorithm, ranks, chunks, collective] : examples) {
    CAPTURE(algorithm, collective);
    const Source source = built(algorithm, ranks, chunks, collective);
    const auto document = nlohmann::json::parse(emit(source, "json"));
    CHECK(document["schedcc"] == 1);
    CHECK(document["collective"] == info(source.problem.collective).name);
    CHECK(document["ranks"] == ranks);
    CHECK(document["chunks"] == chunks);
    CHECK(document.contains("root") == source.problem.rooted());
    CHECK(document["machine"] == make_machine(source.machine, ranks).spec());
    CHECK_FALSE(document.contains("nodes"));
    CHECK_FALSE(document.contains("name"));
    CHECK(moves(document) == moves(source));
  }
}

TEST_CASE("json has a line for each step, and merges a message's runs", "[json]") {
  const Source source =
      by_hand({{0, {copy(0, 1, 4), copy(0, 2, 0), copy(0, 1, 3), copy(0, 1, 6, 2)}},
               {2, {}},
               {5, {copy(1, 3, 0)}}});
  const std::string text = emit(source, "json");
  CHECK(contains(
      text,
      "\n    {\"step\": 0, \"transfers\": ["
      "{\"src\": 0, \"dst\": 1, \"chunks\": [[3, 4], [6, 7]]}, "
      "{\"src\": 0, \"dst\": 2, \"chunks\": [[0, 0]]}]},\n"
      "    {\"step\": 5, \"transfers\": [{\"src\": 1, \"dst\": 3, \"chunks\": [[0, 0]]}]}\n"));
}

TEST_CASE("json escapes names, and mends what is not UTF-8", "[json]") {
  Source source = by_hand({});
  source.title = "a \"b\" \\c\\ \t \xc3\xbc";
  CHECK(nlohmann::json::parse(emit(source, "json"))["name"] == source.title);
  source.title = "\xff!";
  CHECK(nlohmann::json::parse(emit(source, "json"))["name"] == "\xef\xbf\xbd!");
}

TEST_CASE("json holds start and goal of a custom collective, its nodes and its order", "[json]") {
  Problem problem;
  problem.collective = Collective::custom;
  problem.ranks = 2;
  problem.chunks = 4;
  problem.ordered = true;
  problem.custom =
      std::make_shared<Custom>(std::vector<Holding>{{0, {{0, 2}, {3, 1}}}, {1, {{0, 1}}}},
                               std::vector<Holding>{{1, {{0, 1}}, true}, {1, {{1, 1}}}});
  Source source = by_hand({{0, {{0, 1, 0, 1, 1}, copy(0, 1, 1)}}}, problem);
  source.nodes = 5;
  const auto document = nlohmann::json::parse(emit(source, "json"));
  using nlohmann::json;
  CHECK(document["pre"] == json::parse(R"([{"rank": 0, "chunks": [[0, 1], [3, 3]]},
                                           {"rank": 1, "chunks": [[0, 0]]}])"));
  CHECK(document["post"] == json::parse(R"([{"rank": 1, "chunks": [[0, 0]], "reduced": true},
                                            {"rank": 1, "chunks": [[1, 1]]}])"));
  CHECK(document["nodes"] == 5);
  CHECK(document["ordered"] == true);
  CHECK(moves(document) == moves(source));
}

TEST_CASE("the same schedule gives the same bytes", "[json][cpp][dot]") {
  for (const auto& [algorithm, ranks, chunks, collective] : examples) {
    for (const std::string format : {"json", "cpp", "dot", "dot:view=steps"}) {
      CAPTURE(algorithm, collective, format);
      const std::string text = emit(built(algorithm, ranks, chunks, collective), format);
      CHECK(text == emit(built(algorithm, ranks, chunks, collective), format));
      CHECK(text.back() == '\n');
      CHECK_FALSE(contains(text, "\r"));
    }
  }
}

TEST_CASE("a table is in the namespace that is asked for", "[cpp]") {
  const Source source = by_hand({{0, {copy(0, 1, 0)}}});
  CHECK(namespace_in(emit(source, "cpp")) == "schedule");
  CHECK(namespace_in(emit(source, "cpp:namespace=a1")) == "a1");
  CHECK(namespace_in(emit(source, "cpp:namespace=my::own::table_1")) == "my::own::table_1");
  const std::map<std::string, std::string> stems{{"ring", "ring"},
                                                 {"xor", "xor_"},
                                                 {"fractional-tree-r3", "fractional_tree_r3"},
                                                 {"2d.mesh", "schedule_2d_mesh"},
                                                 {"__a__b__", "a_b"},
                                                 {"", "schedule"},
                                                 {"---", "schedule"},
                                                 {"main", "main_"},
                                                 {"std", "std_"},
                                                 {"Zug\xc3\xbc", "Zug"},
                                                 {"a::b", "a_b"}};
  for (const auto& [stem, name] : stems) CHECK(namespace_in(emit(source, "cpp", stem)) == name);
}

TEST_CASE("a namespace that cannot be is refused", "[cpp]") {
  const Source source = by_hand({{0, {copy(0, 1, 0)}}});
  for (const std::string name : {"2d", "a-b", "class", "xor", "std", "a::", "::a", "a::class",
                                 "a:b", "a b", "a::::b", "\xc3\xbc"}) {
    CHECK(error_of(source, "cpp:namespace=" + name) ==
          "parameter 'namespace': '" + name + "' is not a valid name of a C++ namespace");
  }
}

TEST_CASE("each namespace has an include guard of its own", "[cpp]") {
  const Source source = by_hand({{0, {copy(0, 1, 0)}}});
  std::set<std::string> guards;
  const std::vector<std::string> names{"a_b", "a::b", "A_B", "a_b::c", "a::b_c", "a::b::c", "ab"};
  for (const std::string& name : names) {
    const std::string table = emit(source, "cpp:namespace=" + name);
    const std::size_t at = table.find("#ifndef ") + 8;
    guards.insert(table.substr(at, table.find('\n', at) - at));
  }
  CHECK(guards.size() == names.size());
}

TEST_CASE("in a table a rank sends before it receives, and messages stay together", "[cpp]") {
  const std::string table = emit(
      by_hand(
          {{1, {copy(2, 0, 7), copy(0, 1, 4), copy(0, 2, 0), {0, 1, 5, 1, 1}, copy(0, 1, 2, 2)}}}),
      "cpp");
  CHECK(contains(table,
                 "    // rank 0\n"
                 "    {1, send, 1, 2, 3, copy},\n"
                 "    {1, send, 1, 5, 1, reduce},\n"
                 "    {1, send, 2, 0, 1, copy},\n"
                 "    {1, receive, 2, 7, 1, copy},\n"
                 "    // rank 1\n"
                 "    {1, receive, 0, 2, 3, copy},\n"
                 "    {1, receive, 0, 5, 1, reduce},\n"
                 "    // rank 2\n"
                 "    {1, send, 0, 7, 1, copy},\n"
                 "    {1, receive, 0, 0, 1, copy},\n"
                 "}};\n"));
  CHECK(contains(table, "index = {{\n    0, 4, 6, 8, 8,\n}};"));
  CHECK(contains(table, "std::uint64_t steps = 2;"));
}

TEST_CASE("in a table of a LogP schedule calls are in the order of their starts", "[cpp]") {
  Source source = by_hand({{0, {copy(0, 1, 0)}}, {4, {copy(0, 2, 0)}}, {10, {copy(1, 0, 1)}}});
  source.machine = "logp:L=6,o=2,g=4";
  const std::string table = emit(source, "cpp");
  CHECK(contains(table, "{8, receive, 0, 0, 1, copy},\n    {10, send, 0, 1, 1, copy},"));
  CHECK(contains(table, "{18, receive, 1, 1, 1, copy},"));
  CHECK(contains(table, "std::uint64_t steps = 20;"));
}

TEST_CASE("with o = 0 a call that receives comes before one that sends in the same cycle",
          "[cpp]") {
  Source source = by_hand({{0, {copy(0, 1, 0)}}, {6, {copy(1, 2, 0)}}});
  source.machine = "logp:L=6,o=0,g=1";
  CHECK(
      contains(emit(source, "cpp"), "{6, receive, 0, 0, 1, copy},\n    {6, send, 2, 0, 1, copy},"));
}

TEST_CASE("schedules that a table cannot express are refused", "[cpp]") {
  Source hops = by_hand({{0, {copy(0, 4, 0)}}});
  hops.nodes = 7;
  CHECK(error_of(hops, "cpp") == "a C++ table needs a schedule at endpoint level");
  CHECK(contains(error_of(by_hand({{0, {copy(0, 4, 0)}}}), "cpp"),
                 "step 0 has a transfer of rank 4, which is not one of the 4 ranks"));
  Source huge = by_hand({{0, {copy(0, 1, 0)}}});
  huge.problem.ranks = 4294967294;
  CHECK(contains(error_of(huge, "cpp"), "serves at most"));
}

TEST_CASE("nothing in a command or a name leaves its comment", "[cpp][dot]") {
  Source source = by_hand({{0, {copy(0, 1, 0)}}});
  source.name = "line\nbreak \xc3\xbc \\";
  source.title = "int x;\r\n#error";
  for (const std::string format : {"cpp", "dot", "dot:view=steps"}) {
    const std::string text = emit(source, format);
    CHECK(contains(text, "schedcc compile line\\x0abreak \\xc3\\xbc \\x5c\n"));
    CHECK_FALSE(contains(text, "\n#error"));
    CHECK_FALSE(contains(text, "\\\n"));
  }
}

TEST_CASE("the communication graph has each edge once, with the step of its first use", "[dot]") {
  const std::string text = emit(
      by_hand({{2, {copy(0, 1, 0), copy(0, 2, 0)}}, {3, {copy(0, 1, 1)}}, {4, {{1, 3, 0, 1, 1}}}}),
      "dot");
  CHECK(count(text, "->") == 3);
  CHECK(contains(text, "0 -> 1 [label=\" 2\"]"));
  CHECK(contains(text, "0 -> 2 [label=\" 2\"]"));
  CHECK(contains(text, "1 -> 3 [label=\" 4\", style=dashed]"));
  CHECK(contains(text, "layout=dot"));
  CHECK(contains(text, "  0 [style=filled"));
}

TEST_CASE("the communication graph finds a layout for what it is", "[dot]") {
  CHECK(contains(emit(built("binomial-tree", 32, 1), "dot"), "rankdir=TB"));
  CHECK(contains(emit(built("binomial-tree", 32, 1, "reduce"), "dot"), "rankdir=BT"));
  CHECK(contains(emit(built("ring", 16, 1), "dot"), "set on a circle"));
  CHECK(contains(emit(built("chain", 64, 1), "dot"), "set on a circle"));
  const std::string dense = emit(built("pairwise", 64, 1), "dot");
  CHECK(contains(dense, "4032 edges are too many for labels"));
  CHECK(count(dense, "->") == 4032 / 2);
}

TEST_CASE("the space-time graph has an arrow for each message, and what arrives", "[dot]") {
  const std::string text = emit(
      by_hand(
          {{0, {copy(0, 1, 0, 2)}}, {1, {copy(1, 2, 1), copy(0, 3, 5)}}, {7, {{2, 0, 1, 1, 1}}}}),
      "dot:view=steps");
  CHECK(count(text, "@0\" -> \"1@1\"") == 1);
  CHECK(contains(text, "\"1@1\" [label=\"0-1\""));
  CHECK(contains(text, "\"0@8\" [label=\"+1\""));
  CHECK(contains(text, "\"2@7\" -> \"0@8\" [color=\"#0072B2\", style=dashed"));
  CHECK(contains(text, "label=\"step 7\""));
  CHECK(error_of(by_hand({}), "dot:view=both") ==
        "format 'dot', parameter 'view': unknown value 'both'; there are graph, steps");
}

TEST_CASE("the legend of a picture names the signs that it has", "[dot]") {
  const auto legend = [](const Source& source, const std::string& format) {
    const std::string text = emit(source, format);
    const std::size_t from = text.find("Steps count from 0; ");
    return text.substr(from, text.find('\n', from) - from);
  };
  const std::string steps = "dot:view=steps";
  const Source tree = built("binomial-tree", 8, 1);
  CHECK(legend(tree, "dot") ==
        "Steps count from 0; an arrow for each pair that communicates, with the step of its first "
        "use; yellow: root");
  CHECK_FALSE(contains(legend(tree, "dot:ranks=3..5"), "yellow"));
  const Source doubling = built("recursive-doubling", 8, 1, "allreduce");
  CHECK(contains(legend(doubling, "dot"), "colours: this step, from purple (0) to green (2)"));
  CHECK(contains(legend(doubling, "dot"), "heads at both ends"));
  CHECK(contains(legend(doubling, "dot"), "dashed"));
  CHECK_FALSE(contains(legend(doubling, "dot"), "two heads"));
  CHECK_FALSE(contains(legend(doubling, steps), "colours"));
  CHECK_FALSE(contains(legend(doubling, steps), "#"));
  CHECK(contains(legend(built("rabenseifner", 8, 8, "allreduce"), "dot"), "two heads in a row"));
  const std::string dense = legend(built("pairwise", 64, 1), "dot");
  CHECK(contains(dense, "a line for each pair that communicates; colours: the step"));
  for (const std::string sign : {"heads", "a head", "dashed", "yellow"})
    CHECK_FALSE(contains(dense, sign));
  const std::string many = legend(by_hand({{0, {copy(0, 1, 0, 2), copy(0, 2, 4, 4)}},
                                           {1, {copy(1, 2, 0), copy(1, 2, 2), copy(0, 1, 7)}}}),
                                  steps);
  CHECK(contains(many, "colours: the first chunk; yellow"));
}

TEST_CASE("the colours of chunks that follow each other differ, the last and the first as well",
          "[dot]") {
  for (const Rank chunks : {2U, 21U, 22U, 41U, 43U, 64U, 421U}) {
    INFO(chunks);
    Problem problem = small_broadcast();
    problem.chunks = chunks;
    std::vector<std::pair<std::uint64_t, std::vector<Transfer>>> rows;
    for (Rank chunk = 0; chunk < chunks; ++chunk) rows.push_back({chunk, {copy(0, 1, chunk)}});
    const std::string text = emit(by_hand(rows, problem), "dot:view=steps");
    std::map<Rank, std::string> colours;
    for (Rank chunk = 0; chunk < chunks; ++chunk) {
      const std::size_t tip = text.find(fmt::format(": {}\", pos", chunk));
      REQUIRE(tip != std::string::npos);
      colours[chunk] = text.substr(text.rfind("color=", tip) + 7, 7);
    }
    for (Rank chunk = 0; chunk < chunks; ++chunk) {
      for (Rank next = 1; next <= 3 && next < chunks; ++next)
        CHECK(colours[chunk] != colours[(chunk + next) % chunks]);
    }
  }
}

TEST_CASE("a picture of ranks that there are not is refused", "[dot]") {
  const Source source = by_hand({{0, {copy(0, 9, 0)}}});
  CHECK(error_of(source, "dot") == "a graph of 4 nodes has no node 9");
  CHECK(error_of(source, "dot:view=steps") == "a graph of 4 nodes has no node 9");
}
