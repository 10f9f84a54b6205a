// The rules of machines; and machines defined here: checks, bounds and costs depend on their rules
// alone.

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "machine/crossbar.hpp"
#include "machine/mesh.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "topologies.hpp"

using namespace schedcc;

namespace {

/// Nodes of `size` ranks; per step, up to `nics` messages leave and enter each node.
class Nics : public Channels {
 public:
  Nics(std::uint64_t nodes, std::uint64_t size, std::uint64_t nics)
      : nodes_(nodes), size_(size), nics_(nics) {}

  void route(Rank src, Rank dst, std::vector<Run>& runs) const override {
    if (src / size_ == dst / size_) return;
    runs.push_back({2 * (src / size_), 1});
    runs.push_back({2 * (dst / size_) + 1, 1});
  }
  std::uint64_t capacity(std::uint64_t) const override { return nics_; }
  std::string describe(std::uint64_t nic) const override {
    return fmt::format("the link {} module {}", nic % 2 == 0 ? "out of" : "into", nic / 2);
  }
  std::vector<Cut> cuts() const override {
    return {{size_, (nodes_ - 1) * size_, nics_, "chunks that must enter and leave a module"}};
  }

 private:
  std::uint64_t nodes_, size_, nics_;
};

/// A tree of routers with `arity` children each; all branches of level i carry capacity[i - 1].
class Tree : public Network {
 public:
  Tree(std::uint64_t arity, std::vector<std::uint64_t> capacity)
      : arity_(arity), capacity_(std::move(capacity)) {
    std::uint64_t nodes = 1;
    for (std::size_t i = 0; i < capacity_.size(); ++i) nodes *= arity;
    for (std::uint64_t first = 0; nodes > 0; first += nodes, nodes /= arity)
      begin_.push_back(first);
    begin_.push_back(begin_.back() + 1);
  }

  std::uint64_t ranks() const { return begin_[1]; }
  std::uint64_t nodes() const override { return begin_.back(); }
  std::uint64_t links() const override { return 2 * (nodes() - 1); }
  std::optional<Link> link(Rank from, Rank to) const override {
    if (from >= nodes() || to >= nodes() || from == to) return std::nullopt;
    const Rank child = std::min(from, to);
    if (std::max(from, to) != parent(child)) return std::nullopt;
    return Link{2 * std::uint64_t{child} + (from == child ? 0 : 1), capacity_[level(child)]};
  }
  void neighbours(Rank node, std::vector<Rank>& result) const override {
    for (Rank v = 0; v < nodes(); ++v) {
      if (link(node, v)) result.push_back(v);
    }
  }
  void route(Rank src, Rank dst, std::vector<Rank>& path) const override {
    std::vector<Rank> down;
    while (src != dst) {
      if (level(src) <= level(dst)) path.push_back(std::exchange(src, parent(src)));
      if (src != dst && level(dst) < level(src)) down.push_back(std::exchange(dst, parent(dst)));
    }
    path.push_back(src);
    path.insert(path.end(), down.rbegin(), down.rend());
  }
  std::string describe(Rank node) const override {
    if (node < ranks()) return fmt::format("rank {}", node);
    return fmt::format("router {} (level {})", node, level(node));
  }
  std::vector<Level> levels() const override {
    std::vector<Level> result;
    for (std::uint64_t below = 1; below < ranks(); below *= arity_)
      result.push_back({below, capacity_[result.size()]});
    return result;
  }
  std::uint32_t level(Rank node) const override {
    std::uint32_t level = 0;
    while (node >= begin_[level + 1]) ++level;
    return level;
  }

 private:
  Rank parent(Rank node) const {
    const std::uint32_t l = level(node);
    return static_cast<Rank>(begin_[l + 1] + (node - begin_[l]) / arity_);
  }

  std::uint64_t arity_;
  std::vector<std::uint64_t> capacity_;
  std::vector<std::uint64_t> begin_;  ///< first node of each level, then the end
};

/// The text of a report without the machine.
std::string figures(const Report& r) {
  std::string text =
      fmt::format("{} steps, volume {}, {} hops, buffer {}, congestion {}\n", r.steps, r.volume,
                  r.hops.value_or(0), r.max_buffer.value_or(0), r.congestion.value_or(0));
  for (const CheckResult& c : r.checks)
    text += fmt::format("{} {}\n", c.check, static_cast<int>(c.verdict));
  for (const Finding& f : r.findings) text += f.message.substr(0, f.message.find(" on ")) + '\n';
  for (const LevelQueues& q : r.queues) text += fmt::format("{} {} {}\n", q.level, q.up, q.down);
  if (r.lower_bound)
    text += fmt::format("bound {} {} {}\n", r.lower_bound->steps.value_or(0),
                        r.lower_bound->volume.value_or(0), r.lower_bound->source);
  return text;
}

/// Calls f(request, source) for all algorithms and collectives that serve the machine's ranks.
template <typename F>
void each_source(const Machine& machine, Rank ranks, F f) {
  for (const Algorithm* a : algorithms()) {
    if (a->hops || a->serves(Collective::custom)) continue;
    for (const Collective collective : a->collectives) {
      const Problem problem{.collective = collective, .ranks = ranks, .chunks = 2};
      const Request request{problem, machine, Spec{}.check(a->parameters, a->name)};
      if (a->reason(request)) continue;
      f(request, from_algorithm(*a, request, std::string(a->name)));
    }
  }
}

}  // namespace

TEST_CASE("a default-constructed machine has the ports of duplex") {
  const Machine machine;
  CHECK(machine.spec() == "duplex");
  Problem problem;
  problem.ranks = 3;
  auto twice = std::make_shared<Schedule>();
  twice->begin_step(0);
  twice->add({0, 1, 0, 1, 0});
  twice->add({0, 2, 0, 1, 0});
  const Report report = check(from_schedule(problem, twice), Machine{});
  CHECK(report.verdict() == Verdict::violated);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().check == "ports");
}

TEST_CASE("a machine is what its specification names, with any width") {
  for (const char* spec :
       {"duplex", "simplex", "kport:k=3", "bsp:h=2", "logp:L=6,o=2,g=4", "mesh:2x4,congestion=2",
        "torus:2x4,congestion=1", "crossbar:a=2,b=4,in=2,out=3", "fattree:cap=1,2,3",
        "cluster:2x2x2,ports=2,nics=2,oversubscription=1,2,rails,shared"}) {
    INFO(spec);
    const Machine machine = make_machine(spec, 8);
    CHECK(machine.spec() == spec);
    CHECK(std::string(spec).starts_with(machine.name()));
    if (machine.network() == nullptr) {
      const Machine narrow = machine.with_width(3);
      CHECK(narrow.width() == 3);
      CHECK(narrow.with_width(0).spec() == spec);
      CHECK(make_machine(narrow.spec(), 8).width() == 3);
    }
    CHECK((machine.shape<Mesh>() != nullptr) ==
          (machine.name() == "mesh" || machine.name() == "torus"));
    CHECK((machine.shape<Crossbar>() != nullptr) == (machine.name() == "crossbar"));
  }
}

TEST_CASE("machines with unsupported combinations of rules are refused") {
  const auto tree = std::make_shared<Tree>(2, std::vector<std::uint64_t>{1});
  const auto nics = std::make_shared<Nics>(2, 2, 1);
  CHECK_THROWS_AS(Machine({.spec = "nothing"}), InternalError);
  CHECK_THROWS_AS(Machine({.spec = "channels alone", .channels = nics}), InternalError);
  CHECK_THROWS_AS(Machine({.spec = "both", .ports = PortLimits{}, .network = tree}), InternalError);
  CHECK_THROWS_AS(Machine({.spec = "late", .timing = LogP{}, .channels = nics}), InternalError);
  CHECK_THROWS_AS(Machine({.spec = "wide", .network = tree, .width = 1}), InternalError);
}

TEST_CASE("the neighbours of a node are those to which it has links") {
  for (const Rank P : {1, 2, 4, 8, 16}) {
    for (const std::string& spec :
         {std::string("cbft"), topologies::ring(P), topologies::star(P), topologies::line(P)}) {
      INFO(spec << " of " << P);
      const Machine machine = make_machine(spec, P);
      const Network& network = *machine.network();
      for (Rank u = 0; u < network.nodes(); ++u) {
        std::vector<Rank> neighbours, expected;
        network.neighbours(u, neighbours);
        for (Rank v = 0; v < network.nodes(); ++v) {
          if (network.link(u, v)) expected.push_back(v);
        }
        CHECK(neighbours == expected);
      }
    }
  }
}

TEST_CASE("nodes with NICs have the reports of the same crossbar") {
  for (const auto& [nodes, size, nics] : std::vector<std::array<std::uint64_t, 3>>{
           {2, 4, 1}, {4, 2, 1}, {4, 2, 2}, {2, 4, 3}, {3, 4, 2}, {4, 4, 1}}) {
    const auto P = static_cast<Rank>(nodes * size);
    const Machine crossbar =
        make_machine(fmt::format("crossbar:a={},b={},in={},out={}", nodes, size, nics, nics), P);
    const Machine cluster({.spec = fmt::format("cluster:{}x{},nics={}", nodes, size, nics),
                           .ports = PortLimits{},
                           .channels = std::make_shared<Nics>(nodes, size, nics)});
    CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1ns/B");
    std::size_t sources = 0;
    each_source(cluster, P, [&](const Request& request, const Source& source) {
      INFO(source.name << " for " << request.problem.name() << " on " << cluster.spec());
      CHECK(figures(check(source, cluster)) == figures(check(source, crossbar)));
      CHECK(cost(source, cluster, model, {.bytes = 64}).seconds ==
            cost(source, crossbar, model, {.bytes = 64}).seconds);
      ++sources;
    });
    CHECK(sources > 20);
  }
}

TEST_CASE("a binary tree of routers has the reports of the same fat tree") {
  for (const std::vector<std::uint64_t>& capacity :
       std::vector<std::vector<std::uint64_t>>{{1}, {1, 2}, {1, 1, 1}, {1, 2, 4}, {2, 1, 3, 1}}) {
    const auto network = std::make_shared<Tree>(2, capacity);
    const auto P = static_cast<Rank>(network->ranks());
    const Machine tree({.spec = "tree", .network = network});
    std::string cap;
    for (const std::uint64_t c : capacity) cap += fmt::format("{}{}", cap.empty() ? "" : ",", c);
    const Machine fat = make_machine("fattree:cap=" + cap, P);
    each_source(tree, P, [&](const Request& request, const Source& source) {
      INFO(source.name << " for " << request.problem.name() << " on " << fat.spec());
      CHECK(figures(check(source, tree)) == figures(check(source, fat)));
    });
  }
}

TEST_CASE("trees of any arity: no schedule that holds is below the bound") {
  for (const std::uint64_t arity : {3, 4, 5}) {
    for (const std::vector<std::uint64_t>& capacity :
         std::vector<std::vector<std::uint64_t>>{{9}, {9, 9}, {1, 99}, {99, 99}, {2, 25}}) {
      const auto network = std::make_shared<Tree>(arity, capacity);
      const auto P = static_cast<Rank>(network->ranks());
      const Machine tree({.spec = "tree", .network = network});
      std::size_t held = 0;
      each_source(tree, P, [&](const Request& request, const Source& source) {
        INFO(source.name << " for " << request.problem.name() << ", arity " << arity);
        const Report report = check(source, tree);
        CHECK_FALSE(report.below_bound);
        CHECK(report.queues.size() == capacity.size());
        held += report.verdict() == Verdict::holds ? 1 : 0;
      });
      CHECK(held > 0);
    }
  }
}

TEST_CASE("a machine is one of the number of ranks that it states") {
  for (const MachineInfo& kind : machines()) {
    if (kind.name == "topology") continue;  // it has no default
    for (const Rank P : {1u, 2u, 4u, 6u, 16u, 30u, 64u}) {
      INFO(kind.name << ", " << P << " ranks");
      std::string spec;
      try {
        spec = make_machine(kind.name, P).spec();  // with all parameters
      } catch (const InputError&) {
        continue;
      }
      const auto stated = machine_ranks(spec);
      if (stated) {
        CHECK(*stated == P);
        CHECK_THROWS_AS(make_machine(spec, 2 * P), InputError);
      } else {
        CHECK_NOTHROW(make_machine(spec, 2 * P));
      }
    }
  }
  for (const MachineFile& file : machine_files()) CHECK(machine_ranks(file.name) == file.ranks);
  CHECK(machine_ranks("cluster:8") == std::nullopt);
  CHECK(machine_ranks("crossbar:a=8") == std::nullopt);
  CHECK(machine_ranks("torus") == std::nullopt);
  CHECK(machine_ranks("cluster:8x4x16,nics=2") == 512);
  CHECK_THROWS_AS(machine_ranks("torus:4"), InputError);
  CHECK_THROWS_AS(machine_ranks("toros:4x4"), InputError);
}
