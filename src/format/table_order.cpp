#include "format/table_order.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc::cpp {

namespace {

class Order {
 public:
  Order(const Source& source, const Network& network, std::string_view what)
      : source_(source), network_(network), what_(what) {}

  void look_at(const Step& step) {
    // An unchecked schedule may be malformed; by_rank reports ranks that no table has.
    if (!std::ranges::all_of(step.transfers, [&](const Transfer& t) { return is_transfer(t); }))
      return;
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      each_chunk(step.transfers[i], [&](Chunk chunk) { send(step, i, chunk); });
    }
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      path_.clear();
      network_.route(t.src, t.dst, path_);
      const Arrivals::Time time{step.number, step.number + path_.size() - 1};
      each_chunk(t, [&](Chunk chunk) { receive(step, i, chunk, time); });
    }
  }

 private:
  /// The transfers of a chunk to a rank: the latest times of copies, and of any.
  struct Arrivals {
    struct Time {
      std::uint64_t leaves = 0, arrives = 0;
      void raise(const Time& other) {
        leaves = std::max(leaves, other.leaves);
        arrives = std::max(arrives, other.arrives);
      }
      /// Could a transfer with this arrival time arrive after one that leaves now, or together with
      /// it?
      bool meets(const Time& now) const {
        return arrives > now.arrives || (arrives != 0 && leaves == now.leaves);
      }
    };
    Time copies, all;
  };

  bool is_transfer(const Transfer& t) const {
    return t.src < source_.problem.ranks && t.dst < source_.problem.ranks &&
           std::uint64_t{t.first} + t.count <= source_.problem.total_chunks();
  }

  template <typename F>
  void each_chunk(const Transfer& t, F f) const {
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      if (source_.problem.reduced(static_cast<Chunk>(c))) f(static_cast<Chunk>(c));
    }
  }

  static std::uint64_t place(Rank rank, Chunk chunk) { return std::uint64_t{rank} << 32 | chunk; }

  void send(const Step& step, std::size_t i, Chunk chunk) const {
    const Rank src = step.transfers[i].src;
    const auto found = arrivals_.find(place(src, chunk));
    if (found == arrivals_.end() || found->second.all.arrives <= step.number) return;
    fail(
        step, i,
        fmt::format("rank {} sends chunk {} in step {} while more of it is on its way to that rank",
                    src, chunk, step.number));
  }

  void receive(const Step& step, std::size_t i, Chunk chunk, const Arrivals::Time& now) {
    const Transfer& t = step.transfers[i];
    Arrivals& earlier = arrivals_[place(t.dst, chunk)];
    if ((t.reduce != 0 ? earlier.copies : earlier.all).meets(now)) {
      fail(step, i,
           fmt::format("rank {} receives chunk {} in another order than it is sent to that rank: "
                       "what leaves rank {} in step {} does not arrive last",
                       t.dst, chunk, t.src, step.number));
    }
    earlier.all.raise(now);
    if (t.reduce == 0) earlier.copies.raise(now);
  }

  [[noreturn]] void fail(const Step& step, std::size_t i, const std::string& how) const {
    throw InputError(
        {source_.file, step.lines.empty() ? 0 : step.lines[i], 0},
        fmt::format("{} combines what a rank receives in the step in which it is sent, "
                    "and {}",
                    what_, how));
  }

  const Source& source_;
  const Network& network_;
  std::string_view what_;
  std::vector<Rank> path_;
  std::unordered_map<std::uint64_t, Arrivals> arrivals_;  ///< by rank and chunk
};

}  // namespace

void refuse_reordered(const Source& source, const Machine& machine, std::string_view what) {
  if (!machine.routed() || source.hop_level() || !source.problem.reduction()) return;
  Order order(source, *machine.network(), what);
  const auto stream = source.open();
  for (Step step; stream->next(step);) order.look_at(step);
}

}  // namespace schedcc::cpp
