// The machine of a schedule as a platform for SimGrid, and the list of its hosts, one for each
// rank: what smpirun needs beside the traces of `ti`, or a program of `mpi`.
//
// With alpha= and beta= it is the network of the alpha-beta model: one line in and one line out for
// each host. Messages of a rank that are under way at once share its line; with `lines` there is
// one for each pair of ranks, so that each has the whole bandwidth, as in the model. Without them
// the links are the machine's own, with their latencies and bandwidths, and its routes.
//
// Source: SimGrid's documentation, "The platform files"; docs/simgrid.md.

#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include "cost/simgrid_platform.hpp"
#include "format/entry.hpp"
#include "format/limits.hpp"
#include "format/text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// Throws InputError for parameters that do not describe a network.
void check(const Parameters& parameters) {
  const bool alpha = parameters.has("alpha"), beta = parameters.has("beta");
  if (alpha != beta) {
    throw InputError(fmt::format("format 'simgrid-platform': {}= needs {}=",
                                 alpha ? "alpha" : "beta", alpha ? "beta" : "alpha"));
  }
  if (!alpha && parameters.has("lines"))
    throw InputError("format 'simgrid-platform': lines needs alpha= and beta=");
  if (beta && parameters.gap("beta") <= 0)
    throw InputError("format 'simgrid-platform': beta must be above 0: a link has a bandwidth");
}

/// Is a route stated for each pair of ranks?
bool lists_routes(const Parameters& parameters) {
  return !parameters.has("alpha") || parameters.has("lines");
}

/// Throws InputError for machines without the links of a platform.
void refuse(const Source& source, const EmitOptions& options) {
  check(options.parameters);
  if (!options.parameters.has("alpha")) {
    if (const auto why = simgrid::reason_against_links(*options.machine)) {
      throw InputError(
          fmt::format("machine '{}' has no links for a platform: {}; for a network of the "
                      "alpha-beta model use --emit simgrid-platform:alpha=TIME,beta=TIME/SIZE",
                      options.machine->spec(), *why));
    }
  }
  if (lists_routes(options.parameters))
    most::check("a platform with a route for each pair of ranks", most::platform_ranks, "ranks",
                source.problem.ranks);
}

class PlatformWriter {
 public:
  PlatformWriter(const EmitOptions& options, Rank ranks, Output& out)
      : options_(options), ranks_(ranks), out_(out), text_(out) {}

  void write() {
    text_.put(simgrid::platform_begin());
    if (lists_routes(options_.parameters)) {
      text_.put(simgrid::zone_begin());
      for (Rank rank = 0; rank < ranks_; ++rank) text_.put(simgrid::host(rank));
      if (options_.parameters.has("alpha")) {
        write_lines();
      } else {
        write_links();
      }
      text_.put(simgrid::zone_end());
    } else {
      text_.put(simgrid::cluster(ranks_, time()));
    }
    text_.put(simgrid::platform_end());
    text_.flush();
    write_hosts();
  }

 private:
  LinkTime time() const {
    return {options_.parameters.time("alpha"), options_.parameters.gap("beta")};
  }

  template <typename F>
  void for_each_pair(F f) const {
    for (Rank src = 0; src < ranks_; ++src) {
      for (Rank dst = 0; dst < ranks_; ++dst) {
        if (src != dst) f(src, dst);
      }
    }
  }

  void write_lines() {
    const auto number = [&](Rank src, Rank dst) { return std::uint64_t{src} * ranks_ + dst; };
    for_each_pair([&](Rank src, Rank dst) { text_.put(simgrid::link(number(src, dst), time())); });
    for_each_pair([&](Rank src, Rank dst) {
      const std::uint64_t line = number(src, dst);
      text_.put(simgrid::route(src, dst, {&line, 1}));
    });
  }

  void write_links() {
    const std::vector<LinkTime>& times = options_.machine->link_times()->of;
    for (std::uint64_t link = 0; link < times.size(); ++link)
      text_.put(simgrid::link(link, times[link]));
    for_each_pair([&](Rank src, Rank dst) {
      text_.put(simgrid::route(src, dst, simgrid::links_between(*options_.machine, src, dst)));
    });
  }

  /// Next to the platform, where there is more than one stream.
  void write_hosts() {
    if (out_.begin_part("hosts").empty()) return;
    for (Rank rank = 0; rank < ranks_; ++rank) text_.put(simgrid::host_name(rank) + "\n");
    text_.flush();
    out_.begin_part({});
  }

  const EmitOptions& options_;
  Rank ranks_;
  Output& out_;
  Text text_;
};

void write(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  PlatformWriter(options, source.problem.ranks, out).write();
}

}  // namespace

extern const FormatEntry simgrid_platform_format;
const FormatEntry simgrid_platform_format{
    .name = "simgrid-platform",
    .summary = "the machine as a platform for SimGrid, and the list of its hosts",
    .extensions = {".platform.xml"},
    .parameters =
        {{.name = "alpha",
          .summary =
              "latency between any two ranks (default without beta=: the machine's own links)",
          .kind = Parameter::Kind::time},
         {.name = "beta",
          .summary = "time per byte, or bandwidth, of each rank's line in and line out",
          .kind = Parameter::Kind::gap},
         {.name = "lines",
          .summary = "a line for each pair of ranks, as for models in which messages share none",
          .kind = Parameter::Kind::flag}},
    .check = check,
    .refuse = refuse,
    .write = write,
};

}  // namespace schedcc
