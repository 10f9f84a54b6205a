// links: every hop is over a link of the network, and no link carries more chunks in a step than
// its capacity (on a topology: times the rounds of the step).
//
// On a mesh, a torus or a crossbar: no edge, and no way in or out of a module, carries more
// messages in a step than its capacity. The report tells the most that any of them carries.

#include <algorithm>

#include <fmt/core.h>

#include "checker/channel_loads.hpp"
#include "checker/checks.hpp"
#include "ir/checked.hpp"

namespace schedcc {

namespace {

class LinksCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    ++stamp_;
    const std::uint64_t rounds = context.machine.topology ? view.step.rounds : 1;
    for (std::size_t i = 0; i < view.step.transfers.size(); ++i) {
      const Transfer& t = view.step.transfers[i];
      const auto link = context.machine.network->link(t.src, t.dst);
      if (!link) {
        report(view.step, i,
               fmt::format("there is no link from {} to {} on {}", context.node(t.src),
                           context.node(t.dst), context.machine.spec));
        continue;
      }
      Load& load = *loads_.at(link->index);
      if (load.stamp != stamp_) load = {stamp_, 0};
      const std::uint64_t before = load.chunks;
      const std::uint64_t capacity = (Saturating(link->capacity) * rounds).value();
      load.chunks += t.count;
      if (before <= capacity && load.chunks > capacity) {
        report(
            view.step, i,
            fmt::format("the link from {} to {} carries {} chunks or more in step {}; its capacity "
                        "is {}",
                        context.node(t.src), context.node(t.dst), load.chunks, view.step.number,
                        capacity));
      }
    }
  }

 private:
  struct Load {
    std::uint64_t stamp = 0, chunks = 0;
  };

  void report(const Step& step, std::size_t i, std::string message) {
    context.reporter.error("links", [&] {
      return about(locate(step, i), step.transfers[i].first, std::move(message));
    });
  }

  BlockTable<Load, 1> loads_;  ///< by link
  std::uint64_t stamp_ = 0;
};

class ChannelsCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    const std::span<const Message> messages = view.digest.messages();
    ways_.clear();
    ends_.clear();
    std::uint64_t taken = 0;
    for (const Message& m : messages) {
      const std::size_t known = ways_.size();
      context.machine.channels->way(m.src, m.dst, ways_);
      ends_.push_back(ways_.size());
      for (std::size_t i = known; i < ways_.size(); ++i) taken += ways_[i].count;
    }
    if (taken <= short_way * messages.size()) {
      count_each(view.step, messages);
    } else {
      count_runs(view.step, messages);
    }
  }

  void finish(const Holdings*) override { context.report.congestion = most_; }

 private:
  /// Channels that are counted one by one, for each message of a step.
  static constexpr std::uint64_t short_way = 64;

  struct Load {
    std::uint64_t stamp = 0, messages = 0;
  };

  void count_each(const Step& step, std::span<const Message> messages) {
    ++stamp_;
    for (std::size_t m = 0, i = 0; m < messages.size(); ++m) {
      for (; i < ends_[m]; ++i) {
        const ChannelRun& run = ways_[i];
        for (std::uint64_t k = 0; k < run.count; ++k) {
          const std::uint64_t channel =
              run.first + (run.downward ? run.count - 1 - k : k) * run.stride;
          Load& load = *loads_.at(channel);
          if (load.stamp != stamp_) load = {stamp_, 0};
          most_ = std::max(most_, ++load.messages);
          if (load.messages == context.machine.channels->capacity(channel) + 1)
            report(step, messages[m], channel);
        }
      }
    }
  }

  /// The same where ways are long: in time that does not depend on how long.
  void count_runs(const Step& step, std::span<const Message> messages) {
    std::vector<Excess> excesses;
    most_ = std::max(most_, count_loads(ways_, *context.machine.channels, excesses));
    for (const Excess& excess : excesses) {
      const auto m =
          static_cast<std::size_t>(std::ranges::upper_bound(ends_, excess.run) - ends_.begin());
      const ChannelRun& run = excess.channels;
      for (std::uint64_t k = 0; k < run.count; ++k) {
        if (k == context.options.max_findings) {
          context.reporter.errors("links", {{}, run.count - k});
          break;
        }
        report(step, messages[m], run.first + (run.downward ? run.count - 1 - k : k) * run.stride);
      }
    }
  }

  void report(const Step& step, const Message& m, std::uint64_t channel) {
    context.reporter.error("links", [&] {
      const Channels& machine = *context.machine.channels;
      const std::uint64_t capacity = machine.capacity(channel);
      Finding finding = about(
          locate(step, m.first), 0,
          fmt::format("{} carries {} messages or more in step {}, among them that from {} to "
                      "{}; on {} it carries at most {}",
                      machine.describe(channel), capacity + 1, step.number, context.node(m.src),
                      context.node(m.dst), context.machine.spec, capacity));
      finding.chunk.reset();
      return finding;
    });
  }

  std::vector<ChannelRun> ways_;   ///< of the messages of a step, one after the other
  std::vector<std::size_t> ends_;  ///< where each message's ways end
  BlockTable<Load, 1> loads_;      ///< by channel
  std::uint64_t stamp_ = 0;
  std::uint64_t most_ = 0;
};

std::unique_ptr<Check> make_links(const Context& context) {
  return context.machine.routed() ? make_check<LinksCheck>(context)
                                  : make_check<ChannelsCheck>(context);
}

}  // namespace

extern const CheckEntry links_check;
const CheckEntry links_check{
    .name = "links",
    .summary = "the capacities of the machine's links, edges, modules",
    .applies = [](const Context& c) { return c.machine.routed() || c.machine.channels; },
    .make = make_links,
};

}  // namespace schedcc
