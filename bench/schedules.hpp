#pragma once

// Schedules of algorithms that benchmarks measure, made on the way or held in memory.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bench/measure.hpp"
#include "core/input_text.hpp"
#include "format/entry.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace measure {

struct Case {
  std::string spec;  ///< of the algorithm
  schedcc::Rank ranks;
  std::uint32_t chunks;
  std::optional<schedcc::Collective> collective = {};  ///< none: the algorithm's first
};

/// On the first machine that the algorithm is for.
inline schedcc::Request request(const Case& c) {
  const auto spec = schedcc::Spec::parse(c.spec);
  const schedcc::Algorithm& algorithm = schedcc::find_algorithm(spec.name);
  schedcc::Request r;
  r.problem.collective = c.collective.value_or(algorithm.collectives.front());
  r.problem.ranks = c.ranks;
  r.problem.chunks = c.chunks;
  r.parameters = spec.check(algorithm.parameters, spec.name);
  r.machine = schedcc::make_machine(algorithm.machines_for(r.parameters).front(), c.ranks);
  return r;
}

inline schedcc::Source streamed(const Case& c) {
  return schedcc::from_algorithm(schedcc::find_algorithm(schedcc::Spec::parse(c.spec).name),
                                 request(c), c.spec);
}

inline schedcc::Source held(const Case& c) {
  const schedcc::Source made = streamed(c);
  return schedcc::from_schedule(
      made.problem, std::make_shared<const schedcc::Schedule>(schedcc::collect(*made.open())));
}

/// As a binary file that is in memory.
inline schedcc::Source from_file(const Case& c) {
  Buffer out;
  const schedcc::Format& binary = schedcc::find_format("binary");
  binary.write(streamed(c), {}, out);
  return schedcc::FormatEntry::of(binary).read(schedcc::InputText::of(std::move(out.text)),
                                               "bench");
}

}  // namespace measure
