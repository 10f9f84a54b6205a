#include "format/sccl/maps.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "model/problem_text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using Document = ScclDocument;
using Side = ScclAddress::Ranks ScclAddress::*;  ///< `pre` or `post`

class MapChecker {
 public:
  MapChecker(const Document& document, const ScclAddresses& addresses, const std::string& file)
      : document_(document), addresses_(addresses), file_(file) {}

  void check_map(const Document::Map& map, std::string_view name, std::string_view verb,
                 Side side) const {
    std::map<Rank, std::uint64_t> wanted;
    for (const auto& [number, address] : addresses_) {
      for (const Rank rank : address.*side) wanted[rank] += document_.parts;
    }
    std::map<Rank, const Document::MapEntry*> entries;
    for (const Document::MapEntry& entry : map.entries) {
      check_entry(entry, verb, side);
      if (!entries.emplace(entry.rank, &entry).second) {
        fail(entry.at, fmt::format("duplicate rank {}", entry.rank));
      }
    }
    for (const auto& [rank, count] : wanted) {
      const auto found = entries.find(rank);
      const bool there = found != entries.end();
      if (there && found->second->addresses.size() == count) continue;
      fail(there ? found->second->at : map.at,
           fmt::format("'{}' lacks address {} for rank {}", name,
                       missing(there ? found->second : nullptr, rank, side), rank));
    }
  }

 private:
  [[noreturn]] void fail(const Position& at, const std::string& message) const {
    schedcc::fail(file_, at, message);
  }

  void check_entry(const Document::MapEntry& entry, std::string_view verb, Side side) const {
    if (entry.rank >= document_.nodes)
      fail(entry.at, no_such_rank("rank", entry.rank, document_.nodes));
    std::vector<std::uint32_t> seen;
    for (const auto& [address, at] : entry.addresses) {
      const auto found = addresses_.find(static_cast<std::uint32_t>(address / document_.parts));
      if (found == addresses_.end()) fail(at, fmt::format("no chunk has address {}", address));
      if (!std::ranges::binary_search(found->second.*side, entry.rank)) {
        fail(at, fmt::format("rank {} does not {} with address {}", entry.rank, verb, address));
      }
      seen.push_back(address);
    }
    std::ranges::sort(seen);
    const auto twice = std::ranges::adjacent_find(seen);
    if (twice != seen.end()) fail(entry.at, fmt::format("duplicate address {}", *twice));
  }

  /// The first address that `entry` lacks.
  std::uint64_t missing(const Document::MapEntry* entry, Rank rank, Side side) const {
    std::vector<std::uint64_t> listed;
    if (entry != nullptr) {
      for (const auto& item : entry->addresses) listed.push_back(item.address);
    }
    std::ranges::sort(listed);
    auto next = listed.begin();
    for (const auto& [number, address] : addresses_) {
      if (!std::ranges::binary_search(address.*side, rank)) continue;
      for (std::uint64_t a = number * document_.parts; a < (number + 1) * document_.parts; ++a) {
        if (next == listed.end() || *next != a) return a;
        ++next;
      }
    }
    throw InternalError("no address is missing in the map of an SCCL rank");
  }

  const Document& document_;
  const ScclAddresses& addresses_;
  const std::string& file_;
};

}  // namespace

void check_sccl_maps(const ScclDocument& document, const ScclAddresses& addresses,
                     const std::string& file) {
  const MapChecker checker(document, addresses, file);
  checker.check_map(document.input, "input_map", "begin", &ScclAddress::pre);
  checker.check_map(document.output, "output_map", "end", &ScclAddress::post);
}

}  // namespace schedcc
