// For every check on every machine a schedule that fails it and nothing else, or the reason why
// there is none. The schedules are the smallest that show the fault; the simulator judges them as
// well.
//
// One time scale for all machines: a stage is as long as the slowest message (1 step on machines
// with ports, L + 2o = 10 cycles under LogP, 4 hops on the fat tree over 4 leaves, 2 at a switch).

#include <algorithm>

#include "agreement.hpp"
#include "catch.hpp"
#include "topologies.hpp"

using namespace agreement;

namespace {

using Names = std::set<std::string>;

struct Failure {
  std::string check, machine;
  Plan plan;
  naive::Options options = {};
  Names expected = {};  ///< all the checks that fail; empty: the one and no other
  std::string what = {};
};

struct Impossible {
  std::string check, machine, theorem;
};

Problem problem(Collective collective, Rank ranks, std::uint32_t chunks = 1, bool ordered = false) {
  return {collective, ranks, 0, chunks, ordered, nullptr};
}

Transfer reduce(Rank src, Rank dst, Chunk first) { return {src, dst, first, 1, 1}; }

std::uint64_t stage(const std::string& machine) {
  if (machine.starts_with("logp")) return 10;
  if (machine.starts_with("topology")) return 2;
  return machine.starts_with("fattree") ? 4 : 1;
}

/// The transfers, each with its stage, as a plan for the machine.
Plan staged(const std::string& machine, const Problem& p, std::vector<Sent> sent) {
  for (Sent& s : sent) s.step *= stage(machine);
  return {p, std::move(sent), 0};
}

const std::vector<std::string> port_machines{"duplex", "simplex", "kport:k=2", "bsp:h=2",
                                             "mesh",   "torus",   "crossbar"};
const std::string logp = "logp:L=6,o=2,g=4";
const std::string fattree = "fattree:cap=constant";

std::vector<std::string> machines_under_test() {
  std::vector<std::string> result = port_machines;
  result.push_back(logp);
  result.push_back(fattree);
  result.push_back("topology");
  return result;
}

/// The specification for so many ranks; links are wide enough for what is not about links.
std::string sized(const std::string& machine, Rank ranks) {
  const std::string P = std::to_string(ranks);
  if (machine == "mesh" || machine == "torus") return machine + ":1x" + P + ",congestion=2";
  if (machine == "crossbar") return "crossbar:a=" + P + ",b=1";
  if (machine == "topology") return topologies::star(ranks, 1);
  return machine;
}

// ---- What fails in the same way on every machine ----

const Problem broadcast4 = problem(Collective::broadcast, 4);
const std::vector<Sent> whole_broadcast{{1, copy(0, 1, 0)}, {2, copy(0, 2, 0)}, {3, copy(0, 3, 0)}};

/// The broadcast from rank 0, and something more.
Plan broadcast_and(const std::string& machine, Sent extra) {
  std::vector<Sent> sent = whole_broadcast;
  sent.insert(extra.step == 0 ? sent.begin() : sent.end(), extra);
  return staged(machine, broadcast4, sent);
}

void everywhere(const std::string& m, std::vector<Failure>& list) {
  const auto add = [&](const char* check, Plan plan, const char* what,
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
      "a contribution counts twice");
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

  naive::Options no_buffers;
  no_buffers.max_buffer = 0;
  add("buffers",
      staged(m, broadcast4, {{0, copy(0, 1, 0)}, {1, copy(1, 2, 0)}, {2, copy(2, 3, 0)}}),
      "a chunk waits to be forwarded", no_buffers);
}

// ---- shape: repetitions. On the fat tree and on simplex they need more than the capacity of a
// link, or of a port, so that other checks fail with it. ----

void repetitions(std::vector<Failure>& list) {
  const Plan twice{problem(Collective::broadcast, 2), {{0, copy(0, 1, 0)}, {0, copy(0, 1, 0)}}, 0};
  for (const std::string& m : port_machines) {
    list.push_back({"shape", sized(m, 2), twice, {}, {}, "twice"});
  }
  list.push_back({"shape", logp, twice, {}, {}, "a chunk twice in a message"});
  list.push_back({"shape", fattree, twice, {}, {"shape", "links"}, "a chunk twice in a message"});
  const Plan collision{
      problem(Collective::broadcast, 4),
      {{0, copy(0, 1, 0)}, {1, copy(0, 2, 0)}, {2, copy(0, 3, 0)}, {2, copy(1, 3, 0)}},
      0};
  list.push_back({"shape", "kport:k=2", collision, {}, {}, "two copies meet"});
  list.push_back({"shape", "duplex", collision, {}, {"shape", "ports"}, "two copies meet"});
  const Plan mixed{problem(Collective::reduce, 3), {{0, reduce(1, 0, 0)}, {0, copy(2, 0, 0)}}, 0};
  list.push_back({"shape", "bsp:h=2", mixed, {}, {"shape", "delivery"}, "a copy meets a reduce"});
}

// ---- ports ----

void ports(std::vector<Failure>& list) {
  const Problem broadcast3 = problem(Collective::broadcast, 3),
                gather3 = problem(Collective::gather, 3);
  const Plan two_sends{broadcast3, {{0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}}, 0};
  const Plan two_receives{gather3, {{0, copy(1, 0, 1)}, {0, copy(2, 0, 2)}}, 0};
  const Plan exchange{
      problem(Collective::allgather, 2), {{0, copy(0, 1, 0)}, {0, copy(1, 0, 1)}}, 0};
  const Plan three_sends{
      broadcast4, {{0, copy(0, 1, 0)}, {0, copy(0, 2, 0)}, {0, copy(0, 3, 0)}}, 0};
  const Plan three_receives{problem(Collective::gather, 4),
                            {{0, copy(1, 0, 1)}, {0, copy(2, 0, 2)}, {0, copy(3, 0, 3)}},
                            0};
  for (const char* m : {"duplex", "mesh", "torus", "crossbar"}) {
    list.push_back({"ports", sized(m, 3), two_sends, {}, {}, "two sends"});
    list.push_back({"ports", sized(m, 3), two_receives, {}, {}, "two receives"});
  }
  list.push_back({"ports", "simplex", two_sends, {}, {}, "two sends"});
  list.push_back({"ports", "simplex", two_receives, {}, {}, "two receives"});
  list.push_back({"ports", "simplex", exchange, {}, {}, "a send and a receive"});
  for (const char* m : {"kport:k=2", "bsp:h=2"}) {
    list.push_back({"ports", m, three_sends, {}, {}, "three sends"});
    list.push_back({"ports", m, three_receives, {}, {}, "three receives"});
  }
  const Plan wide{problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0, 2)}}, 0};
  const Plan wide_in_parts{
      problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0)}, {0, copy(0, 1, 1)}}, 0};
  for (const char* m : {"duplex", "simplex", "kport:k=2", "bsp:h=2", "logp:L=6,o=2,g=4", "mesh:1x2",
                        "torus:2x1", "crossbar:a=1,b=2"}) {
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
    const Plan overlap{allgather2, {{0, copy(0, 1, 0)}, {t, copy(1, 0, 1)}}, 0};
    list.push_back({"ports", logp, overlap, eager, {}, "a send overlaps a receive"});
  }
}

// ---- links ----

void links(std::vector<Failure>& list) {
  const auto add = [&](const std::string& m, Plan plan, const char* what) {
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

/// Messages that share an edge, or a way out of a module or into it.
void channels(std::vector<Failure>& list) {
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
}

void topology_links(std::vector<Failure>& list) {
  const auto add = [&](const std::string& m, Plan plan, const char* what) {
    list.push_back({"links", m, std::move(plan), {}, {}, what});
  };
  const Problem broadcast2 = problem(Collective::broadcast, 2);
  const Plan two_chunks{problem(Collective::broadcast, 2, 2), {{0, copy(0, 1, 0, 2)}}, 0};
  add(topologies::star(2, 1), two_chunks, "two chunks at once");
  add(topologies::star(2, 1), {broadcast2, {{0, copy(0, 1, 0)}}, 3}, "a hop past the switch");
  add(topologies::machine("oneway", 2, 0, {{1, 0, 1}}), {broadcast2, {{0, copy(0, 1, 0)}}, 0},
      "there is no way");
  Plan too_few_rounds{problem(Collective::broadcast, 2, 3), {{0, copy(0, 1, 0, 3)}}, 0};
  too_few_rounds.rounds[0] = 2;
  add(topologies::ring(2), too_few_rounds, "three chunks in two rounds");
  Plan one_hop_of_two = two_chunks;  // the hop from the switch is in step 1, which has one round
  one_hop_of_two.rounds[0] = 2;
  add(topologies::star(2, 1), one_hop_of_two, "rounds of another step");
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

Plan ring(const std::string& machine) {
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
                              "torus", "crossbar", "topology"}) {
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
  const Plan waits{problem(Collective::broadcast, 2), {{0, copy(0, 2, 0)}, {2, copy(2, 1, 0)}}, 3};
  list.push_back({"buffers", fattree, waits, none, {}, "a packet waits one step at the router"});
  list.push_back({"buffers",
                  topologies::star(2, 1),
                  waits,
                  none,
                  {},
                  "a packet waits one step at the switch"});
  const Plan gap{problem(Collective::reduce, 4, 1, true),
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

std::vector<Failure> failures() {
  std::vector<Failure> list;
  for (const std::string& m : machines_under_test()) everywhere(m, list);
  repetitions(list);
  ports(list);
  logp_ports(list);
  links(list);
  channels(list);
  topology_links(list);
  deadlock(list);
  hops(list);
  return list;
}

std::vector<Impossible> impossible() {
  std::vector<Impossible> list{
      {"ports", "fattree", "does not apply: its links are its only limits"},
      {"ports", "topology", "does not apply: its links are its only limits"}};
  for (const char* m : {"duplex", "simplex", "kport", "bsp", "logp"}) {
    list.push_back({"links", m, "does not apply: any two ranks may talk"});
  }
  for (const MachineEntry* m : machines()) {
    list.push_back({"bound", std::string(m->name), "informational: it never changes the verdict"});
  }
  return list;
}

std::string kind(const std::string& spec) { return spec.substr(0, spec.find(':')); }

}  // namespace

TEST_CASE("each check fails on each machine and alone where it can", "[failures]") {
  for (const Failure& f : failures()) {
    INFO(f.check << ": " << f.what << "\n" << text(f.plan, f.machine));
    const Rank ranks = f.plan.problem.ranks;
    const Names expected = f.expected.empty() ? Names{f.check} : f.expected;
    const Report report =
        check(source_of(f.plan), make_machine(f.machine, ranks), library_options(f.options));
    CHECK(join(violated(report)) == join(expected));
    const auto outcome = naive::simulate(f.plan, naive::model(f.machine, ranks), f.options);
    CHECK(join(outcome.violated) == join(expected));
    CHECK(report.verdict() == Verdict::violated);
    for (const std::string& name : expected) {
      CHECK(std::any_of(report.findings.begin(), report.findings.end(),
                        [&](const Finding& found) { return found.check == name; }));
    }
  }
}

TEST_CASE("there is such a schedule or a reason for every check on every machine", "[failures]") {
  std::set<std::pair<std::string, std::string>> covered, excused;
  for (const Failure& f : failures()) covered.insert({f.check, kind(f.machine)});
  for (const Impossible& i : impossible()) excused.insert({i.check, i.machine});
  for (const MachineEntry* m : machines()) {
    for (const CheckInfo& c : checks()) {
      const std::pair<std::string, std::string> key{c.name, m->name};
      INFO(key.first << " on " << key.second);
      CHECK(covered.count(key) + excused.count(key) == 1);
    }
  }
}

TEST_CASE("what does not apply to a machine is left out of its report", "[failures]") {
  for (const std::string& m : machines_under_test()) {
    const Plan p = staged(m, broadcast4, whole_broadcast);
    const Machine machine = make_machine(sized(m, 4), 4);
    const Report report = check(source_of(p), machine);
    INFO(m);
    CHECK(report.verdict() == Verdict::holds);
    const std::set<std::string> with_links{"fattree", "topology", "mesh", "torus", "crossbar"};
    CHECK(applicable(report).count("links") == with_links.count(kind(m)));
    CHECK(applicable(report).count("ports") == (machine.routed() ? 0 : 1));
    CHECK(applicable(report).count("deadlock") == 1);
  }
  const Plan hops{problem(Collective::broadcast, 2), {{0, copy(0, 2, 0)}, {1, copy(2, 1, 0)}}, 3};
  CHECK(applicable(check(source_of(hops), make_machine(fattree, 2))).count("deadlock") == 0);
}

TEST_CASE("redundancy is a warning and an error where the user asks for it", "[failures]") {
  const Plan p = broadcast_and("duplex", {4, copy(0, 1, 0)});
  const Machine duplex = make_machine("duplex", 4);
  const Report mild = check(source_of(p), duplex);
  CHECK(mild.verdict() == Verdict::holds);
  REQUIRE(mild.findings.size() == 1);
  CHECK(mild.findings[0].check == "redundancy");
  CHECK(mild.findings[0].severity == Severity::warning);
  const Report strict = check(source_of(p), duplex, library_options({}));
  CHECK(strict.verdict() == Verdict::violated);
  REQUIRE(strict.findings.size() == 1);
  CHECK(strict.findings[0].severity == Severity::error);
}

TEST_CASE("passing a router twice is not redundant", "[failures]") {
  const Plan p{problem(Collective::broadcast, 4),
               naive::lower({{0, copy(0, 1, 0)}, {3, copy(0, 2, 0)}, {6, copy(0, 3, 0)}},
                            naive::model(fattree, 4), 4),
               7};
  const Report report = check(source_of(p), make_machine(fattree, 4), library_options({}));
  CHECK(join(violated(report)) == "{}");
}

TEST_CASE("theorem: these ways of blocking are safe where all ranks take steps together",
          "[failures]") {
  std::uint64_t state = 7;
  const auto below = [&state](std::uint64_t n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state >> 33) % n);
  };
  const std::vector<std::pair<Blocking, std::uint64_t>> safe{
      {Blocking::sendrecv, 0}, {Blocking::sendrecv, 1},   {Blocking::program, 0},
      {Blocking::program, 1},  {Blocking::send_first, 1}, {Blocking::send_first, 2}};
  for (int i = 0; i < 500; ++i) {
    Plan p{broadcast4, {}, 0};
    for (std::uint64_t step = 0; step < 5; ++step) {
      for (int n = 0; n < 6; ++n) p.sent.push_back({step, copy(below(4), below(4), 0)});
    }
    for (const auto& [blocking, eager] : safe) {
      naive::Options options;
      options.blocking = blocking;
      options.eager = eager;
      const auto outcome = naive::simulate(p, naive::model("duplex", 4), options);
      const Report report =
          check(source_of(p), make_machine("duplex", 4), library_options(options));
      REQUIRE(outcome.violated.count("deadlock") == 0);
      REQUIRE(violated(report).count("deadlock") == 0);
    }
  }
}
