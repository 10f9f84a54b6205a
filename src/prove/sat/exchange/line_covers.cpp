// Let a *cover* be messages in one direction whose routes share no link. In each step of a schedule
// there are two, one in either direction. Where links are the bound, covers have to take all links
// in all steps, or on a path those in the middle.
//
// *Path.* For its ends x and y and each rank a between them the messages from x to a and from a to
// y are a cover, and so is that from x to y. Without x and y a shorter path is left. The m - 1
// covers of each length m, m = n, n - 2, ..., are floor(n^2 / 4): as many as messages over the
// middle.
//
// *Ring of odd length.* To a ring of n - 2 ranks two are added, x and y, with h = (n - 3) / 2 ranks
// a_1, ..., a_h from x up to y, and b_1, ..., b_{h+1} from y up to x. The messages from x to a_i,
// to y, to b_i, and back to x take each link once, i = 1, ..., h, and so do those from x to y, to
// b_{h+1}, and to x. No other message takes more than (n - 1) / 2 links: one of the shorter ring
// leaves out x or y. These are (n - 1) / 2 covers, all together (n^2 - 1) / 8.
//
// *Ring of even length* n = 2q. For numbers i, j below q the messages between neighbours among i,
// j, i + q and j + q are a cover: there are q (q - 1) / 2 of these, which carry all messages over
// fewer than q links. Messages over q links all go upwards, two of them, from i and from i + q,
// being a cover. Half of these packets go downwards instead, by way of another rank j: together
// with the cover of i and j of that direction, which has a message from i to j, and one from j to
// i + q, they take two steps. In the first the former is a part of the way from i to i + q, and the
// latter a message of its own; in the second it is the other way round. One packet needs q / 2 more
// steps like these, rounded up, so n^2 / 8 all together, and two packets twice as many, not
// rounded.
//
// Covers of either direction share no link, but ports: pairs of which no rank sends or receives in
// both are found by a maximum flow. (No proof is known that there always are such pairs. On rings
// of 8, of 10 to 26, and of 31, 34, 47, 48, 63 and 64 ranks there are.)

#include "prove/sat/exchange/line_covers.hpp"

#include <algorithm>
#include <utility>

#include "core/integers.hpp"
#include "core/max_flow.hpp"

namespace schedcc::prover {

namespace {

/// Ranks are numbers of bits.
constexpr std::uint64_t max_length = 64;

/// Messages of one direction.
struct Cover {
  LineStep messages;
  int stage = 1;  ///< covers of stage 0 are before it, those of stage 2 after it
};

/// Covers of both directions.
struct Covers {
  std::vector<Cover> up, down;
};

/// The whole way of a packet.
LineMessage whole(Rank from, Rank to, std::uint64_t packet = 0) {
  return {from, to, from, to, packet};
}

/// The cover with this one's messages at other positions.
template <typename Position>
Cover moved(Cover cover, const Position& position) {
  for (LineMessage& m : cover.messages) {
    m = {position(m.origin), position(m.goal), position(m.from), position(m.to), m.packet};
  }
  return cover;
}

Covers path_covers(Rank length) {
  Covers result;
  for (Rank x = 0, y = length - 1; x < y; ++x, --y) {
    for (Rank a = x + 1; a < y; ++a) result.up.push_back({{whole(x, a), whole(a, y)}});
    result.up.push_back({{whole(x, y)}});
  }
  for (const Cover& cover : result.up) {
    result.down.push_back(moved(cover, [&](Rank v) { return length - 1 - v; }));
  }
  return result;
}

Covers odd_ring_covers(Rank length) {
  Covers result;
  std::vector<Rank> ring{0};  // the names of the ranks, upwards
  for (Rank x = 1; x < length; x += 2) {
    const Rank y = x + 1;
    const std::size_t half = ring.size() / 2;
    for (std::size_t i = 0; i <= half; ++i) {
      const Rank b = ring[half + i];
      Cover cover{{whole(y, b), whole(b, x)}};
      if (i < half) {
        cover.messages.push_back(whole(x, ring[i]));
        cover.messages.push_back(whole(ring[i], y));
      } else {
        cover.messages.push_back(whole(x, y));
      }
      result.up.push_back(std::move(cover));
    }
    ring.insert(ring.begin() + static_cast<std::ptrdiff_t>(half), y);
    ring.insert(ring.begin(), x);
  }
  std::vector<Rank> position(length);
  for (Rank v = 0; v < length; ++v) position[ring[v]] = v;
  for (Cover& cover : result.up) {
    cover = moved(std::move(cover), [&](Rank name) { return position[name]; });
    result.down.push_back(moved(cover, [&](Rank v) { return length - 1 - v; }));
  }
  return result;
}

/// The covers of a ring of even length, for one packet or two.
class EvenRing {
 public:
  EvenRing(Rank length, std::uint64_t packets) : half_(length / 2), packets_(packets) {}

  Covers covers() {
    const Rank split = packets_ == 1 ? half_ / 2 : half_;  // pairs that go downwards, of packet 0
    for (std::uint64_t packet = 0; packet < packets_; ++packet) {
      for (Rank d = 1; 2 * d <= half_; ++d) {
        for (Rank i = 0; i < (2 * d < half_ ? half_ : d); ++i) {
          covers_.up.push_back({around(i, i + d, packet)});
          if (packet == 0 && d == 1 && i < split) {
            split_downwards(i);
          } else {
            covers_.down.push_back({reversed(around(i, i + d, packet))});
          }
        }
      }
      for (Rank i = packet == 0 ? split : 0; i < half_; ++i) {
        const Rank v = (i + 1) % half_;
        covers_.up.push_back({{whole(v, v + half_, packet), whole(v + half_, v, packet)}});
      }
    }
    return std::move(covers_);
  }

 private:
  /// The messages upwards between neighbours among i, j, and the ranks opposite.
  LineStep around(Rank i, Rank j, std::uint64_t packet) const {
    i %= half_;
    j %= half_;
    const Rank a = std::min(i, j), b = std::max(i, j);
    return {whole(a, b, packet), whole(b, a + half_, packet), whole(a + half_, b + half_, packet),
            whole(b + half_, a, packet)};
  }
  /// The same downwards.
  static LineStep reversed(LineStep messages) {
    for (LineMessage& m : messages) m = whole(m.to, m.from, m.packet);
    return messages;
  }
  /// The ways from i + 1 and the rank opposite to one another by way of i and the rank opposite.
  void split_downwards(Rank i) {
    const Rank from = (i + 1) % half_;
    for (const bool first : {true, false}) {
      Cover cover{reversed(around(i, i + 1, 0)), first ? 0 : 2};
      for (LineMessage& m : cover.messages) {
        if ((m.from % half_ == from) != first) continue;
        if (first) {
          m.goal = opposite(m.origin);
        } else {
          m.origin = opposite(m.goal);
        }
      }
      covers_.down.push_back(std::move(cover));
    }
  }
  Rank opposite(Rank v) const { return (v + half_) % (2 * half_); }

  Rank half_;
  std::uint64_t packets_;
  Covers covers_;
};

/// The ranks that send and that receive.
struct Ends {
  std::uint64_t senders = 0, receivers = 0;

  explicit Ends(const Cover& cover) {
    for (const LineMessage& m : cover.messages) {
      senders |= std::uint64_t{1} << m.from;
      receivers |= std::uint64_t{1} << m.to;
    }
  }
  bool meet(const Ends& other) const {
    return (senders & other.senders) != 0 || (receivers & other.receivers) != 0;
  }
};

/// Steps of a cover upwards and one downwards each; none if too few pairs fit together.
std::vector<LineStep> paired(Covers covers) {
  covers.down.resize(std::max(covers.up.size(), covers.down.size()));
  covers.up.resize(covers.down.size());
  const std::size_t count = covers.up.size(), source = 2 * count, sink = source + 1;
  MaxFlow flow(2 * count + 2);
  std::vector<Ends> below;
  for (const Cover& cover : covers.down) below.emplace_back(cover);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // by arc
  for (std::size_t i = 0; i < count; ++i) {
    const Ends above(covers.up[i]);
    for (std::size_t j = 0; j < count; ++j) {
      if (above.meet(below[j])) continue;
      flow.add(i, count + j, 1);
      pairs.emplace_back(i, j);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    flow.add(source, i, 1);
    flow.add(count + i, sink, 1);
  }
  if (flow.run(source, sink, count) < count) return {};
  std::vector<Cover> steps;
  for (std::size_t arc = 0; arc < pairs.size(); ++arc) {
    if (flow.flow(arc) == 0) continue;
    steps.push_back(covers.down[pairs[arc].second]);
    const LineStep& up = covers.up[pairs[arc].first].messages;
    steps.back().messages.insert(steps.back().messages.end(), up.begin(), up.end());
  }
  std::ranges::stable_sort(steps, {}, &Cover::stage);
  std::vector<LineStep> result;
  result.reserve(steps.size());
  for (Cover& step : steps) result.push_back(std::move(step.messages));
  return result;
}

/// The schedule for so many packets: one, or two on rings of even length.
std::vector<LineStep> part(std::uint64_t length, bool ring, std::uint64_t packets) {
  const auto ranks = static_cast<Rank>(length);
  return paired(!ring             ? path_covers(ranks)
                : length % 2 != 0 ? odd_ring_covers(ranks)
                                  : EvenRing(ranks, packets).covers());
}

}  // namespace

std::uint64_t line_steps(std::uint64_t length, bool ring, std::uint64_t packets) {
  if (!ring) return packets * (length * length / 4);
  return length % 2 != 0 ? packets * ((length * length - 1) / 8)
                         : ceil_div(packets * length * length, std::uint64_t{8});
}

std::vector<LineStep> exchange_on_line(std::uint64_t length, bool ring, std::uint64_t packets) {
  constexpr std::uint64_t shortest_ring = 8;  // shorter ones have too few ports
  if (length < (ring ? shortest_ring : 2) || length > max_length) return {};
  const std::uint64_t most = ring && length % 2 == 0 ? 2 : 1;
  std::vector<LineStep> result, whole;
  for (std::uint64_t first = 0; first < packets;) {
    const std::uint64_t some = std::min(most, packets - first);
    if (first == 0 || some < most) whole = part(length, ring, some);
    if (whole.empty()) return {};
    for (LineStep step : whole) {
      for (LineMessage& m : step) m.packet += first;
      result.push_back(std::move(step));
    }
    first += some;
  }
  return result;
}

}  // namespace schedcc::prover
