#include "failures.hpp"

namespace failures {

namespace {

// ---- What fails in the same way on every machine ----

void everywhere(const std::string& m, std::vector<Failure>& list) {
  const auto add = [&](const char* check, naive::Plan plan, const char* what,
                       naive::Options options = {}) {
    const std::string machine = sized(m, plan.problem.ranks);
    list.push_back({check, machine, std::move(plan), options, {}, what});
  };
  add("shape", broadcast_and(m, {4, copy(3, 3, 0)}), "a rank sends to itself");
  add("shape", broadcast_and(m, {4, copy(4, 3, 0)}), "a source out of range");
  add("shape", broadcast_and(m, {4, copy(3, 4, 0)}), "a destination out of range");
  add("shape", broadcast_and(m, {4, copy(3, 2, 1)}), "a chunk out of range");
  add("shape", broadcast_and(m, {4, copy(3, 2, 0, 0)}), "no chunk");
  add("shape", broadcast_and(m, {4, copy(3, 2, 0, 2)}), "a run that leaves the range");
  add("shape", broadcast_and(m, {4, reduce(3, 2, 0)}), "a reduce of a chunk that is merely held");
  add("causality", broadcast_and(m, {0, copy(1, 2, 0)}), "sent before it was received");
  add("delivery", staged(m, broadcast4, {whole_broadcast[0], whole_broadcast[1]}), "one left out");
  add("redundancy", broadcast_and(m, {4, copy(0, 1, 0)}), "the same again");

  const Problem reduce4 = problem(Collective::reduce, 4);
  const Sent from1{0, reduce(1, 0, 0)}, from2{1, reduce(2, 0, 0)}, from3{2, reduce(3, 0, 0)};
  add("delivery", staged(m, reduce4, {from1, from2}), "a contribution is missing");
  add("delivery", staged(m, reduce4, {from1, from2, from3, {3, reduce(1, 0, 0)}}),
      "a contribution is counted twice");
  add("delivery", staged(m, reduce4, {from1, from2, {2, copy(3, 0, 0)}}),
      "a copy replaces what was gathered");
  add("delivery",
      staged(m, problem(Collective::reduce, 4, 1, true),
             {{0, reduce(3, 1, 0)}, {1, reduce(1, 0, 0)}, {2, reduce(2, 0, 0)}}),
      "1 and 3 are combined without 2");
  add("delivery",
      staged(m, problem(Collective::scan, 2), {{0, reduce(1, 0, 0)}, {1, copy(0, 1, 0)}}),
      "a scan goes too far");
  add("redundancy",
      staged(m, problem(Collective::allreduce, 2),
             {{0, reduce(1, 0, 0)}, {1, copy(0, 1, 0)}, {2, copy(1, 0, 0)}}),
      "a complete chunk is sent back");

  add("agreement",
      staged(m, problem(Collective::allreduce, 4),
             {{0, reduce(3, 2, 0)},
              {1, copy(0, 3, 0)},
              {2, reduce(1, 0, 0)},
              {3, reduce(2, 0, 0)},
              {4, reduce(2, 1, 0)},
              {5, reduce(3, 1, 0)},
              {6, copy(0, 2, 0)},
              {7, copy(0, 3, 0)}}),
      "(0+1)+(2+3) against (1+(2+3))+0");

  naive::Options no_buffers;
  no_buffers.max_buffer = 0;
  add("buffers",
      staged(m, broadcast4, {{0, copy(0, 1, 0)}, {1, copy(1, 2, 0)}, {2, copy(2, 3, 0)}}),
      "a chunk waits to be forwarded", no_buffers);
}

// ---- shape: repetitions. On the fat tree and on simplex they need more than the capacity of a
// link, or of a port, so that other checks fail with it. ----

void repetitions(std::vector<Failure>& list) {
  const naive::Plan twice{
      problem(Collective::broadcast, 2), {{0, copy(0, 1, 0)}, {0, copy(0, 1, 0)}}, 0};
  for (const std::string& m : port_machines) {
    list.push_back({"shape", sized(m, 2), twice, {}, {}, "twice"});
  }
  list.push_back({"shape", logp, twice, {}, {}, "a chunk twice in a message"});
  list.push_back({"shape", fattree, twice, {}, {"shape", "links"}, "a chunk twice in a message"});
  const naive::Plan collision{
      problem(Collective::broadcast, 4),
      {{0, copy(0, 1, 0)}, {1, copy(0, 2, 0)}, {2, copy(0, 3, 0)}, {2, copy(1, 3, 0)}},
      0};
  list.push_back({"shape", "kport:k=2", collision, {}, {}, "two copies meet"});
  list.push_back({"shape", "duplex", collision, {}, {"shape", "ports"}, "two copies meet"});
  const naive::Plan mixed{
      problem(Collective::reduce, 3), {{0, reduce(1, 0, 0)}, {0, copy(2, 0, 0)}}, 0};
  list.push_back({"shape", "bsp:h=2", mixed, {}, {"shape", "delivery"}, "a copy meets a reduce"});
}

// ---- ports ----

void ports(std::vector<Failure>& list) {
  const Problem broadcast3 = problem(Collective::broadcast, 3),
                gather3 = problem(Collective::gather, 3);
  const naive::Plan two_sends{broadcast3, {{0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}}, 0};
  const naive::Plan two_receives{gather3, {{0, copy(1, 0, 1)}, {0, copy(2, 0, 2)}}, 0};
  const naive::Plan exchange{
      problem(Collective::allgather, 2), {{0, copy(0, 1, 0)}, {0, copy(1, 0, 1)}}, 0};
  const naive::Plan three_sends{
      broadcast4, {{0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}, {0, copy(0, 3, 0)}}, 0};
  const naive::Plan three_receives{problem(Collective::gather, 4),
                                   {{0, copy(1, 0, 1)}, {0, copy(2, 0, 2)}, {0, copy(3, 0, 3)}},
                                   0};
  for (const char* m : {"duplex", "mesh", "torus", "crossbar", "cluster"}) {
    list.push_back({"ports", sized(m, 3), two_sends, {}, {}, "two sends"});
    list.push_back({"ports", sized(m, 3), two_receives, {}, {}, "two receives"});
  }
  list.push_back({"ports", "simplex", two_sends, {}, {}, "two sends"});
  list.push_back({"ports", "simplex", two_receives, {}, {}, "two receives"});
  list.push_back({"ports", "simplex", exchange, {}, {}, "a send and a receive"});
  for (const char* m : {"kport:k=2", "bsp:h=2", "cluster:4x1,ports=2"}) {
    list.push_back({"ports", m, three_sends, {}, {}, "three sends"});
    list.push_back({"ports", m, three_receives, {}, {}, "three receives"});
  }
  const naive::Plan wide{problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0, 2)}}, 0};
  const naive::Plan wide_in_parts{
      problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0)}, {0, copy(0, 1, 1)}}, 0};
  for (const char* m : {"duplex", "simplex", "kport:k=2", "bsp:h=2", "logp:L=6,o=2,g=4", "mesh:1x2",
                        "torus:2x1", "crossbar:a=1,b=2", "cluster:2x1", "switch"}) {
    const std::string narrow =
        std::string(m) + (std::string(m).find(':') != std::string::npos ? "," : ":") + "width=1";
    list.push_back({"ports", narrow, wide, {}, {}, "a message of two chunks"});
    list.push_back({"ports", narrow, wide_in_parts, {}, {}, "a message of two transfers"});
  }
}

/// Under LogP the limit of ceil(L/g) messages in flight is implied by the spacing: those in flight
/// from a rank at one moment started within L cycles, at least g apart. So nothing fails it alone.
void logp_ports(std::vector<Failure>& list) {
  const Problem broadcast3 = problem(Collective::broadcast, 3),
                gather3 = problem(Collective::gather, 3);
  const Problem allgather2 = problem(Collective::allgather, 2);
  const auto add = [&](const std::string& m, const Problem& p, std::vector<Sent> sent,
                       const char* what) {
    list.push_back({"ports", m, {p, std::move(sent), 0}, {}, {}, what});
  };
  add(logp, broadcast3, {{0, copy(0, 1, 0)}, {3, copy(0, 2, 0)}}, "sends less than g apart");
  add(logp, gather3, {{0, copy(1, 0, 1)}, {3, copy(2, 0, 2)}}, "receives less than g apart");
  add("logp:L=6,o=3,g=1", broadcast3, {{0, copy(0, 1, 0)}, {2, copy(0, 2, 0)}}, "sends overlap");
  add("logp:L=6,o=3,g=1", gather3, {{0, copy(1, 0, 1)}, {2, copy(2, 0, 2)}}, "receives overlap");
  naive::Options eager;  // or the ranks, each sending before it receives, would deadlock as well
  eager.eager = 1;
  for (const std::uint64_t t : {7, 8, 9}) {  // rank 1 receives in [8, 10)
    const naive::Plan overlap{allgather2, {{0, copy(0, 1, 0)}, {t, copy(1, 0, 1)}}, 0};
    list.push_back({"ports", logp, overlap, eager, {}, "a send overlaps a receive"});
  }
}

// ---- deadlock ----
//
// On machines whose steps all ranks take together (all but LogP) no schedule deadlocks
//  - under `sendrecv`: by induction over the steps every call of step t is reached and completes,
//  for
//    each has its partner in a call of the same step;
//  - under `program`: both ends of every message list it in the order of the file, so that the
//  first
//    message of the file that has not happened is the next call of both;
//  - under `send-first` with a buffer: a pair has one message a step, so by induction over the
//  steps
//    the buffers are empty when a step's sends are reached; then all receives complete.
// On simplex, in addition, a rank whose ports hold has one call in a step, which leaves no order
// to choose: none deadlocks unless `ports` fails too. The tests of theorems below try to refute
// the first three.

naive::Plan ring(const std::string& machine) {
  std::vector<Sent> sent;
  for (Rank t = 0; t < 3; ++t) {
    for (Rank r = 0; r < 4; ++r) sent.push_back({t, copy(r, (r + 1) % 4, (r + 4 - t) % 4)});
  }
  return staged(machine, problem(Collective::allgather, 4), sent);
}

void deadlock(std::vector<Failure>& list) {
  const auto add = [&](const std::string& m, Blocking blocking, std::uint64_t eager,
                       Names expected = {}) {
    naive::Options options;
    options.blocking = blocking;
    options.eager = eager;
    list.push_back(
        {"deadlock", sized(m, 4), ring(m), options, std::move(expected), "all wait around a ring"});
  };
  for (const std::string m : {"duplex", "kport:k=2", "bsp:h=2", "fattree:cap=constant", "mesh",
                              "torus", "crossbar", "cluster", "switch", "topology"}) {
    add(m, Blocking::send_first, 0);
    add(m, Blocking::recv_first, 0);
    add(m, Blocking::recv_first, 2);
  }
  add("simplex", Blocking::send_first, 0, {"deadlock", "ports"});
  add("simplex", Blocking::recv_first, 1, {"deadlock", "ports"});
  for (const Blocking b :
       {Blocking::sendrecv, Blocking::send_first, Blocking::recv_first, Blocking::program}) {
    add(logp, b, 0);  // all send at the same cycle, and none receives in it
  }
}

// ---- hop level: packets may wait at routers, and routers may combine ----

void hops(std::vector<Failure>& list) {
  naive::Options none;
  none.max_buffer = 0;
  const naive::Plan waits{
      problem(Collective::broadcast, 2), {{0, copy(0, 2, 0)}, {2, copy(2, 1, 0)}}, 3};
  list.push_back({"buffers", fattree, waits, none, {}, "a packet waits one step at the router"});
  list.push_back({"buffers",
                  topologies::star(2, 1),
                  waits,
                  none,
                  {},
                  "a packet waits one step at the switch"});
  const naive::Plan gap{problem(Collective::reduce, 4, 1, true),
                        {{0, copy(1, 4, 0)},
                         {0, copy(3, 5, 0)},
                         {1, copy(5, 6, 0)},
                         {1, copy(2, 5, 0)},
                         {2, reduce(6, 4, 0)},
                         {2, copy(5, 6, 0)},
                         {3, reduce(4, 0, 0)},
                         {3, copy(6, 4, 0)},
                         {4, reduce(4, 0, 0)}},
                        7};
  list.push_back({"delivery", fattree, gap, {}, {}, "a router combines 1 and 3 without 2"});
}

}  // namespace

std::vector<Failure> all() {
  std::vector<Failure> list;
  for (const std::string& m : machines_under_test()) everywhere(m, list);
  repetitions(list);
  ports(list);
  logp_ports(list);
  add_links(list);
  add_channels(list);
  add_topology_links(list);
  add_switches(list);
  deadlock(list);
  hops(list);
  return list;
}

}  // namespace failures
