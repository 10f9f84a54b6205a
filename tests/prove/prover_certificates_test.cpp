// Certificates: most refutations use the definition alone, and clauses that are derived by counting
// are checked by a program that shares no code with schedcc.

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "drat.hpp"
#include "proving.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

class Folder {
 public:
  explicit Folder(const std::string& name) : path_(topologies::folder().path() / name) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// What docs/check_counting.py says of some certificates, one line each; empty without Python.
std::vector<std::string> verdicts(const std::vector<std::string>& paths) {
  std::string command = "python3 '" SCHEDCC_SOURCE "/docs/check_counting.py'";
  for (const std::string& path : paths) {
    command += fmt::format(" '{0}.cnf' '{0}.derived'", path);
  }
  std::vector<std::string> result;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) result.emplace_back(line.data());
  ::pclose(pipe);
  return result;
}

bool has_python() { return std::system("python3 --version > /dev/null 2>&1") == 0; }

/// Questions with counts of each kind.
std::vector<Question> questions() {
  std::vector<Question> result;
  for (const char* machine : {"duplex", "simplex:width=2", "kport:k=2"}) {
    for (const Collective collective :
         {Collective::broadcast, Collective::scatter, Collective::allgather, Collective::reduce}) {
      result.push_back(question(collective, 4, 3, machine, 3));
    }
    // Reductions that are not the reverse of a broadcast.
    for (const Collective collective : {Collective::allreduce, Collective::scan}) {
      result.push_back(question(collective, 4, 1, machine, 2));
    }
  }
  result.push_back(question(Collective::broadcast, 9, 3, "kport:k=4", 2));
  for (const char* machine : {"mesh:2x2", "torus:1x4", "crossbar:a=2,b=2,in=1,out=1"}) {
    for (const Collective collective :
         {Collective::alltoall, Collective::broadcast, Collective::allreduce}) {
      result.push_back(question(collective, 4, 3, machine, 3));
    }
  }
  result.push_back(question(Collective::alltoall, 4, 2, "torus:1x4", 7));
  for (const std::string& machine :
       {topologies::ring(4), topologies::star(4), std::string("cbft"), std::string("ebft"),
        std::string("fattree:cap=9223372036854775808,1")}) {
    for (const Collective collective :
         {Collective::alltoall, Collective::gather, Collective::reduce_scatter}) {
      result.push_back(question(collective, 4, 2, machine, 4));
    }
  }
  result.push_back(question(Collective::allgather, 4, 4, topologies::ring(4), 4));
  result.back().rounds = 5;
  result.push_back(question(Collective::alltoall, 4, 3, topologies::ring(4), 5));
  result.push_back(question(Collective::alltoall, 4, 3, topologies::ring(4), 3));
  result.back().rounds = 5;
  const std::string dgx1 = "topology:" SCHEDCC_SOURCE "/schedules/topologies/dgx1.json";
  result.push_back(question(Collective::alltoall, 8, 12, dgx1, 31));
  result.push_back(question(Collective::allgather, 4, 2, "mesh:1x4", 6));
  // Too large for clauses.
  result.push_back(question(Collective::alltoall, 16, 7, "torus:4x4", 104));
  result.push_back(question(Collective::broadcast, 16, 500, "duplex", 502));
  result.push_back(question(Collective::scatter, 4, 2, "logp:L=2,o=1,g=2", 9));
  result.push_back(question(Collective::alltoall, 3, 2, "logp:L=1,o=0,g=3", 8));
  return result;
}

}  // namespace

TEST_CASE("certificates: what is refuted soon is refuted without any hint") {
  if (no_solver() || !first_solver().front()->writes_proofs) return;
  const Folder folder("definitions");
  const std::pair<Question, Basis> impossible[] = {
      {question(Collective::broadcast, 5, 2, "simplex", 3), Basis::definition},
      {question(Collective::allreduce, 3, 1, "simplex", 2), Basis::definition},
      {question(Collective::reduce, 3, 1, "duplex", 1), Basis::definition},
      {question(Collective::alltoall, 4, 1, "ebft", 5), Basis::definition},
  };
  for (const auto& [asked, basis] : impossible) {
    INFO(describe(asked));
    const Decision decision = decide(asked, first_solver(), {}, {}, {folder.path("certificate")});
    REQUIRE(decision.answer == Answer::unsat);
    CHECK(decision.basis == basis);
    const std::string formula = read(folder.path("certificate.cnf"));
    CHECK(drat::fault(formula, read(folder.path("certificate.drat"))).empty());
    CHECK(formula.find("derived") == std::string::npos);
    // Nothing but the definition: as many clauses as the formula without hints has.
    CHECK(formula.find(fmt::format(" {}\n", encode(asked, Hints::none()).formula.clauses())) !=
          std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path("certificate.derived")));
  }
}

namespace {

/// A certificate that is wrong, by `kind`: a bound that is one too good (that of argument `some`);
/// an argument too few; facts of a wider machine; a clause that is another; one more.
std::pair<nlohmann::json, std::string> damage(nlohmann::json content, const std::string& cnf,
                                              std::size_t kind, std::size_t some) {
  nlohmann::json& argument = content["derived"][some];
  const std::string bound = argument.contains("at_most") ? "at_most" : "at_least";
  switch (kind) {
    case 0:
      argument[bound] = argument[bound].get<int>() + (bound == "at_most" ? -1 : 1);
      return {content, cnf};
    case 1:
      content["derived"].erase(some);
      return {content, cnf};
    case 2:
      for (auto& arc : content["facts"]["arcs"]) arc[2] = 1000;
      if (content["facts"].contains("ports")) content["facts"]["ports"] = {1000, 1000, 2000};
      return {content, cnf};
    case 3:
      return {content, cnf.substr(0, cnf.rfind('\n', cnf.size() - 2) + 1) + "-1 0\n"};
    default:
      return {content, cnf + "1 0\n"};
  }
}

}  // namespace

TEST_CASE("certificates: what is derived by counting is verified, and nothing else") {
  if (!has_python()) return;
  const Folder folder("counted");
  std::vector<std::string> paths, damaged;
  std::map<std::string, int> rules;
  std::mt19937 dice(5);
  for (const Question& asked : questions()) {
    const Attempt last = attempts(asked).back();
    REQUIRE(last.basis == Basis::counted);
    const Encoding encoding = encode(asked, last.hints);
    INFO(describe(asked));
    REQUIRE_FALSE(encoding.facts.empty());
    paths.push_back(folder.path(std::to_string(paths.size())));
    Certificate(paths.back()).keep(asked, encoding, last.basis, "");
    const std::string cnf = read(paths.back() + ".cnf");
    const auto content = nlohmann::json::parse(read(paths.back() + ".derived"));
    for (const auto& argument : content["derived"])
      ++rules[argument.contains("link") ? "prices of links" : argument["by"].get<std::string>()];
    const std::size_t some = dice() % content["derived"].size();
    const auto [arguments, clauses] = damage(content, cnf, paths.size() % 5, some);
    damaged.push_back(folder.path("damaged" + std::to_string(damaged.size())));
    write(damaged.back() + ".cnf", clauses);
    write(damaged.back() + ".derived", arguments.dump());
  }
  for (const char* rule : {"into", "out of", "cut", "arc", "growth", "totals", "transfers", "sends",
                           "prices", "prices of links", "messages"}) {
    INFO(rule);
    CHECK(rules[rule] > 0);
  }
  const auto good = verdicts(paths), bad = verdicts(damaged);
  REQUIRE(good.size() == paths.size());
  for (std::size_t i = 0; i < good.size(); ++i) {
    INFO(read(paths[i] + ".cnf").substr(0, 200));
    CHECK(good[i].starts_with("VERIFIED"));
  }
  REQUIRE(bad.size() == damaged.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    INFO(read(damaged[i] + ".cnf").substr(0, 200) << "damage " << (i + 1) % 5);
    CHECK(bad[i].starts_with("NOT VERIFIED"));
  }
}

TEST_CASE("certificates: of every rule a count that is one too good is refused, and says so") {
  if (!has_python()) return;
  const Folder folder("counts");
  std::vector<std::string> paths;
  std::map<std::string, std::string> expected;  // by rule: a part of what is said
  for (const Question& asked : questions()) {
    const Attempt last = attempts(asked).back();
    const Encoding encoding = encode(asked, last.hints);
    const std::string path = folder.path("whole");
    Certificate(path).keep(asked, encoding, last.basis, "");
    const auto content = nlohmann::json::parse(read(path + ".derived"));
    for (std::size_t i = 0; i < content["derived"].size(); ++i) {
      const auto& argument = content["derived"][i];
      const bool most = argument.contains("at_most");
      const int count = argument[most ? "at_most" : "at_least"];
      const std::string said = most ? fmt::format("at most {}, not {}", count, count - 1)
                                    : fmt::format("at least {}, not {}", count, count + 1);
      if (!expected.try_emplace(argument["by"], said).second) continue;
      paths.push_back(folder.path(argument["by"]));
      const auto [wrong, clauses] = damage(content, read(path + ".cnf"), 0, i);
      write(paths.back() + ".cnf", clauses);
      write(paths.back() + ".derived", wrong.dump());
    }
  }
  CHECK(paths.size() == 10);
  const auto said = verdicts(paths);
  REQUIRE(said.size() == paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string rule = std::filesystem::path(paths[i]).filename();
    INFO(rule << ": " << said[i]);
    CHECK(said[i].starts_with("NOT VERIFIED"));
    CHECK(said[i].find(expected[rule]) != std::string::npos);
  }
}

TEST_CASE("certificates: counts of transfers and of channels need what their rules require") {
  if (!has_python()) return;
  const Folder folder("requirements");
  std::vector<std::string> paths;
  const auto with = [&](const Question& asked, const char* rule, const auto& change) {
    const Attempt last = attempts(asked).back();
    paths.push_back(folder.path(std::to_string(paths.size())));
    Certificate(paths.back()).keep(asked, encode(asked, last.hints), last.basis, "");
    auto content = nlohmann::json::parse(read(paths.back() + ".derived"));
    CHECK(std::ranges::any_of(content["derived"], [&](const auto& a) { return a["by"] == rule; }));
    change(content["facts"]);
    write(paths.back() + ".derived", content.dump());
  };
  // Some contribution is not wanted by all; one starts twice; all messages go another way.
  const Question sum = question(Collective::allreduce, 4, 3, "mesh:2x2", 3);
  with(sum, "transfers", [](auto& facts) { facts["contributions"][0]["goals"] = {1, 2}; });
  with(sum, "transfers", [](auto& facts) { facts["contributions"][0]["sources"] = {0, 1}; });
  with(question(Collective::alltoall, 4, 3, "crossbar:a=2,b=2,in=1,out=1", 12), "cut",
       [](auto& facts) { facts.erase("channels"); });
  const auto said = verdicts(paths);
  REQUIRE(said.size() == 3);
  CHECK(said[0].find("at least") != std::string::npos);
  CHECK(said[1].find("at least") != std::string::npos);
  CHECK(said[2].find("a message takes none of the channels") != std::string::npos);
}

TEST_CASE("certificates: derived clauses refute what the definition alone is hard for") {
  if (no_solver() || !first_solver().front()->writes_proofs || !has_python()) return;
  const Folder folder("hard");
  // 56 chunks in nine steps of at most seven, after a start with fewer: the pigeonhole principle.
  const Question asked = question(Collective::broadcast, 8, 8, "duplex", 9);
  const Decision decision = decide(asked, first_solver(), {}, {}, {folder.path("certificate")});
  REQUIRE(decision.answer == Answer::unsat);
  CHECK(decision.basis == Basis::counted);
  const std::string formula = read(folder.path("certificate.cnf"));
  CHECK(drat::fault(formula, read(folder.path("certificate.drat"))).empty());
  CHECK(verdicts({folder.path("certificate")}).front().starts_with("VERIFIED"));
}
