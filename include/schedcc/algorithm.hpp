#pragma once

// The algorithms of the registry, and their schedules.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The request to an algorithm.
struct Request {
  Problem problem;
  Machine machine;
  Parameters parameters = {};  ///< as Spec::check returns them, with all defaults
  /// Irregular blocks: the chunks of each, in the order of their numbers, whatever `problem.chunks`
  /// says. None: every block has `problem.chunks`.
  std::optional<BlockSizes> block_sizes = std::nullopt;
};

/// The cost that the source of an algorithm claims for its schedules: the number of steps (LogP:
/// the time), exact or at most.
struct CostClaim {
  std::uint64_t steps;
  bool exact = true;
  /// The most chunks that a message carries; 0: unknown. If it is 1, the cost of the schedule
  /// follows without its messages.
  std::uint32_t width = 0;
  bool idle = false;  ///< may there be steps without a message?
  /// The sum over the steps of each one's largest message, in chunks; 0: unknown. If `width` is 1
  /// it is left out: it is the number of steps, or less if some are idle.
  std::uint64_t volume = 0;
  /// The chunks that some rank sends, or receives, at least; 0: unknown.
  std::uint64_t busiest = 0;
  /// Of broadcasts: the messages, one after another, that lead to the first chunk of some rank; of
  /// reductions: those that the last chunk of some rank leads to. 0: unknown.
  std::uint64_t hops = 0;
  /// Steps and volume as formulas, in the papers' letters: P ranks, lg = log P = ceil(log2 P), s
  /// packets, the volume in messages or blocks. Empty: there is no formula.
  std::string_view steps_formula = {}, volume_formula = {};
};

/// Parameters that were left open, and the values that were chosen for them.
using ChosenParameters = std::vector<std::pair<std::string, std::string>>;

/// The functions of an algorithm; internal to the library.
struct AlgorithmEntry;

/// An algorithm of the registry, or a composition of such: its properties, and its answers to a
/// request. Others are added to the sources of schedcc, as docs/extending.md describes, or given as
/// a generator to the program. A value; copies share its entry.
class Algorithm {
 public:
  std::string_view name;
  std::string_view summary;
  std::string_view source;              ///< paper, section, equation
  std::vector<Collective> collectives;  ///< the first is the default
  /// The machines that it is for; the first is the default. `{h}` is the value of its parameter h,
  /// `{h-1}` one less.
  std::vector<std::string_view> machines;
  std::vector<Parameter> parameters;
  /// Are its transfers whole blocks, so that the blocks may be irregular?
  bool whole_blocks;
  /// Its transfers are hops over the links of its machines: routers copy and combine.
  bool hops;
  /// When ranks that end with the same sum have evaluated different expressions; empty: never, or
  /// no two ranks end with the same sum.
  std::string_view disagreement;

  /// Is the collective one of `collectives`?
  bool serves(Collective collective) const;
  /// `machines` for these parameters; `{h}` without a value is left out: the machine's default.
  std::vector<std::string> machines_for(const Parameters& given) const;
  /// Is it for the machine of the request? (A failure there is an internal error.)
  bool made_for(const Request& request) const;
  /// Does `claim` apply on the machine of the request? It does if the algorithm is for that
  /// machine, apart from its limit on width, or for one of its kind with fewer ports, or for
  /// duplex, and ranks have no fewer ports. This does not imply that its schedule holds there.
  bool meets_claim(const Request& request) const;
  /// Does its schedule hold by design on the machine of the request, apart from the width of its
  /// messages? It does if its claim applies and ranks share no edges or modules; otherwise the
  /// checks decide.
  bool holds_by_design(const Request& request) const;
  /// Does its schedule for what it serves pass the check `agreement`, or is it without sums that
  /// several ranks end with?
  bool agrees(const Request& request) const;
  /// The values that it chooses for parameters which the request leaves open, for what it serves.
  ChosenParameters chosen(const Request& request) const;
  /// The cost that its source claims, for what it serves, on a machine that it was made for.
  CostClaim claim(const Request& request) const;
  /// The problem that its schedule for a request solves, if it serves the request: the request's
  /// problem, or a custom one, of the algorithm's own or for irregular blocks.
  Problem problem(const Request& request) const;
  /// Why it does not serve the request, in the paper's terms; none if it does.
  std::optional<std::string> reason(const Request& request) const;
  /// The nodes of the machine, if its transfers are hops over links; 0: they are at endpoint level.
  std::uint64_t nodes(const Request& request) const;
  /// The steps (none for P = 1). Throws InputError with the reason if it does not serve the
  /// request.
  Steps steps(const Request& request) const;

 private:
  friend struct AlgorithmEntry;
  explicit Algorithm(std::shared_ptr<const AlgorithmEntry> entry);

  std::shared_ptr<const AlgorithmEntry> entry_;
};

/// The schedule of an algorithm as a source, named `spec` ("fractional-tree:r=3"). Throws
/// InputError if the algorithm does not serve the request.
Source from_algorithm(const Algorithm& algorithm, const Request& request, std::string spec);
/// The same by name: of the algorithm, or the composition, that `spec` names with its parameters,
/// for a problem, on the machine that `machine` names; empty: on the first that it was made for;
/// with irregular blocks where `block_sizes` are given. Throws InputError.
Source from_algorithm(std::string_view spec, const Problem& problem, std::string_view machine = {},
                      std::optional<BlockSizes> block_sizes = std::nullopt);

/// All algorithms, in the order in which they are listed.
std::span<const Algorithm* const> algorithms();
/// The algorithm of this name. Throws InputError with the nearest names if there is none.
const Algorithm& find_algorithm(std::string_view name);

/// NAME[:key=value,...], or a composition: "ring as reduce-scatter then ring as allgather"
/// (docs/composition.md). A composition becomes the name of a specification without parameters.
/// Throws InputError with the column for a composition that is not well formed, has unknown names,
/// or parts that do not fit.
Spec algorithm_spec(std::string_view text);
/// What a specification from algorithm_spec() names. Throws InputError: unknown names, with the
/// nearest ones; parts of a composition that do not fit.
std::shared_ptr<const Algorithm> named_algorithm(const Spec& spec);

}  // namespace schedcc

#pragma GCC visibility pop
