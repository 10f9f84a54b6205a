#pragma once

// The kernels of all algorithms, in all forms that they have, and the operations that a rank
// computes by them.

#include <algorithm>
#include <bit>
#include <compare>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "local_algorithms.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

namespace kernel_cases {

using namespace schedcc;

/// What a rank does with a run of chunks in a step.
struct Op {
  std::uint64_t step;
  bool receive;
  std::uint64_t peer, first, count;
  bool reduce;
  auto operator<=>(const Op&) const = default;
};

inline bool touch(const Op& a, const Op& b) {
  return a.step == b.step && a.receive == b.receive && a.peer == b.peer && a.reduce == b.reduce &&
         a.first + a.count == b.first;
}

/// In one order, with runs that touch made one.
inline std::vector<Op> normal(std::vector<Op> ops) {
  if (!std::ranges::is_sorted(ops)) std::ranges::sort(ops);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (kept > 0 && touch(ops[kept - 1], ops[i])) {
      ops[kept - 1].count += ops[i].count;
    } else {
      ops[kept++] = ops[i];
    }
  }
  ops.resize(kept);
  return ops;
}

inline void in_step(const LocalRankSchedule& own, std::uint64_t step, std::vector<Op>& ops) {
  const auto add = [&](bool receive) {
    return [&ops, step, receive](const local::RankTransfer& p) {
      ops.push_back({step, receive, p.peer, p.first, p.count, p.reduce});
    };
  };
  own.sends(step, add(false));
  own.receives(step, add(true));
}

inline std::vector<Op> computed(const LocalSchedule& schedule, std::uint64_t rank) {
  std::vector<Op> ops;
  const auto own = schedule.at(rank);
  for (std::uint64_t t = own->next(0); t != local::never; t = own->next(t + 1)) {
    in_step(*own, t, ops);
  }
  return normal(std::move(ops));
}

/// The specifications of an algorithm and a machine: all kinds of parameters and machines occur.
struct Form {
  std::string spec, machine;
};

inline std::vector<Form> forms() {
  std::vector<Form> result;
  for (const std::string_view name : local_algorithms()) {
    const Algorithm& algorithm = find_algorithm(name);
    const std::string machine(algorithm.machines.front());
    if (name == "bsp-butterfly") {
      for (const int h : {1, 3, 8}) {
        result.push_back({fmt::format("{}:h={}", name, h), fmt::format("bsp:h={}", h)});
      }
    } else if (name == "bsp-pipeline") {
      for (const int levels : {1, 2, 3}) {
        const int h = levels == 1 ? 511 : levels == 2 ? 66 : 36;
        result.push_back({fmt::format("{}:levels={}", name, levels), fmt::format("bsp:h={}", h)});
      }
      result.push_back({"bsp-pipeline", "bsp:h=60"});
    } else if (name == "fractional-tree") {
      for (const int r : {1, 2, 3, 8, 100})
        result.push_back({fmt::format("{}:r={}", name, r), machine});
      result.push_back({std::string(name), machine});
    } else if (name == "knomial-tree") {
      for (const int k : {2, 3, 5, 40}) {
        result.push_back({fmt::format("{}:k={}", name, k), machine});
        result.push_back({fmt::format("{}:k={},ports=3", name, k), "kport:k=3"});
      }
    } else if (name == "kary-tree") {
      for (const int k : {1, 2, 3, 4, 7, 40})
        result.push_back({fmt::format("{}:k={}", name, k), machine});
      result.push_back({std::string(name), machine});
    } else if (name == "two-phase") {
      for (const int h : {2, 3, 7, 1000}) {
        result.push_back({std::string(name), fmt::format("bsp:h={}", h)});
      }
    } else if (name == "all-pairs") {
      result.push_back({"all-pairs:whole", "kport:k=511"});
      for (const char* ports : {"duplex", "kport:k=3", "kport:k=64", "bsp:h=511"}) {
        result.push_back({"all-pairs", ports});
      }
    } else if (name == "bruck") {
      result.push_back({"bruck", machine});
      result.push_back({"bruck:radix=4", "kport:k=3"});
      result.push_back({"bruck:radix=7,balanced", "kport:k=6"});
    } else if (name == "linear" || name == "pairwise") {
      result.push_back({std::string(name), machine});
      result.push_back({fmt::format("{}:ports=3", name), "kport:k=3"});
    } else if (name == "circulant-skips") {
      result.push_back({"circulant-skips", machine});
      result.push_back({"circulant-skips:skips=doubling", machine});
    } else if (name == "pat") {
      result.push_back({"pat", machine});
      result.push_back({"pat:aggregation=4", machine});
    } else if (name == "bine") {
      result.push_back({"bine", machine});
      result.push_back({"bine:whole", machine});
    } else if (name == "trivance") {
      result.push_back({"trivance", machine});
      result.push_back({"trivance:whole", machine});
    } else if (name == "bucket") {
      result.push_back({"bucket", "duplex"});
    } else if (name == "recexch") {
      result.push_back({"recexch", machine});
      result.push_back({"recexch:k=5", "kport:k=4"});
    } else if (name == "recursive-multiplying") {
      result.push_back({"recursive-multiplying:k=3", "kport:k=2"});
      result.push_back({"recursive-multiplying:k=8,mixed", "kport:k=7"});
    } else if (machine == "logp") {
      for (const char* logp : {"logp", "logp:L=5,o=3,g=1", "logp:L=0,o=1,g=5"})
        result.push_back({std::string(name), logp});
      // With o = 0 trees have none: a rank does two things at once.
      if (name == "logp-linear") result.push_back({std::string(name), "logp:L=1,o=0,g=1"});
      for (const int k : {1, 3, 6}) {
        if (name == "logp-kary") result.push_back({fmt::format("logp-kary:k={}", k), machine});
      }
      for (const int k : {3, 4, 7, 1000}) {
        if (name != "logp-knomial") continue;
        for (const char* logp : {"logp", "logp:L=0,o=1,g=5"})
          result.push_back({fmt::format("logp-knomial:k={}", k), logp});
      }
    } else {
      result.push_back({std::string(name), machine});
      if (name == "chain") result.push_back({"chain", "simplex"});
    }
  }
  return result;
}

inline Request request(const Form& form, Collective collective, Rank P, Rank root,
                       std::uint32_t K) {
  Request r;
  const Spec spec = Spec::parse(form.spec);
  r.parameters = spec.check(find_algorithm(spec.name).parameters, spec.name);
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.problem.root = r.problem.rooted() ? root : 0;
  r.problem.chunks = K;
  r.machine = make_machine(form.machine, P);
  return r;
}

inline const Algorithm& algorithm_of(const Form& form) {
  return find_algorithm(Spec::parse(form.spec).name);
}

/// Bine and Swing have kernels for P = 2^h.
inline bool has_kernel(const Form& form, const Request& r) {
  return (form.spec != "bine" && form.spec != "swing") || std::has_single_bit(r.problem.ranks);
}

/// Does a rank of a schedule that has more than a few ranks send P blocks or so in a step, one by
/// one?
inline bool sends_many_blocks(const Form& form, Collective collective) {
  if (info(collective).blocks == 2) {
    return form.spec.starts_with("bruck") || form.spec.starts_with("circulant-skips") ||
           form.spec == "bine" || form.machine.starts_with("bsp");
  }
  return form.spec == "pat" || form.spec == "sparbit" ||
         ((form.spec == "circulant" || form.spec == "bine" || form.spec == "swing" ||
           form.spec == "trivance") &&
          info(collective).blocks == 1 && !info(collective).rooted);
}

inline std::shared_ptr<const LocalSchedule> symbolic_schedule(const Form& form, const Request& r) {
  return local_schedule(algorithm_of(form), {WideProblem(r.problem), r.machine, r.parameters});
}

}  // namespace kernel_cases
