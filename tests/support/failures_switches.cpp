#include "failures.hpp"

namespace failures {

namespace {

using topologies::Rules;

const Rules both{true, true}, neither{false, false};

/// What only switches that copy, or combine, let through.
void shared_ports(std::vector<Failure>& list) {
  const auto add = [&](const std::string& m, const Problem& p, std::vector<Sent> sent,
                       const char* what) {
    list.push_back({"ports", m, {p, std::move(sent), 0}, {}, {}, what});
  };
  const Problem broadcast3 = problem(Collective::broadcast, 3),
                reduce3 = problem(Collective::reduce, 3);
  const std::vector<Sent> to_all{{0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}},
      to_one{{0, reduce(1, 0, 0)}, {0, reduce(2, 0, 0)}};
  add("switch:only=reduces", broadcast3, to_all, "it does not copy");
  add("switch:only=multicast", reduce3, to_one, "it does not combine");
  add("switch", problem(Collective::scatter, 3), {{0, copy(0, 1, 1)}, {0, copy(0, 2, 2)}},
      "different chunks are no multicast");
  add("switch", problem(Collective::gather, 3), {{0, copy(1, 0, 1)}, {0, copy(2, 0, 2)}},
      "copies are not combined");
  add("switch", problem(Collective::reduce, 3, 1, true), to_one, "nor are ordered contributions");
  list.push_back({"ports",
                  "switch",
                  {problem(Collective::allreduce, 3),
                   {{0, reduce(0, 1, 0)},
                    {0, reduce(0, 2, 0)},
                    {0, reduce(1, 0, 0)},
                    {0, reduce(1, 2, 0)},
                    {0, reduce(2, 0, 0)},
                    {0, reduce(2, 1, 0)}},
                   0},
                  {},
                  {"agreement", "ports"},
                  "what is copied is not combined"});
  const auto star = [](const char* name, Rules rules, Rank ranks) {
    return topologies::machine(name, ranks, 1, true, {rules}, topologies::star_links(ranks, 1));
  };
  add(star("copies-not", {false, true}, 3), broadcast3, to_all, "the switch does not copy");
  add(star("combines-not", {true, {}}, 3), reduce3, to_one, "the switch does not combine");
  const auto tree = [](const char* name, std::vector<Rules> rules) {
    return topologies::machine(name, 5, 1, true, rules, topologies::tree_links(5, 1, 1));
  };
  const Problem broadcast5 = problem(Collective::broadcast, 5);
  const std::vector<Sent> all{
      {0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}, {0, copy(0, 3, 0)}, {0, copy(0, 4, 0)}};
  add(tree("lame-leaf", {neither, both, both}), broadcast5, all,
      "three ways part at a leaf that does not copy");
}

/// Links of a tree on which messages count as several.
void shared_links(std::vector<Failure>& list) {
  const auto tree = [](const char* name, std::vector<Rules> rules, std::uint64_t up) {
    return topologies::machine(name, 4, 2, false, rules, topologies::tree_links(4, 2, up));
  };
  const Problem broadcast = problem(Collective::broadcast, 4),
                reduction = problem(Collective::reduce, 4);
  const std::vector<Sent> to_all{{0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}, {0, copy(0, 3, 0)}},
      to_one{{0, reduce(1, 0, 0)}, {0, reduce(2, 0, 0)}, {0, reduce(3, 0, 0)}};
  list.push_back({"links",
                  tree("lame-end", {both, neither, both}, 1),
                  {broadcast, to_all, 0},
                  {},
                  {},
                  "two ways part at the last switch, which does not copy"});
  list.push_back({"links",
                  tree("lame-begin", {both, neither, both}, 1),
                  {reduction, to_one, 0},
                  {},
                  {},
                  "two ways meet at the first switch, which does not combine"});
}

/// At hop level.
void switch_hops(std::vector<Failure>& list) {
  const auto add = [&](Rules rules, const Problem& p, std::vector<Sent> sent, const char* what) {
    const std::string name = std::string("hops") + (rules.multicast.value_or(true) ? "c" : "n") +
                             (rules.reduces.value_or(true) ? "r" : "n");
    const std::string m =
        topologies::machine(name, 3, 0, false, {rules}, topologies::star_links(3, 1));
    list.push_back({"switches", m, {p, std::move(sent), 4}, {}, {}, what});
  };
  const Problem broadcast = problem(Collective::broadcast, 3),
                reduction = problem(Collective::reduce, 3);
  const Rules no_copies{false, {}}, no_sums{{}, false};
  add(no_copies, broadcast, {{0, copy(0, 3, 0)}, {1, copy(3, 1, 0)}, {1, copy(3, 2, 0)}},
      "a packet to two at once");
  add(no_copies, broadcast, {{0, copy(0, 3, 0)}, {1, copy(3, 1, 0)}, {2, copy(3, 2, 0)}},
      "the same packet again");
  add(no_sums, reduction, {{0, reduce(1, 3, 0)}, {0, reduce(2, 3, 0)}, {1, reduce(3, 0, 0)}},
      "two packets meet");
  add(no_sums, reduction, {{0, reduce(1, 3, 0)}, {1, reduce(2, 3, 0)}, {2, reduce(3, 0, 0)}},
      "a packet meets one that waits");
}

}  // namespace

void add_switches(std::vector<Failure>& list) {
  shared_ports(list);
  shared_links(list);
  switch_hops(list);
}

}  // namespace failures
