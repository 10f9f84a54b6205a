#include "check/symmetry/orbits.hpp"

#include <algorithm>
#include <bit>

namespace schedcc {

using Group = Symmetry::Group;

namespace {

using Words = std::array<std::uint32_t, 4>;

Words words_of(const Transfer& transfer) { return std::bit_cast<Words>(transfer); }

/// Collects in which bits words differ.
void note(Words& differences, const Words& a, const Words& b) {
  for (std::size_t i = 0; i < 4; ++i) differences[i] |= a[i] ^ b[i];
}
bool none(const Words& differences) { return differences == Words{}; }

}  // namespace

Orbits::Orbits(const Symmetry& symmetry)
    : symmetry_(symmetry),
      row_wrap_(static_cast<std::uint32_t>(symmetry.chunks())),
      column_wrap_(symmetry.coordinates() == 2 ? symmetry.ranks() * symmetry.block() : 0) {}

bool Orbits::well_formed(const Transfer& t) const {
  const Run run{t.first, t.count};
  return t.src < symmetry_.ranks() && t.dst < symmetry_.ranks() && t.count != 0 &&
         end(run) <= symmetry_.chunks() && symmetry_.keeps(run);
}

Orbits::Seed Orbits::seed(const Transfer& t) const {
  Seed result{words_of(t), 0, 0, 0, 0, 0};
  const unsigned coordinates = symmetry_.coordinates();
  if (coordinates == 0 || t.count == symmetry_.chunks()) return result;
  const Rank P = symmetry_.ranks();
  result.block = t.first / symmetry_.block();
  result.row = coordinates == 2 ? result.block / P : result.block;
  result.column = coordinates == 2 ? result.block % P : 0;
  result.spread = coordinates == 2 ? P + 1 : 1;
  if (t.count > symmetry_.block()) result.inner = t.count / symmetry_.block() - 1;
  return result;
}

// All arithmetic is modulo 2^32, and numbers of chunks are below.
template <Group group>
Words Orbits::image(const Seed& seed, Rank by) const {
  const auto [src, dst, first, rest] = seed.words;
  const std::uint32_t K = symmetry_.block();
  if constexpr (group == Group::exclusive_ors) {
    const std::uint32_t renamed = (seed.block ^ by * seed.spread) & ~seed.inner;
    return {src ^ by, dst ^ by, first + (renamed - seed.block) * K, rest};
  } else {
    const Rank P = symmetry_.ranks(), wraps = P - by;  // the first rank that becomes a lower one
    return {src + by - (src >= wraps ? P : 0), dst + by - (dst >= wraps ? P : 0),
            first + by * seed.spread * K - (seed.row >= wraps ? row_wrap_ : 0) -
                (seed.column >= wraps ? column_wrap_ : 0),
            rest};
  }
}

/// Between the ranks at which one of its numbers wraps, an orbit is an arithmetic progression.
bool Orbits::orbit_of_rotations(const Seed& seed, const Transfer* transfers) const {
  const Rank P = symmetry_.ranks();
  std::array<Rank, 6> cuts{0, P - seed.words[0], P - seed.words[1], P - seed.row, P - seed.column,
                           P};
  std::ranges::sort(cuts);
  const Words step{1, 1, seed.spread * symmetry_.block(), 0};
  Words differences{};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i] == cuts[i + 1]) continue;
    Words expected = image<Group::rotations>(seed, cuts[i]);
    for (Rank by = cuts[i]; by < cuts[i + 1]; ++by) {
      note(differences, words_of(transfers[by]), expected);
      for (std::size_t k = 0; k < 4; ++k) expected[k] += step[k];
    }
  }
  return none(differences);
}

template <Group group>
bool Orbits::compare(std::span<const Transfer> transfers, bool by_orbits) const {
  const Rank P = symmetry_.ranks();
  const Transfer* next = transfers.data();
  if (by_orbits) {
    for (const Seed& seed : seeds_) {
      if constexpr (group == Group::rotations) {
        if (!orbit_of_rotations(seed, next)) return false;
      } else {
        Words differences{};
        for (Rank by = 0; by < P; ++by)
          note(differences, words_of(next[by]), image<group>(seed, by));
        if (!none(differences)) return false;
      }
      next += P;
    }
    return true;
  }
  for (Rank by = 0; by < P; ++by) {
    Words differences{};
    for (const Seed& seed : seeds_) note(differences, words_of(*next++), image<group>(seed, by));
    if (!none(differences)) return false;
  }
  return true;
}

bool Orbits::read(std::span<const Transfer> transfers) {
  seeds_.clear();
  sources_.clear();
  of_rank_zero_.clear();
  const Rank P = symmetry_.ranks();
  if (transfers.size() % P != 0) return false;
  const std::size_t orbits = transfers.size() / P;
  if (orbits == 0) return true;
  const bool rotations = symmetry_.group() == Group::rotations;
  if (!well_formed(transfers[0])) return false;
  const Seed first = seed(transfers[0]);
  const Words second =
      rotations ? image<Group::rotations>(first, 1) : image<Group::exclusive_ors>(first, 1);
  const bool by_orbits = words_of(transfers[1]) == second;
  if (!by_orbits && words_of(transfers[orbits]) != second) return false;
  for (std::size_t i = 0; i < orbits; ++i) {
    const Transfer& t = transfers[by_orbits ? i * P : i];
    if (!well_formed(t)) return false;
    sources_.push_back(t);
    seeds_.push_back(seed(t));
  }
  if (rotations ? !compare<Group::rotations>(transfers, by_orbits)
                : !compare<Group::exclusive_ors>(transfers, by_orbits))
    return false;
  project();
  return true;
}

void Orbits::project() {
  const auto add = [&](Transfer t, Rank end) {
    const Rank by = symmetry_.inverse(end);
    t.src = symmetry_.rename(by, t.src);
    t.dst = symmetry_.rename(by, t.dst);
    t.first = symmetry_.rename(by, Run{t.first, t.count}).first;
    of_rank_zero_.push_back(t);
  };
  for (const Transfer& t : sources_) add(t, t.src);
  for (const Transfer& t : sources_) add(t, t.dst);
}

}  // namespace schedcc
