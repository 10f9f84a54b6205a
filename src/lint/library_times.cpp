#include "lint/library_times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/core.h>

#include "algorithm/library_names.hpp"
#include "format/tuning/ompi_names.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

namespace {

/// More segments than these are not timed.
constexpr std::uint64_t max_segments = 65536;

/// Times that differ by less are equal: rounding errors.
constexpr double equal_times = 1e-9;

/// Algorithms whose packets are the segments of a rule: without them the message is one packet.
constexpr std::array<std::string_view, 6> by_segments{"chain",           "binary-tree",
                                                      "binomial-tree",   "knomial-tree",
                                                      "in-order-binary", "split-binary-tree"};

/// The algorithm with the parameters that the library fixes: of Open MPI the radix 2 of bruck, and
/// of knomial in a broadcast the default of its variable, 4.
Spec library_spec(TuningFormat format, Collective collective, const std::string& counterpart) {
  if (format != TuningFormat::nccl_tuner) {
    if (counterpart == "bruck") return algorithm_spec("bruck:radix=2");
    if (counterpart == "knomial-tree" && collective == Collective::broadcast)
      return algorithm_spec("knomial-tree:k=4");
  }
  return algorithm_spec(counterpart);
}

/// Why Open MPI takes another algorithm for these calls, or none; empty: it takes this one.
std::string unsuited_text(const OmpiAlgorithm& algorithm, TuningFormat format, std::uint32_t ranks,
                          bool ordered) {
  if (algorithm.since > 5 && format == TuningFormat::ompi_rules)
    return fmt::format("available since Open MPI {}", algorithm.since);
  switch (algorithm.need) {
    case OmpiRequirement::none:
      break;
    case OmpiRequirement::two_ranks:
      if (ranks != 2) return "it needs 2 ranks";
      break;
    case OmpiRequirement::power_of_two:
      if (!std::has_single_bit(ranks)) return "it needs a power of two of ranks";
      break;
    case OmpiRequirement::even:
      if (ranks % 2 != 0) return "it needs an even number of ranks";
      break;
    case OmpiRequirement::commutative:
    case OmpiRequirement::commutative_or_fallback:
      if (ordered) return "it needs a commutative operator";
      break;
  }
  return {};
}

std::vector<LibraryAlgorithm> named_by_nccl(const std::string& word) {
  std::vector<LibraryAlgorithm> result;
  for (const std::string_view name : nccl_algorithms_of(word))
    result.push_back({std::string(name)});
  return result;
}

std::vector<LibraryAlgorithm> named_by_ompi(TuningFormat format, const std::string& word,
                                            std::uint32_t ranks, bool ordered) {
  std::vector<LibraryAlgorithm> result;
  const auto found = std::ranges::find(ompi_collectives(), word, &OmpiCollective::name);
  if (found == ompi_collectives().end()) return result;
  for (const OmpiAlgorithm& algorithm : found->algorithms) {
    result.push_back({std::string(algorithm.name), result.size() + 1, "",
                      unsuited_text(algorithm, format, ranks, ordered)});
  }
  return result;
}

/// The value of a whole number in a specification; none if it is not there.
std::optional<std::uint64_t> value_in(const Spec& spec, std::string_view key) {
  for (const auto& [name, values] : spec.items) {
    if (name == key && values.size() == 1) return parse_number(values.front(), key);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Collective> library_collective(const std::string& word) {
  if (word == "reduce_scatter_block") return Collective::reduce_scatter;
  try {
    const Collective result = collective_of_user(word);
    return info(result).declared || info(result).tokens ? std::nullopt : std::optional(result);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string counterpart_of(TuningFormat format, const std::string& word, std::string_view name,
                           std::uint64_t number, Collective collective) {
  const std::string_view counterpart = library_algorithm(library(format), word, name, number);
  if (counterpart.empty() || !find_algorithm(counterpart).serves(collective)) return {};
  return std::string(counterpart);
}

std::vector<LibraryAlgorithm> library_algorithms(TuningFormat format, const std::string& word,
                                                 Collective collective, std::uint32_t ranks,
                                                 bool ordered) {
  std::vector<LibraryAlgorithm> result = format == TuningFormat::nccl_tuner
                                             ? named_by_nccl(word)
                                             : named_by_ompi(format, word, ranks, ordered);
  for (LibraryAlgorithm& algorithm : result)
    algorithm.counterpart =
        counterpart_of(format, word, algorithm.name, algorithm.number, collective);
  return result;
}

LibraryTimes::LibraryTimes(TuningFormat format, const std::string& word, Collective collective,
                           const LossRequest& request)
    : format_(format),
      word_(word),
      collective_(collective),
      asked_(request),
      all_(library_algorithms(format, word, collective, request.ranks, request.ordered)) {
  std::vector<std::string> names;
  std::vector<Spec> specs;
  for (const LibraryAlgorithm& a : all_) {
    if (a.counterpart.empty() || std::ranges::find(names, a.counterpart) != names.end()) continue;
    names.push_back(a.counterpart);
    specs.push_back(library_spec(format_, collective_, a.counterpart));
  }
  if (!specs.empty()) tuner_ = std::make_unique<Tuner>(request_for(std::move(specs)));
}

TuneRequest LibraryTimes::request_for(std::vector<Spec> specs) const {
  TuneRequest result;
  result.problem.collective = collective_;
  result.problem.ranks = asked_.ranks;
  result.problem.ordered = asked_.ordered && info(collective_).reduction;
  result.machine = asked_.machine;
  result.model = asked_.model;
  result.algorithms = std::move(specs);
  result.choose_flags = false;
  result.progress = asked_.progress;
  return result;
}

std::vector<std::pair<std::string, std::string>> LibraryTimes::untimed() const {
  std::vector<std::pair<std::string, std::string>> result;
  if (tuner_ == nullptr) return result;
  for (const Skipped& skipped : tuner_->skipped()) {
    const std::string counterpart = Spec::parse(skipped.algorithm).name;
    const auto found = std::ranges::find(all_, counterpart, &LibraryAlgorithm::counterpart);
    if (found != all_.end()) result.emplace_back(found->name, skipped.reason);
  }
  return result;
}

/// The message, or a block of it.
std::uint64_t LibraryTimes::block_of(std::uint64_t bytes) const {
  return bytes / (info(collective_).in_blocks() ? asked_.ranks : 1);
}

bool LibraryTimes::has_segments(const std::string& counterpart) const {
  return format_ != TuningFormat::nccl_tuner && !info(collective_).in_blocks() &&
         std::ranges::find(by_segments, counterpart) != by_segments.end();
}

const std::vector<Choice>& LibraryTimes::choices(std::uint64_t size) {
  auto at = choices_.find(size);
  if (at == choices_.end()) at = choices_.emplace(size, tuner_->choices(size)).first;
  return at->second;
}

/// The library's first algorithm that is this one and suits the calls; nullptr if none does.
const LibraryAlgorithm* LibraryTimes::named(const Choice& choice) const {
  const auto found = std::ranges::find_if(all_, [&](const LibraryAlgorithm& a) {
    return a.counterpart == choice.algorithm->name && a.unsuited.empty();
  });
  return found == all_.end() ? nullptr : &*found;
}

std::optional<LibraryTimes::TimedAlgorithm> LibraryTimes::fastest(std::uint64_t bytes) {
  const std::uint64_t size = block_of(bytes);
  if (tuner_ == nullptr || size == 0) return std::nullopt;
  for (const Choice& choice : choices(size)) {
    if (const LibraryAlgorithm* algorithm = named(choice))
      return TimedAlgorithm{algorithm, choice.seconds};
  }
  return std::nullopt;
}

std::optional<double> LibraryTimes::seconds(const std::string& counterpart, std::uint64_t segment,
                                            std::uint64_t bytes) {
  const std::uint64_t size = block_of(bytes);
  if (tuner_ == nullptr || size == 0) return std::nullopt;
  const std::vector<Choice>& all = choices(size);
  const auto free =
      std::ranges::find_if(all, [&](const Choice& c) { return c.algorithm->name == counterpart; });
  if (free == all.end()) return std::nullopt;
  return has_segments(counterpart) ? by_segment(counterpart, segment, size)
                                   : std::optional(free->seconds);
}

LibraryTimes::SegmentedAlgorithm& LibraryTimes::segmented(const std::string& counterpart) {
  std::unique_ptr<SegmentedAlgorithm>& result = segmented_[counterpart];
  if (result == nullptr) {
    const Spec spec = library_spec(format_, collective_, counterpart);
    result = std::make_unique<SegmentedAlgorithm>(SegmentedAlgorithm{request_for({spec}), {}});
    std::string why;
    for (Setting& setting : settings(result->request, named_algorithm(spec), spec, why, memory_))
      result->settings.emplace_back(result->request, std::move(setting), memory_);
  }
  return *result;
}

/// The time with segments of `segment` bytes; 0: one for the message.
std::optional<double> LibraryTimes::by_segment(const std::string& counterpart,
                                               std::uint64_t segment, std::uint64_t size) {
  const std::uint64_t chunks = segment == 0 ? 1 : (size - 1) / segment + 1;
  if (chunks > max_segments) return std::nullopt;
  std::optional<double> result;
  for (Packets& packets : segmented(counterpart).settings) {
    const auto found = packets.with(chunks, size, result.value_or(HUGE_VAL));
    if (found) result = found->seconds;
  }
  return result;
}

/// The choice with the power of two below its best segments, or above, or with none.
LibraryTimes::TimedChoice LibraryTimes::with_segments(const LibraryAlgorithm& algorithm,
                                                      const Choice& free, std::uint64_t size) {
  TimedChoice result{{algorithm.name, algorithm.number, fanout_of(algorithm, free), 0},
                     free.seconds};
  if (algorithm.counterpart == "segmented-ring") result.choice.segment = ring_segment(free, size);
  if (!has_segments(algorithm.counterpart)) return result;
  result.seconds = HUGE_VAL;
  const std::uint64_t best = (size - 1) / free.chunks + 1;
  for (const std::uint64_t segment :
       {std::uint64_t{0}, std::bit_ceil(best), std::bit_floor(best)}) {
    if (segment >= size) continue;
    const auto found = by_segment(algorithm.counterpart, segment, size);
    if (!found || *found >= result.seconds * (1 - equal_times)) continue;
    result.seconds = *found;
    result.choice.segment = segment;
  }
  return result;
}

/// The segments of the segmented ring, a power of two; 0 if a block is one.
std::uint64_t LibraryTimes::ring_segment(const Choice& free, std::uint64_t size) const {
  const std::uint64_t parts =
      value_in(free.spec, "segments").value_or(free.chunks / asked_.ranks >= 2 ? 2 : 1);
  if (parts < 2) return 0;
  return std::bit_ceil((size - 1) / (parts * asked_.ranks) + 1);
}

/// FANINOUT: the number of chains, or, in Open MPI 6 and later, the radix.
std::uint64_t LibraryTimes::fanout_of(const LibraryAlgorithm& algorithm, const Choice& free) const {
  if (format_ == TuningFormat::nccl_tuner) return 0;
  if (algorithm.counterpart == "chain") return 1;
  const OmpiAlgorithm* known = ompi_algorithm(word_, algorithm.number);
  if (known == nullptr || !known->radix) return 0;
  const auto k = value_in(free.spec, algorithm.counterpart == "bruck" ? "radix" : "k");
  return k.value_or(2);
}

std::optional<LibraryChoice> LibraryTimes::choice(std::uint64_t bytes) {
  // Of fewer bytes than there are blocks, some blocks are empty, and the others have one byte.
  const std::uint64_t size = std::max<std::uint64_t>(block_of(bytes), 1);
  if (tuner_ == nullptr) return std::nullopt;
  std::optional<TimedChoice> best;
  for (const Choice& free : choices(size)) {
    if (best && free.seconds > best->seconds) break;  // segments take no less time
    const LibraryAlgorithm* const algorithm = named(free);
    if (algorithm == nullptr) continue;
    TimedChoice found = with_segments(*algorithm, free, size);
    const double equal = best ? equal_times * best->seconds : 0;
    const bool first = best && found.choice.number < best->choice.number;
    if (!best || found.seconds < best->seconds - equal ||
        (first && found.seconds <= best->seconds + equal)) {
      best = std::move(found);
    }
  }
  if (!best || best->seconds == HUGE_VAL) return std::nullopt;
  return std::move(best->choice);
}

}  // namespace schedcc
