#include "prove/symbolic/rank_classes.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include <fmt/core.h>

namespace schedcc::prover {

Incidence::Lists Incidence::lists(const SymbolicSchedule& schedule, std::uint32_t Edge::*end,
                                  const PollLimits& poll_limits) {
  Lists result;
  std::vector<std::uint32_t>& begin = result.begin;
  begin.resize(schedule.ranks + 2);
  // Counted at v + 2, so that after filling, begin[v] is where v's edges begin.
  for (const Edge& e : schedule.edges) ++begin[e.*end + 2];
  for (std::size_t v = 2; v < begin.size(); ++v) begin[v] += begin[v - 1];
  result.edges.resize(schedule.edges.size());
  for (std::uint32_t i = 0; i < schedule.edges.size(); ++i) {
    if (i % poll_interval == 0 && poll_limits) poll_limits();
    result.edges[begin[schedule.edges[i].*end + 1]++] = i;
  }
  return result;
}

Incidence::Incidence(const SymbolicSchedule& schedule, const PollLimits& poll_limits)
    : in_(lists(schedule, &Edge::to, poll_limits)),
      out_(lists(schedule, &Edge::from, poll_limits)) {}

namespace {

/// Joins edges where `join` allows it: for their family, with starts `stride` apart.
EdgeSequences sequences(const SymbolicSchedule& schedule, std::span<const std::uint32_t> numbers,
                        std::uint64_t stride, bool (*join)(std::uint32_t family)) {
  EdgeSequences result;
  for (const std::uint32_t number : numbers) {
    const Edge& e = schedule.edges[number];
    result.push_back({e.family, e.start, e.place, 1, stride});
  }
  std::sort(result.begin(), result.end());
  std::size_t last = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    EdgeSequence &so_far = result[last], &next = result[i];
    if (join(next.family) && so_far.family == next.family &&
        so_far.start + stride * so_far.count == next.start &&
        so_far.place + so_far.count == next.place) {
      ++so_far.count;
    } else {
      result[++last] = next;
    }
  }
  if (!result.empty()) result.resize(last + 1);
  return result;
}

EndFamily line(const SymbolicSchedule& schedule, const EdgeSequence& edges, const Term& shift,
               const Term& offset, const std::string& name) {
  const Family& family = schedule.families[edges.family];
  EndFamily result;
  Term start = shift + Term(edges.start), place = offset + Term(edges.place);
  if (edges.count > 1) {
    const Term x = variable(name, Sort::number, edges.count);
    result.indices = {x};
    start = start + Term(edges.stride) * x;
    place = place + x;
  }
  const Substitution by{{"start", start}, {"place", place}};
  result.sent = substitute(family.sent, by);
  for (const Term& part : family.packet) result.packet.push_back(substitute(part, by));
  return result;
}

bool mentions(const NodePtr& node, const std::string& name) {
  if (node->op == Op::variable) return node->name == name;
  return std::ranges::any_of(node->arguments,
                             [&](const NodePtr& argument) { return mentions(argument, name); });
}

}  // namespace

View view(const SymbolicSchedule& schedule, const Incidence& incidence, std::uint64_t v,
          std::uint64_t stride) {
  // Incoming edges are joined only if the inverse supports it: edges to the right.
  const auto to_right = [](std::uint32_t family) { return family == 1; };
  const auto any = [](std::uint32_t) { return true; };
  return {v == 0, sequences(schedule, incidence.in(v), stride, to_right),
          sequences(schedule, incidence.out(v), stride, any)};
}

RankClass rank_class(const SymbolicSchedule& schedule, const View& view, const Term& shift,
                     const Term& offset, Inverse inverse) {
  RankClass n;
  const auto add = [&](std::vector<EndFamily>& lines, const char* way,
                       const EdgeSequences& sequences) {
    for (const EdgeSequence& s : sequences) {
      lines.push_back(line(schedule, s, shift, offset, fmt::format("{}{}.", way, lines.size())));
    }
  };
  add(n.in, "in", view.in);
  add(n.out, "out", view.out);
  const bool root = view.root;
  n.holds = [root](const Packet&) { return Condition(root); };
  n.wants = [](const Packet&) { return Condition(true); };
  n.arrivals = [&schedule, in = view.in, shift, offset, inverse](const Packet& packet) {
    std::vector<Arrival> arrivals;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (Arrival& a : inverse(schedule, in[i], shift + Term(in[i].start),
                                offset + Term(in[i].place), packet[0])) {
        a.line = i;
        arrivals.push_back(std::move(a));
      }
    }
    return arrivals;
  };
  return n;
}

namespace {

/// A shift of starts, and a rank that has it. By shift, each once.
using Shifts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The ranks with a view: their shifts, by the offset of places.
using Offsets = std::map<std::uint64_t, Shifts>;

class Kinds {
 public:
  Kinds(const SymbolicSchedule& schedule, bool shifted, Inverse inverse,
        const PollLimits& poll_limits)
      : schedule_(schedule), shifted_(shifted), inverse_(inverse), poll_limits_(poll_limits) {
    for (const Family& family : schedule.families) {
      bool uses = mentions(family.sent.node(), "place");
      for (const Term& part : family.packet) uses = uses || mentions(part.node(), "place");
      uses_place_.push_back(uses);
    }
  }

  std::vector<RankClass> run() {
    const Incidence incidence(schedule_, poll_limits_);
    for (std::uint64_t v = 0; v < schedule_.ranks; ++v) {
      if (v % poll_interval == 0 && poll_limits_) poll_limits_();
      add(v, view(schedule_, incidence, v, shifted_ ? 1 : 0));
    }
    std::vector<RankClass> result;
    for (auto& [view, offsets] : classes_) {
      if (poll_limits_) poll_limits_();
      for (auto& [offset, shifts] : offsets) sort(shifts);
      result.push_back(class_of(view, offsets));
    }
    return result;
  }

 private:
  void add(std::uint64_t v, View view) {
    std::uint64_t shift = UINT64_MAX, offset = UINT64_MAX;
    for (const EdgeSequences* sequences : {&view.in, &view.out}) {
      for (const EdgeSequence& s : *sequences) {
        shift = std::min(shift, s.start);
        if (uses_place_[s.family]) offset = std::min(offset, s.place);
      }
    }
    if (!shifted_ || shift == UINT64_MAX) shift = 0;
    if (offset == UINT64_MAX) offset = 0;
    for (EdgeSequences* sequences : {&view.in, &view.out}) {
      for (EdgeSequence& s : *sequences) {
        s.start -= shift;
        if (uses_place_[s.family]) s.place -= offset;
      }
    }
    classes_[std::move(view)][offset].emplace_back(shift, v);
  }

  static void sort(Shifts& shifts) {
    std::sort(shifts.begin(), shifts.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    shifts.erase(std::unique(shifts.begin(), shifts.end(), same), shifts.end());
  }

  /// One of the shifts: a union of intervals.
  static Condition among(const Term& x, const Shifts& shifts) {
    Condition result(false);
    for (auto it = shifts.begin(); it != shifts.end();) {
      const std::uint64_t first = it->first;
      std::uint64_t end = first;
      while (it != shifts.end() && it->first == end) ++it, ++end;
      result = result || within(x, first, end);
    }
    return result;
  }
  static Condition within(const Term& x, std::uint64_t first, std::uint64_t end) {
    return !(x < Term(first)) && x < Term(end);
  }

  Term shift() const { return shifted_ ? variable("b") : Term(0); }

  /// Ranks that have the same offset.
  static RankClass member(const SymbolicSchedule& schedule, const View& view, const Term& shift,
                          std::uint64_t offset, const Shifts& shifts, Inverse inverse) {
    RankClass n = rank_class(schedule, view, shift, Term(offset), inverse);
    n.example = shifts.front().second;
    n.rank = variable("b");
    n.where = among(n.rank, shifts);
    n.rank_of = [shifts](std::uint64_t b) {
      const auto found =
          std::lower_bound(shifts.begin(), shifts.end(), std::pair(b, std::uint64_t{0}));
      return found->second;
    };
    return n;
  }

  RankClass class_of(const View& view, Offsets& offsets) {
    std::uint64_t first = UINT64_MAX, end = 0;
    for (const auto& [offset, shifts] : offsets) {
      first = std::min(first, shifts.front().first);
      end = std::max(end, shifts.back().first + 1);
    }
    const Shifts& some = offsets.begin()->second;
    if (offsets.size() == 1 && some.size() == end - first) {
      return member(schedule_, view, shift(), offsets.begin()->first, some, inverse_);
    }
    const std::uint64_t least = offsets.begin()->first, most = offsets.rbegin()->first;
    const Term offset = least == most ? Term(least) : variable("a", Sort::number, most + 1);
    RankClass n = rank_class(schedule_, view, shift(), offset, inverse_);
    n.example = some.front().second;
    n.rank = variable("b");
    n.where = within(n.rank, first, end);
    if (least != most) n.where = n.where && within(offset, least, most + 1);
    n.members = offsets.size();
    const auto kept = std::make_shared<const std::vector<std::pair<std::uint64_t, Shifts>>>(
        std::make_move_iterator(offsets.begin()), std::make_move_iterator(offsets.end()));
    n.member = [&schedule = schedule_, view, shift = shift(), kept,
                inverse = inverse_](std::size_t i) {
      return member(schedule, view, shift, (*kept)[i].first, (*kept)[i].second, inverse);
    };
    return n;
  }

  const SymbolicSchedule& schedule_;
  bool shifted_;
  Inverse inverse_;
  const PollLimits& poll_limits_;
  std::vector<bool> uses_place_;
  std::map<View, Offsets> classes_;
};

}  // namespace

std::vector<RankClass> rank_classes(const SymbolicSchedule& schedule, bool shifted, Inverse inverse,
                                    const PollLimits& poll_limits) {
  return Kinds(schedule, shifted, inverse, poll_limits).run();
}

}  // namespace schedcc::prover
