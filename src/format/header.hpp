#pragma once

// The header of a schedule file: the problem, the machine, a name. The notation differs by format;
// the rules that hold in all formats are here.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scanner.hpp"
#include "model/runs.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// The fields of a header while they are read, with their locations.
class Header {
 public:
  /// A `pre` or `post` line, to be checked when the whole header is known.
  struct PlacedHolding {
    SourceLocation location;
    Holding holding;
  };

  Source source;
  SourceLocation root;  ///< of the root's number
  std::vector<PlacedHolding> pre, post;

  /// Records that `field` is present. Throws InputError if it is a duplicate.
  void mention(std::string_view field, const SourceLocation& location);
  bool mentioned(std::string_view field) const { return seen_.contains(field); }
  /// Sets the collective that `name` names.
  void collective(const std::string& name, const SourceLocation& location);
  /// Sets the machine. It is written in a line of the .sched format, in messages and in reports, so
  /// it has neither blanks nor control characters, nor '#'.
  void machine(const std::string& name, const SourceLocation& location);
  /// Checks the consistency of the header and returns it. `end` is where the header ends. Throws
  /// InputError with the location.
  Source finish(const SourceLocation& end);

 private:
  void custom();
  std::vector<Holding> checked(std::vector<PlacedHolding>& placed, bool is_custom) const;

  std::map<std::string, SourceLocation, std::less<>> seen_;
};

/// A header in the lines of the .sched format.
struct TextHeader {
  Source source;
  Scanner::Mark end;  ///< of the line after it
};

/// Reads it, starting with the first line, up to the first step or, where the lines have a prefix,
/// up to the first line that has none. `add` adds what is not in these lines, before the whole is
/// checked. Throws InputError with the location.
TextHeader read_header(Scanner& in, const std::function<void(Header&)>& add = {});

/// Says that the source is of the file, whose name it has if it has no title.
inline void set_file(Source& source, const std::string& file) {
  source.file = file;
  source.name = source.title.empty() ? file : source.title;
}

/// Can a name be written unchanged in a line of the .sched format?
bool fits_a_line(std::string_view name);

/// Does the .sched format have header lines that begin with this word?
bool is_header_line(std::string_view directive);

/// Calls f(first, count) for the ranges of a token like 4,6-7.
template <typename F>
void read_ranges(Scanner& in, F f) {
  in.begin_token("a range of chunks");
  while (true) {
    const std::uint32_t first = in.digits("a chunk");
    std::uint32_t last = first;
    if (in.take('-')) {
      last = in.digits("the last chunk of a range");
      if (last < first) {
        in.fail_token(fmt::format("the range {}-{} is empty: the first chunk is above the last",
                                  first, last));
      }
    }
    f(first, std::uint64_t{last} - first + 1);
    if (in.at_token_end()) return;
    if (!in.take(','))
      in.fail_token(fmt::format("'{}' is not a list of ranges like 4,6-7", in.shown()));
  }
}

/// Calls f(transfer) for the transfers of the chunks first..first+count-1: one, unless they are too
/// many for one.
template <typename F>
void split_run(Rank src, Rank dst, Chunk first, std::uint64_t count, bool reduce, F f) {
  for (std::uint64_t done = 0; done < count; done += max_transfer_count) {
    const auto part =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done, max_transfer_count));
    Transfer transfer = copy(src, dst, static_cast<Chunk>(first + done), part);
    transfer.reduce = reduce ? 1 : 0;
    f(transfer);
  }
}

/// The same for a list of ranges: it makes no difference how the list divides its chunks.
template <typename F>
void add_transfers(Rank src, Rank dst, std::span<const Run> runs, bool reduce, F f) {
  std::vector<Run> joined;
  if (runs.size() > 1) runs = joined = joined_neighbours(runs);
  for (const Run& run : runs) {
    split_run(src, dst, run.first, run.count, reduce, f);
  }
}

}  // namespace schedcc
