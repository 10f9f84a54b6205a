// Passes arbitrary bytes to the reader of the format that they resemble (.sched if they resemble
// none). A schedule that is accepted is written in .sched and in its own format; the output must be
// read again and give the same bytes. Every other format must be able to read what it writes of the
// schedule. A reader must read the whole text: with an additional line that begins with a NUL byte
// it must be refused. A schedule that moves few chunks is also checked, in time and memory that
// depend on its transfers, not on the numbers in its header. The checksums of binary files are
// corrected first, as no mutation finds them; a few bytes of such a file may be many transfers, so
// that it is read only while they are few.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "binary_files.hpp"
#include "format/binary/reader.hpp"
#include "format/msccl/reader.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace {

constexpr std::uint64_t few_chunks = 1 << 14, few_ranks = 1 << 8, few_transfers = 1 << 16;

class Text : public schedcc::Output {
 public:
  void write(std::string_view part) override { text += part; }
  std::string text;
};

std::string written(const schedcc::Source& source, const schedcc::Format& format) {
  Text out;
  schedcc::EmitOptions options;
  options.parameters = schedcc::Spec{}.check(format.parameters, format.name);
  format.write(source, options, out);
  return out.text;
}

schedcc::Source read(const std::string& text, const schedcc::Format& format) {
  return format.read(text, "fuzz");
}

const schedcc::Format& format_of(std::string_view text) {
  for (const schedcc::Format* format : schedcc::formats()) {
    if (format->readable && format->recognises(text)) return *format;
  }
  return schedcc::find_format("sched");
}

/// Checking a program must not crash. If it has steps, the program that is written from them must
/// pass the checks.
void check_program(const schedcc::Source& source) {
  if (!source.program && !source.plan) return;
  schedcc::CheckOptions options;
  options.max_findings = 3;
  const schedcc::Machine machine = schedcc::make_machine("duplex", source.problem.ranks);
  schedcc::check(source, machine, options);
  if (source.plan) return;  // it has no steps
  const schedcc::Format& format = schedcc::find_format("msccl");
  schedcc::Source again;
  try {
    again = read(written(source, format), format);
  } catch (const schedcc::InputError&) {
    return;  // no steps, or the format's limits
  }
  if (schedcc::check(again, machine, options).verdict() == schedcc::Verdict::violated) std::abort();
}

/// Writing, reading and writing again must give the same text.
void same_again(const schedcc::Source& source, const schedcc::Format& format) {
  std::string first;
  try {
    first = written(source, format);
  } catch (const schedcc::InputError&) {
    return;  // the format's limits
  }
  const std::string second = written(read(first, format), format);
  if (first == second) return;
  std::fprintf(stderr, "written:\n%s\nread and written again:\n%s\n", first.c_str(),
               second.c_str());
  std::abort();
}

/// Reads a program that does not state its collective as one of any collective.
void take_for(const schedcc::Source& source, std::size_t size) {
  if (!source.program || source.problem.collective != schedcc::Collective::custom) return;
  const auto all = schedcc::collectives();
  const schedcc::Collective collective = all[size % all.size()].collective;
  if (collective == schedcc::Collective::custom) return;
  try {
    check_program(schedcc::with_collective(source, collective, std::nullopt));
  } catch (const schedcc::InputError&) {
    return;  // its buffers are others
  }
}

/// What a format writes of a schedule, right or wrong, its reader reads. (Formats that list ranks
/// and chunks take their time with many.)
void is_read_everywhere(const schedcc::Source& source) {
  if (source.problem.ranks > few_ranks || source.problem.total_chunks() > few_chunks) return;
  for (const schedcc::Format* format : schedcc::formats()) {
    if (!format->readable || !format->writable) continue;
    std::string text;
    try {
      text = written(source, *format);
    } catch (const schedcc::InputError&) {
      continue;  // the format's limits
    }
    try {
      const schedcc::Source back = read(text, *format);
      if (!back.program && !back.plan) written(back, schedcc::find_format("sched"));
    } catch (const schedcc::InputError& error) {
      std::fprintf(stderr, "%s is not read, line %u: %s\n%s\n", std::string(format->name).c_str(),
                   error.location.line, error.what(), text.c_str());
      std::abort();
    }
  }
}

/// What is read must not be read when something that no format has stands behind it.
void refuses_a_tail(const std::string& text, const schedcc::Format& format) {
  using namespace std::string_literals;
  try {
    written(read(text + "\n\0tail"s, format), schedcc::find_format("sched"));
  } catch (const schedcc::InputError&) {
    return;
  }
  std::fprintf(stderr, "format %s does not read to the end\n", std::string(format.name).c_str());
  std::abort();
}

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

/// Has the whole file few transfers? Throws InputError for a malformed file, and LimitError.
bool reads_few_transfers(const std::string& text) {
  std::uint64_t transfers = 0;
  const auto bytes = schedcc::InputText::of(text);
  const auto stream = schedcc::read_binary(bytes, "fuzz", few_transfers).open();
  for (schedcc::Step step; transfers <= few_transfers && stream->next(step);)
    transfers += step.transfers.size();
  return transfers <= few_transfers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (schedcc::is_binary(text)) {
    text = binary_files::resealed(std::move(text));
    try {
      if (!reads_few_transfers(text)) return 0;
    } catch (const schedcc::InputError&) {
      return 0;
    } catch (const schedcc::LimitError&) {
      return 0;  // a step of many
    }
  }
  const schedcc::Format& format = format_of(text);
  schedcc::Source source;
  bool few = false;
  try {
    source = read(text, format);
    check_program(source);
    take_for(source, size);
    written(source, schedcc::find_format("sched"));  // goes through all of it
    few = moves_few_chunks(source);
    if (few) check(source, static_cast<schedcc::Blocking>(size % 4));
  } catch (const schedcc::InputError&) {
    return 0;  // not a schedule
  }
  if (few) is_read_everywhere(source);
  refuses_a_tail(text, format);
  same_again(source, schedcc::find_format("sched"));
  // Other programs may have the same steps.
  if (format.name != "sched" && !source.program) same_again(source, format);
  return 0;
}
