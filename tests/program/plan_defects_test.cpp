// Execution plans with a defect do not hold.

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "right_plans.hpp"

using namespace plans;

namespace {

bool form_is_sum(PlanOp op) {
  return op == PlanOp::reduce || op == PlanOp::reduce_send || op == PlanOp::reduce_send_packets ||
         op == PlanOp::reduce_copy_send_packets;
}

/// Does the runtime take the length of the operation from this operand? It ignores the others'.
bool governs(const PlanStep& s, bool source, std::size_t operand) {
  const bool puts = s.op == PlanOp::put || s.op == PlanOp::put_signal_flush;
  const bool each = puts || s.op == PlanOp::put_packets;
  return source != puts && (each || operand == 0);
}

/// A change of a plan, described; false if it does not apply.
using Change = std::function<bool(Plan&)>;
struct Mutant {
  std::string what;
  Change change;
};

/// Changes of one operation of GPU 0.
std::vector<Mutant> mutants(const Plan& plan) {
  std::vector<Mutant> result;
  for (std::size_t b = 0; b < plan.gpus[0].blocks.size(); ++b) {
    const Operations& steps = plan.gpus[0].blocks[b].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string where = fmt::format("{}.{} {}", b, i, name(steps[i].op));
      const auto add = [&](const std::string& what, const std::function<bool(PlanStep&)>& change) {
        result.push_back(
            {where + ": " + what, [=](Plan& p) { return change(p.gpus[0].blocks[b].steps[i]); }});
      };
      if (steps[i].op == PlanOp::pipeline) continue;
      // The body of a pipeline keeps its length.
      add("is missing", [](PlanStep& s) {
        s = step(PlanOp::flush);
        return true;
      });
      const auto replace = [&](PlanOp from, PlanOp to) {
        if (steps[i].op != from) return;
        add(fmt::format("becomes {}", name(to)), [=](PlanStep& s) {
          s.op = to;
          if (from == PlanOp::reduce_send || from == PlanOp::read_reduce_send) s.dst.resize(1);
          return true;
        });
      };
      replace(PlanOp::put_signal_flush, PlanOp::put_signal);
      replace(PlanOp::put_signal_flush, PlanOp::put);
      replace(PlanOp::signal, PlanOp::wait);
      replace(PlanOp::wait, PlanOp::signal);
      replace(PlanOp::reduce_send, PlanOp::reduce);
      replace(PlanOp::read_reduce_send, PlanOp::read_reduce);
      for (const bool source : {true, false}) {
        const auto& ranges = source ? steps[i].src : steps[i].dst;
        for (std::size_t k = 0; k < ranges.size(); ++k) {
          const auto range = [&](const std::string& what,
                                 const std::function<bool(PlanRange&)>& change) {
            add(fmt::format("{} {} {}", source ? "source" : "destination", k, what),
                [=](PlanStep& s) { return change((source ? s.src : s.dst)[k]); });
          };
          range("one further", [](PlanRange& r) { return ++r.index > 0; });
          range("one before", [](PlanRange& r) { return r.index-- > 0; });
          if (governs(steps[i], source, k)) {
            range("longer", [](PlanRange& r) { return ++r.size > 0; });
            range("empty", [](PlanRange& r) { return r.size-- > 0; });
          }
          range("at another GPU", [](PlanRange& r) {
            if (r.where != PlanRange::Where::remote) return false;
            r.id = (r.id + 3) % 6;
            return true;
          });
          range("in another buffer", [](PlanRange& r) {
            if (r.where != PlanRange::Where::local) return false;
            r.buffer = r.buffer == in ? out : in;
            return true;
          });
        }
        if (ranges.size() > 1 && source && form_is_sum(steps[i].op)) {
          add("adds an operand twice", [](PlanStep& s) {
            s.src.push_back(s.src.back());
            return true;
          });
        }
      }
      if (i + 1 < steps.size() && steps[i + 1].op != PlanOp::pipeline) {
        result.push_back({where + ": after the next", [=](Plan& p) {
                            auto& list = p.gpus[0].blocks[b].steps;
                            std::swap(list[i], list[i + 1]);
                            return true;
                          }});
        result.push_back({where + ": after the next, at all GPUs", [=](Plan& p) {
                            for (PlanGpu& gpu : p.gpus) {
                              auto& list = gpu.blocks[b].steps;
                              std::swap(list[i], list[i + 1]);
                            }
                            return true;
                          }});
      }
    }
  }
  if (plan.two_halves) {
    result.push_back({"one half of scratch", [](Plan& p) { return !(p.two_halves = false); }});
  }
  return result;
}

/// Mutants that still hold: in which plan (empty: all), which operation and change, whether at all
/// GPUs as well, and why.
struct Equivalent {
  std::string_view plan, what;
  bool everywhere;
  std::string_view why;
};

const std::vector<Equivalent>& equivalents() {
  static const std::vector<Equivalent> list{
      {"", "rlxsignal: after the next", false, "the other GPU does not wait before it signals"},
      {"", " signal: after the next", false, "the same"},
      {"put", "0.3 put: after the next", true, "the copy uses other data"},
      {"put", "0.4 copy: after the next", true, "only the caller reads what it writes"},
      {"groups", "put: after the next", true, "the copy uses other data"},
      {"groups", "copy: after the next", true, "only the caller reads what it writes"},
      {"read and write", "source 0 in another buffer", false, "in place it is the same buffer"},
      {"read and write", "res: destination 0 in another buffer", false, "the same"},
      {"read and write", "0.3 rres: after the next", true, "get uses other data"},
      {"read and write", "0.4 get: after the next", true,
       "the same thread reads and adds an element"},
      {"read and write", "0.5 nop: is missing", false, "the same"},
      {"read and write", "0.5 nop: after the next", true, "the same; it is before another nop"},
      {"semaphore", "0.6 wait: after the next", true, "the thread that waits also releases"},
      {"semaphore", "0.7 nop: is missing", false, "the same"},
      {"semaphore", "0.7 nop: after the next", true, "the same"},
      {"pipeline", "0.7 wait: after the next", true, "the thread that waits also releases"},
      {"pipeline", "0.8 nop: is missing", false, "the same"},
      {"pipeline", "0.8 nop: after the next", true, "the same"},
      {"pipeline", "put: destination 0 longer", false, "slices end with the pipeline"},
      {"pipeline", "copy: source 0 longer", false, "the same"},
      {"pipeline", "1.3 copy: after the next", true, "the copies use different data"},
      {"barrier", "0.6 wait: after the next", true, "all threads meet at a barrier"},
      {"barrier", "0.7 nop: is missing", false, "the same"},
      {"barrier", "0.7 nop: after the next", true, "the same"},
      {"barrier", "1.0 barrier: after the next", true, "the same"},
      {"barrier", "1.1 nop: is missing", false, "the same"},
      {"barrier", "1.1 nop: after the next", true, "the same"},
      {"port", "0.1 wait: after the next", true, "the thread that waits also puts"},
      {"port", "0.2 nop: is missing", false, "the same"},
      {"port", "0.2 nop: after the next", true, "the same"},
      {"port", "0.3 pwsf: after the next", true, "the copy uses other data"},
      {"port", "0.4 copy: after the next", true, "the wait is for other data"},
      {"packets", "0.0 ppkt: after the next", true, "the copy uses other data"},
      {"packets", "0.1 copy: after the next", true, "the same"},
      {"packet sums", "ppkt: after the next", false, "the other GPU sends its packets first"},
      {"packet sums", "respkt: after the next", false, "the other GPU sends its sum first"},
      {"packet sums", "one half of scratch", false,
       "a GPU writes a slot again when it has received what was made of the slot"},
      {"copied packet sums", "ppkt: after the next", false, "as in packet sums"},
      {"copied packet sums", "recspkt: after the next", false, "as in packet sums"},
      {"copied packet sums", "one half of scratch", false, "as in packet sums"},
      {"forwarded packets", "ppkt: after the next", false, "the others send their packets first"},
      {"forwarded packets", "rppkt: after the next", true, "the copy uses other data"},
      {"forwarded packets", "copy: after the next", true, "the same"},
      {"forwarded packets", "0.3 upkt: after the next", true, "they read different packets"},
      {"packets by port", "ppkt: after the next", false, "the others send their packets first"},
      {"packets by port", "rppkt: after the next", true, "the copy uses other data"},
      {"packets by port", "copy: after the next", true, "the same"},
      {"packets by port", "0.3 upkt: after the next", true, "they read different packets"},
      {"switched packets", "0.2 upkt: after the next", true, "they read different packets"},
  };
  return list;
}

bool is_equivalent(const std::string& plan, std::string what) {
  constexpr std::string_view everywhere = ", at all GPUs";
  const bool all_gpus = what.ends_with(everywhere);
  if (all_gpus) what.resize(what.size() - everywhere.size());
  return std::ranges::any_of(equivalents(), [&](const Equivalent& e) {
    return (e.plan.empty() || e.plan == plan) && what.ends_with(e.what) &&
           (!all_gpus || e.everywhere);
  });
}

}  // namespace

TEST_CASE("a defect planted in a right plan is found", "[plan]") {
  for (const NamedPlan& named : right_plans()) {
    for (const Mutant& mutant : mutants(named.plan)) {
      Plan plan = named.plan;
      if (!mutant.change(plan)) continue;
      const Report report = proved(plan);
      const bool listed = is_equivalent(named.name, mutant.what);
      INFO(named.name << ", " << mutant.what << "\n" << to_text(report));
      CHECK((report.verdict() == Verdict::holds) == listed);
    }
  }
}

TEST_CASE("defects have their check and their place", "[plan]") {
  const auto found = [](Plan plan, const std::function<void(Plan&)>& plant) {
    plant(plan);
    const Report report = proved(plan);
    REQUIRE(!report.findings.empty());
    return fmt::format("{}: {}", report.findings[0].check, report.findings[0].message);
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  contains(found(by_put(), [](Plan& p) { ops(p, 0).pop_back(); }),
           "matching: operation 6 (signal) of threadblock 0 of GPU 1");
  contains(found(by_put(),
                 [](Plan& p) {
                   for (Rank r = 0; r < 2; ++r) std::swap(ops(p, r)[6], ops(p, r)[7]);
                 }),
           "deadlock: these operations wait for one another");
  contains(found(by_put(), [](Plan& p) { ops(p, 0)[3].dst[0].index = 2; }),
           "limits: operation 3 (put) of threadblock 0 of GPU 0 writes o[2] of GPU 1");
  contains(found(by_read(), [](Plan& p) { ops(p, 0)[3].src.push_back(ops(p, 0)[3].src[0]); }),
           "delivery: GPU 0 ends with a wrong chunk 0 in o[0]: the contribution of rank 0 is "
           "counted twice");
  contains(found(by_packets(), [](Plan& p) { p.two_halves = false; }), "races: ");
  contains(found(by_put(), [](Plan& p) { ops(p, 0).resize(65, nop()); }),
           "limits: threadblock 0 of GPU 0: the threadblock has 65 operations");
  // A network interface may still read the input when the caller has it back.
  contains(found(by_port(), [](Plan& p) { ops(p, 0)[3].op = PlanOp::put_signal; }),
           "races: the caller of GPU 0 writes i[0]");
  // Puts to scratch go to its first half.
  contains(found(by_two_blocks(true), [](Plan& p) { p.two_halves = true; }), "delivery: ");
}

namespace {

/// Two GPUs send their blocks in packets by slot 0, and unpack them into scratch, where they are
/// plain data at chunk `to`.
Plan unpacked_in_scratch(std::uint32_t to) {
  Plan plan = by_packets();
  for (Rank r = 0; r < 2; ++r) {
    plan.gpus[r].scratch = 4;
    ops(plan, r)[2].dst = {own(scratch, to)};
    ops(plan, r).push_back(nop());
    ops(plan, r).push_back(step(PlanOp::copy, {own(scratch, to)}, {own(out, 1 - r)}));
  }
  return plan;
}

/// The same, but the packets of slot 0 are unpacked into the output, and those of slot 2 into
/// scratch.
Plan unpacked_twice(bool meets) {
  Plan plan = unpacked_in_scratch(1);
  for (Rank r = 0; r < 2; ++r) {
    Operations& steps = ops(plan, r);
    steps.insert(steps.begin(), step(PlanOp::put_packets, {own(in, 0)}, {at(1 - r, scratch, 2)}));
    steps[3].src = {own(scratch, 2)};
    const PlanStep first = step(PlanOp::unpack_packets, {own(scratch, 0)}, {own(out, 1 - r)});
    steps.insert(steps.begin() + 3, first);
    if (meets) steps.insert(steps.begin() + 4, nop());
  }
  return plan;
}

/// Each GPU packs plain data of chunk 1 of scratch for the other one, which returns the packets to
/// slot `to`.
Plan returned(std::uint32_t to) {
  Plan plan = by_packets();
  for (Rank r = 0; r < 2; ++r) {
    plan.gpus[r].scratch = 4;
    ops(plan, r) = {step(PlanOp::copy, {own(in, 0)}, {own(scratch, 1)}),
                    nop(),
                    step(PlanOp::put_packets, {own(scratch, 1)}, {at(1 - r, scratch, 2)}),
                    step(PlanOp::read_put_packets, {own(scratch, 2)}, {at(1 - r, scratch, to)}),
                    step(PlanOp::unpack_packets, {own(scratch, to)}, {own(out, r)}),
                    step(PlanOp::unpack_packets, {own(scratch, 2)}, {own(out, 1 - r)})};
  }
  return plan;
}

/// Network interfaces move two packets of slots 0 and 1, and the receiver returns the first one to
/// slot `to`.
Plan returned_early(std::uint32_t to) {
  Plan plan = empty("allgather", 2, 2, 4, 5);
  plan.protocol = "LL";
  plan.two_halves = true;
  for (Rank r = 0; r < 2; ++r) {
    PlanStep put = step(PlanOp::put_packets, {own(scratch, 0, 2)}, {at(1 - r, scratch, 2, 2)},
                        PlanChannel::port);
    put.channels = {0};
    ops(plan, r) = {step(PlanOp::copy_packets, {own(in, 0, 2)}, {own(scratch, 0, 2)}),
                    nop(),
                    put,
                    step(PlanOp::read_put_packets, {own(scratch, 2)}, {at(1 - r, scratch, to)}),
                    step(PlanOp::unpack_packets, {own(scratch, 2, 2)}, {own(out, 2 - 2 * r, 2)}),
                    step(PlanOp::copy, {own(in, 0, 2)}, {own(out, 2 * r, 2)})};
  }
  return plan;
}

/// Each GPU copies its blocks to scratch, and from there to scratch one chunk further.
Plan shifted(bool meets) {
  Plan plan = empty("allgather", 2, 1, 2, 3);
  for (Rank r = 0; r < 2; ++r) {
    plan.gpus[r].blocks[0].steps = by_put().gpus[r].blocks[0].steps;
    Operations& steps = ops(plan, r);
    const std::vector<PlanStep> copies{
        step(PlanOp::copy, {own(in, 0)}, {own(scratch, 0)}),
        nop(),
        step(PlanOp::copy, {own(scratch, 0)}, {own(scratch, 1)}),
        nop(),
        step(PlanOp::copy, {own(scratch, 0, 2)}, {own(scratch, meets ? 0 : 1, 2)}),
        nop(),
        step(PlanOp::copy, {own(scratch, 1)}, {own(out, r)})};
    steps.erase(steps.begin() + 4);
    steps.insert(steps.begin() + 4, copies.begin(), copies.end());
  }
  return plan;
}

}  // namespace

// A thread finds other elements in a cell of plain data than in one of packets, which take two.
TEST_CASE("plain data in place of packets are ordered only if all threads meet", "[plan]") {
  const auto races = [](Plan plan) {
    const Report report = proved(std::move(plan));
    UNSCOPED_INFO(to_text(report));
    // Nothing else is wrong, if the elements of a chunk are one.
    CHECK(verdict(report, "delivery") == Verdict::holds);
    return verdict(report, "races");
  };
  CHECK(races(unpacked_in_scratch(0)) == Verdict::violated);
  CHECK(races(unpacked_in_scratch(1)) == Verdict::violated);
  CHECK(races(unpacked_in_scratch(2)) == Verdict::holds);
  CHECK(races(unpacked_twice(false)) == Verdict::violated);
  CHECK(races(unpacked_twice(true)) == Verdict::holds);
  CHECK(races(returned(0)) == Verdict::violated);
  CHECK(races(returned(3)) == Verdict::holds);
}

TEST_CASE("a packet that a network interface has moved does not tell that the next one is",
          "[plan]") {
  CHECK(verdict(proved(returned_early(4)), "races") == Verdict::holds);
  CHECK(verdict(proved(returned_early(1)), "races") == Verdict::violated);
}

TEST_CASE("an operation whose ranges overlap at other places races with itself", "[plan]") {
  CHECK(verdict(proved(shifted(true)), "races") == Verdict::holds);
  CHECK(verdict(proved(shifted(false)), "races") == Verdict::violated);
}
