// Any bytes at all are given to the .sched reader. What it accepts is written; the canonical form
// that comes out is read again and must give the same bytes. A schedule that moves few chunks is
// checked as well, in time and memory that follow from what it does and not from what its header
// says.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontend/import/sched.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/registry.hpp"

namespace {

class Text : public schedcc::Output {
 public:
  void write(std::string_view part) override { text += part; }
  std::string text;
};

std::string written(const schedcc::Source& source) {
  Text out;
  schedcc::find_format("sched").write(source, schedcc::EmitOptions{}, out);
  return out.text;
}

constexpr std::uint64_t few_chunks = 1 << 14;

bool moves_few_chunks(const schedcc::Source& source) {
  std::uint64_t moved = 0;
  const auto stream = source.open();
  for (schedcc::Step step; stream->next(step);) {
    for (const schedcc::Transfer& transfer : step.transfers) moved += transfer.count;
  }
  return moved <= few_chunks;
}

void check(const schedcc::Source& source, schedcc::Blocking blocking) {
  const std::string machine = source.machine.empty() ? "duplex" : source.machine;
  schedcc::CheckOptions options;
  options.blocking = blocking;
  options.max_findings = 3;
  schedcc::check(source, schedcc::make_machine(machine, source.problem.ranks), options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string first;
  try {
    const schedcc::Source source =
        schedcc::read_sched(std::string(reinterpret_cast<const char*>(data), size), "fuzz.sched");
    first = written(source);
    if (moves_few_chunks(source)) check(source, static_cast<schedcc::Blocking>(size % 4));
  } catch (const schedcc::InputError&) {
  }
  if (first.empty()) return 0;  // not a schedule

  const std::string second = written(schedcc::read_sched(first, "canonical.sched"));
  if (first != second) {
    std::fprintf(stderr, "written:\n%s\nread and written again:\n%s\n", first.c_str(),
                 second.c_str());
    std::abort();
  }
  return 0;
}
