#pragma once

// Platforms for SimGrid: XML with hosts, links, and the routes between hosts.
//
// The network is SimGrid's fluid model CM02 without corrections: a message has the latency of its
// links, and then a share of the bandwidth of each, in which all messages that are under way at the
// time share (max-min, weighted by latency). A host has no limits of its own.
//
// Source: SimGrid's documentation, "The platform files", version 4.1.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/units.hpp"

namespace schedcc::simgrid {

/// Why a machine's links cannot be those of a platform; none if they can.
std::optional<std::string> reason_against_links(const Machine& machine);

/// The links, in order, that a message between two ranks takes on such a machine.
std::vector<std::uint64_t> links_between(const Machine& machine, Rank src, Rank dst);

/// The host of a rank.
std::string host_name(Rank rank);

/// What stands before and after the zone of hosts, links and routes.
std::string_view platform_begin();
std::string_view platform_end();

/// A zone in which every route is stated, around its hosts, links and routes.
std::string_view zone_begin();
std::string_view zone_end();

std::string host(Rank rank);
/// A link, by its number.
std::string link(std::uint64_t number, const LinkTime& time);
/// The links that messages from one rank to another take, in order.
std::string route(Rank src, Rank dst, std::span<const std::uint64_t> links);

/// Instead of such a zone: `ranks` hosts, each with one line in and one line out, over which a
/// message to any other takes alpha + beta times its bytes.
std::string cluster(std::uint64_t ranks, const LinkTime& time);

}  // namespace schedcc::simgrid
