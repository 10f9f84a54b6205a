#include "failures.hpp"

namespace failures {

// ---- links ----

void add_links(std::vector<Failure>& list) {
  const auto add = [&](const std::string& m, naive::Plan plan, const char* what) {
    list.push_back({"links", m, std::move(plan), {}, {}, what});
  };
  add(fattree, {problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0, 2)}}, 0},
      "two chunks at once");
  add(fattree,
      {problem(Collective::scatter, 4),
       {{0, copy(0, 1, 1)}, {0, copy(0, 2, 2)}, {2, copy(0, 3, 3)}},
       0},
      "two leave a leaf");
  add(fattree,
      {problem(Collective::gather, 4),
       {{0, copy(2, 0, 2)}, {0, copy(3, 0, 3)}, {8, copy(1, 0, 1)}},
       0},
      "two go up a branch");
  add("fattree:cap=exponential",
      {problem(Collective::gather, 4),
       {{0, copy(2, 0, 2)}, {0, copy(3, 0, 3)}, {8, copy(1, 0, 1)}},
       0},
      "two reach a leaf");
  const Problem broadcast2 = problem(Collective::broadcast, 2);
  add(fattree, {broadcast2, {{0, copy(0, 1, 0)}}, 3}, "a hop between leaves");
  add(fattree,
      {broadcast4,
       {{0, copy(0, 6, 0)},
        {1, copy(6, 4, 0)},
        {1, copy(6, 5, 0)},
        {2, copy(4, 1, 0)},
        {2, copy(5, 2, 0)},
        {2, copy(5, 3, 0)}},
       7},
      "a hop that leaves out a level");
}

/// Messages that share an edge, or a link out of a module or into it.
void add_channels(std::vector<Failure>& list) {
  const auto add = [&](const char* m, Rank ranks, std::vector<Sent> sent, const char* what) {
    list.push_back(
        {"links", m, {problem(Collective::broadcast, ranks), std::move(sent), 0}, {}, {}, what});
  };
  const std::vector<Sent> halves{{0, copy(0, 1, 0)}, {1, copy(0, 2, 0)}, {1, copy(1, 3, 0)}};
  add("mesh:1x4", 4, halves, "two pass the edge from 1 to 2");
  add("mesh:4x1", 4, halves, "the same upright");
  add("torus:1x4", 4, halves, "a tie goes upward");
  add("mesh:3x2", 6,
      {{0, copy(0, 1, 0)},
       {1, copy(0, 5, 0)},
       {1, copy(1, 3, 0)},
       {2, copy(0, 2, 0)},
       {2, copy(3, 4, 0)}},
      "along the row, then down the column from 1 over 3 to 5");
  add("mesh:1x6,congestion=2", 6,
      {{0, copy(0, 1, 0)},
       {1, copy(1, 2, 0)},
       {2, copy(0, 3, 0)},
       {2, copy(1, 4, 0)},
       {2, copy(2, 5, 0)}},
      "three pass the edge from 2 to 3");
  add("torus:1x7", 7,
      {{0, copy(0, 6, 0)},
       {1, copy(0, 5, 0)},
       {1, copy(6, 4, 0)},
       {2, copy(0, 1, 0)},
       {2, copy(4, 3, 0)},
       {3, copy(1, 2, 0)}},
      "two go down round the ring");
  add("crossbar:a=2,b=2,in=2,out=1", 4, halves, "two leave a module");
  add("crossbar:a=2,b=2,in=1,out=2", 4, halves, "two enter a module");
  const std::vector<Sent> crossed{{0, copy(0, 1, 0)}, {1, copy(0, 3, 0)}, {1, copy(1, 2, 0)}};
  add("cluster:2x2", 4, halves, "two leave a node");
  add("cluster:2x2,nics=2,oversubscription=4", 4, halves, "two pass the spine");
  add("cluster:2x2,nics=2,rails,oversubscription=4", 4, crossed, "two change their rails");
  add("cluster:1x2x2,oversubscription=2,1", 4, halves, "two leave a rack");
  add("cluster:2x2x2,nics=2,rails,oversubscription=4,1", 8,
      {{0, copy(0, 1, 0)},
       {1, copy(0, 3, 0)},
       {1, copy(1, 2, 0)},
       {2, copy(0, 4, 0)},
       {3, copy(4, 5, 0)},
       {4, copy(4, 6, 0)},
       {4, copy(5, 7, 0)}},
      "two change their rails within a rack");
  add("cluster:4x2,nics=2,rails", 8,
      {{0, copy(0, 1, 0)},
       {1, copy(0, 2, 0)},
       {1, copy(1, 3, 0)},
       {2, copy(0, 4, 0)},
       {2, copy(2, 6, 0)},
       {3, copy(1, 5, 0)},
       {4, copy(3, 7, 0)}},
      "two use the same NIC");
}

void add_topology_links(std::vector<Failure>& list) {
  const auto add = [&](const std::string& m, naive::Plan plan, const char* what) {
    list.push_back({"links", m, std::move(plan), {}, {}, what});
  };
  const Problem broadcast2 = problem(Collective::broadcast, 2);
  const naive::Plan two_chunks{problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0, 2)}}, 0};
  add(topologies::star(2, 1), two_chunks, "two chunks at once");
  add(topologies::star(2, 1), {broadcast2, {{0, copy(0, 1, 0)}}, 3}, "a hop past the switch");
  add(topologies::machine("oneway", 2, 0, {{1, 0, 1}}), {broadcast2, {{0, copy(0, 1, 0)}}, 0},
      "there is no way");
  naive::Plan too_few_rounds{problem(Collective::broadcast, 2, 3), {{0, copy(0, 1, 0, 3)}}, 0};
  too_few_rounds.rounds[0] = 2;
  add(topologies::ring(2), too_few_rounds, "three chunks in two rounds");
  naive::Plan one_hop_of_two =
      two_chunks;  // the hop from the switch is in step 1, which has one round
  one_hop_of_two.rounds[0] = 2;
  add(topologies::star(2, 1), one_hop_of_two, "rounds of another step");
}

}  // namespace failures
