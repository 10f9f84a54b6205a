#include "check/symmetry/orbits.hpp"

#include <algorithm>

namespace schedcc {

Orbits::Orbits(const Symmetry& symmetry)
    : symmetry_(symmetry),
      messages_(symmetry),
      images_(Images<Rotations>{Rotations(symmetry), {}}) {
  if (symmetry.group() == Symmetry::Group::exclusive_ors)
    images_ = Images<ExclusiveOrs>{ExclusiveOrs(symmetry), {}};
  if (symmetry.group() == Symmetry::Group::reflections)
    images_ = Images<Reflections>{Reflections(symmetry), {}};
}

bool Orbits::add_seed(const Transfer& t) {
  const Run run{t.first, t.count};
  if (t.src >= symmetry_.ranks() || t.dst >= symmetry_.ranks() || t.count == 0 ||
      end(run) > symmetry_.chunks() || !symmetry_.keeps(run))
    return false;
  seeds_.push_back(t);
  std::visit([&](auto& images) { images.seeds.push_back(images.renamings.seed(symmetry_, t)); },
             images_);
  return true;
}

bool Orbits::read_seeds(std::span<const Transfer> seeds) {
  seeds_.clear();
  std::visit([](auto& images) { images.seeds.clear(); }, images_);
  return std::ranges::all_of(seeds, [&](const Transfer& t) { return add_seed(t); });
}

bool Orbits::are_images(std::span<const Transfer> transfers, Rank first, Rank end) const {
  if (transfers.size() != seeds_.size() * (end - first)) return false;
  constexpr std::size_t few = 4;  // seeds, each of which is followed through all ranks
  return std::visit(
      [&](const auto& images) {
        const auto& [renamings, seeds] = images;
        Differences differences;
        const Transfer* next = transfers.data();
        if (seeds.size() <= few) {
          for (const auto& seed : seeds)
            renamings.compare_orbit(seed, first, end, next++, seeds.size(), differences);
        } else {
          for (Rank by = first; by < end; ++by, next += seeds.size())
            renamings.compare(seeds, by, next, differences);
        }
        return differences.none();
      },
      images_);
}

bool Orbits::by_orbits(std::span<const Transfer> transfers) const {
  const Rank P = symmetry_.ranks();
  return std::visit(
      [&](const auto& images) {
        Differences differences;
        const Transfer* next = transfers.data();
        for (const auto& seed : images.seeds) {
          images.renamings.compare_orbit(seed, 0, P, next, 1, differences);
          next += P;
        }
        return differences.none();
      },
      images_);
}

bool Orbits::read(std::span<const Transfer> transfers) {
  if (read_in_order(transfers)) return true;
  seeds_.clear();
  return messages_.read(transfers, seeds_);
}

bool Orbits::read_in_order(std::span<const Transfer> transfers) {
  const Rank P = symmetry_.ranks();
  const std::size_t orbits = transfers.size() / P;
  if (transfers.size() % P != 0) return false;
  if (orbits == 0) return read_seeds({});
  // In which order are they?
  if (!read_seeds(transfers.first(1))) return false;
  const bool neighbours = std::visit(
      [&](const auto& images) {
        Differences differences;
        differences.note(transfers[1], images.renamings.image(images.seeds[0], 1));
        return differences.none();
      },
      images_);
  if (!neighbours) {
    // Two ranks show whether it is worth while.
    return read_seeds(transfers.first(orbits)) && are_images(transfers.first(2 * orbits), 0, 2) &&
           are_images(transfers, 0, P);
  }
  for (std::size_t i = 1; i < orbits; ++i) {
    if (!add_seed(transfers[i * P])) return false;
  }
  return by_orbits(transfers);
}

Transfers Orbits::of_rank_zero() const {
  Transfers result;
  result.reserve(2 * seeds_.size());
  const auto add = [&](Transfer t, Rank end) {
    const Rank by = symmetry_.inverse(end);
    t.src = symmetry_.rename(by, t.src);
    t.dst = symmetry_.rename(by, t.dst);
    t.first = symmetry_.rename(by, Run{t.first, t.count}).first;
    result.push_back(t);
  };
  for (const Transfer& t : seeds_) add(t, t.src);
  for (const Transfer& t : seeds_) add(t, t.dst);
  return result;
}

}  // namespace schedcc
