#include "machine/link_routes.hpp"

#include <algorithm>
#include <span>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

void append_runs(std::span<const std::uint32_t> links, std::vector<Channels::Run>& runs) {
  const std::size_t before = runs.size();
  runs.resize(before + links.size());
  std::ranges::transform(links, runs.begin() + static_cast<std::ptrdiff_t>(before),
                         [](std::uint32_t link) {
                           return Channels::Run{link, 1};
                         });
}

}  // namespace

void LinkRoutes::append(Rank src, Rank dst, std::vector<Channels::Run>& runs) const {
  auto& [mutex, places, links] = kept_[src];
  const std::lock_guard lock(mutex);
  if (places.empty() && budget_.claim(kept_.size())) places.resize(kept_.size());
  if (!places.empty() && places[dst] != 0) {
    const std::uint32_t place = places[dst];
    return append_runs(std::span(links).subspan(place, links[place - 1]), runs);
  }
  const std::size_t end = links.size();
  links.push_back(0);
  find(src, dst, links);
  const auto route = std::span(links).subspan(end + 1);
  append_runs(route, runs);
  links[end] = static_cast<std::uint32_t>(route.size());
  if (!places.empty() && budget_.claim(route.size() + 1)) {
    places[dst] = static_cast<std::uint32_t>(end + 1);
  } else {
    links.resize(end);
  }
}

/// Appends the links of a route.
void LinkRoutes::find(Rank src, Rank dst, std::vector<std::uint32_t>& links) const {
  thread_local std::vector<Rank> path;
  path.clear();
  routes_.append(src, dst, path);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto link = index_.find(path[i], path[i + 1]);
    if (!link) throw InternalError("a file of version 2 without a route");
    links.push_back(static_cast<std::uint32_t>(*link));
  }
}

}  // namespace schedcc
