// links: every hop is over a link of the network, and no link carries more chunks in a step than
// its capacity.

#include <fmt/format.h>

#include "checker/checks.hpp"

namespace schedcc {

namespace {

class LinksCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    ++stamp_;
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
      load.chunks += t.count;
      if (before <= link->capacity && load.chunks > link->capacity) {
        report(
            view.step, i,
            fmt::format("the link from {} to {} carries {} chunks or more in step {}; its capacity "
                        "is {}",
                        context.node(t.src), context.node(t.dst), load.chunks, view.step.number,
                        link->capacity));
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

}  // namespace

extern const CheckEntry links_check;
const CheckEntry links_check{
    .name = "links",
    .summary = "the capacities of the machine's links",
    .applies = [](const Context& c) { return c.machine.routed(); },
    .make = make_check<LinksCheck>,
};

}  // namespace schedcc
