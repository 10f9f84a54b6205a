#include "cost/simgrid_platform.hpp"

#include <fmt/core.h>

#include "cost/clock.hpp"

namespace schedcc::simgrid {

namespace {

std::string bandwidth_and_latency(std::string_view bandwidth, std::string_view latency,
                                  const LinkTime& time) {
  return fmt::format(R"({}="{:.12g}Bps" {}="{:.12g}s")", bandwidth, 1 / time.beta, latency,
                     time.alpha);
}

}  // namespace

std::optional<std::string> reason_against_links(const Machine& machine) {
  if (auto why = without_link_times(machine)) return why;
  if (machine.routed()) return "without 'ports' in its file it stores and forwards, step by step";
  return std::nullopt;
}

std::vector<std::uint64_t> links_between(const Machine& machine, Rank src, Rank dst) {
  std::vector<Channels::Run> runs;
  machine.channels()->route(src, dst, runs);
  std::vector<std::uint64_t> links;
  for (const Channels::Run& run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i)
      links.push_back(run.falling ? run.first + run.count - 1 - i : run.first + i);
  }
  return links;
}

std::string host_name(Rank rank) { return fmt::format("rank-{}", rank); }

std::string_view platform_begin() {
  return R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<config>
<prop id="network/model" value="CM02"/>
<prop id="network/crosstraffic" value="0"/>
<prop id="network/weight-S" value="0"/>
<prop id="network/latency-factor" value="1"/>
<prop id="network/bandwidth-factor" value="1"/>
<prop id="network/TCP-gamma" value="0"/>
</config>
)";
}

std::string_view platform_end() { return "</platform>\n"; }

std::string_view zone_begin() { return "<zone id=\"machine\" routing=\"Full\">\n"; }
std::string_view zone_end() { return "</zone>\n"; }

std::string host(Rank rank) {
  return fmt::format("<host id=\"{}\" speed=\"1Gf\"/>\n", host_name(rank));
}

std::string link(std::uint64_t number, const LinkTime& time) {
  return fmt::format("<link id=\"{}\" {}/>\n", number,
                     bandwidth_and_latency("bandwidth", "latency", time));
}

std::string route(Rank src, Rank dst, std::span<const std::uint64_t> links) {
  std::string result =
      fmt::format(R"(<route src="{}" dst="{}" symmetrical="NO">)", host_name(src), host_name(dst));
  for (const std::uint64_t link : links) result += fmt::format(R"(<link_ctn id="{}"/>)", link);
  return result + "</route>\n";
}

std::string cluster(std::uint64_t ranks, const LinkTime& time) {
  // A message takes two lines: half of the latency is that of each.
  return fmt::format(
      "<cluster id=\"machine\" prefix=\"rank-\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" "
      "{} sharing_policy=\"SPLITDUPLEX\"/>\n",
      ranks - 1, bandwidth_and_latency("bw", "lat", {time.alpha / 2, time.beta}));
}

}  // namespace schedcc::simgrid
