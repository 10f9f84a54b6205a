// Hierarchical crossbars: a modules of b duplex ranks each, rank = module * b + index.
//
// Any rank may send to any other, but at most `out` messages leave a module per step and at most
// `in` enter it. Channel 2m is the link out of module m, channel 2m + 1 the link into it.
//
// Source: FT, section 4 ("Hierarchies of Crossbars").

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/core.h>

#include "machine/crossbar.hpp"
#include "machine/entry.hpp"
#include "machine/parameters.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class ModuleChannels : public Channels {
 public:
  explicit ModuleChannels(const Crossbar& crossbar) : crossbar_(crossbar) {}

  void route(Rank src, Rank dst, std::vector<Run>& runs) const override {
    const std::uint64_t from = src / crossbar_.b, to = dst / crossbar_.b;
    if (from == to) return;
    runs.push_back({2 * from, 1});
    runs.push_back({2 * to + 1, 1});
  }

  std::uint64_t capacity(std::uint64_t channel) const override {
    return channel % 2 == 0 ? crossbar_.out : crossbar_.in;
  }

  std::string describe(std::uint64_t channel) const override {
    return fmt::format("the link {} module {}", channel % 2 == 0 ? "out of" : "into", channel / 2);
  }

  std::vector<Cut> cuts() const override {
    const auto [a, b, in, out] = crossbar_;
    return {{b, (a - 1) * b, std::min(in, out), "chunks that must enter and leave a module"}};
  }

 private:
  Crossbar crossbar_;
};

}  // namespace

extern const MachineEntry crossbar_machine;
const MachineEntry crossbar_machine{
    .name = "crossbar",
    .summary = "a modules of b duplex ranks; few messages leave or enter a module per step",
    .source = "FT, section 4",
    .parameters = {{.name = "a",
                    .summary = "modules; without a and b nearly as many as ranks in each",
                    .min = 1,
                    .max = UINT32_MAX},
                   {.name = "b", .summary = "ranks of a module", .min = 1, .max = UINT32_MAX},
                   {.name = "in",
                    .summary = "messages that enter a module per step",
                    .min = 1,
                    .max = UINT32_MAX,
                    .default_value = "2"},
                   {.name = "out",
                    .summary = "messages that leave a module per step",
                    .min = 1,
                    .max = UINT32_MAX,
                    .default_value = "2"},
                   width_parameter},
    .make =
        [](const Parameters& p, Rank ranks) {
          Crossbar crossbar{0, 0, p.integer("in"), p.integer("out")};
          crossbar.a = p.has("a")   ? p.integer("a")
                       : p.has("b") ? ranks / p.integer("b")
                                    : near_square(ranks);
          crossbar.b = p.has("b") ? p.integer("b") : ranks / crossbar.a;
          if (crossbar.a * crossbar.b != ranks) {
            throw InputError(fmt::format("machine 'crossbar:a={},b={}' has {} ranks, not {}",
                                         crossbar.a, crossbar.b, crossbar.a * crossbar.b, ranks));
          }
          return MachineRules{.spec = fmt::format("crossbar:a={},b={},in={},out={}", crossbar.a,
                                                  crossbar.b, p.text("in"), p.text("out")),
                              .ports = PortLimits{},
                              .channels = std::make_shared<ModuleChannels>(crossbar),
                              .levels = Levels{{{crossbar.b, crossbar.out, crossbar.in}}},
                              .shape = crossbar};
        },
    .ranks =
        [](const Parameters& p) {
          return p.has("a") && p.has("b") ? std::optional(p.integer("a") * p.integer("b"))
                                          : std::nullopt;
        },
    .rows =
        [](const Machine& machine) {
          const auto& crossbar = *machine.shape<Crossbar>();
          return RankRows{crossbar.a, crossbar.b, false, false};
        },
};

}  // namespace schedcc
