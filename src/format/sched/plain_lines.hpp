#pragma once

// Lines of transfers as schedcc writes them, which are nearly all lines of large files: read
// without looking for comments, other white space and lists of ranges, several times as fast; and,
// as no line depends on another, in pieces of the text, by several threads.

#include <cstddef>
#include <deque>
#include <future>
#include <string_view>
#include <vector>

#include "core/input_text.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Reads the lines "SRC -> DST : FIRST[-LAST][ reduce]" at the start of the text, with one space
/// between tokens, and appends the transfer of each. Stops before a line of any other form, or with
/// a number of ten digits, and near the end of the text. Returns the bytes of the lines.
std::size_t read_plain_lines(std::string_view text, Transfers& transfers);

/// The plain lines of a text, read by other threads before they are asked for. In pieces that begin
/// with a line, as long as the lines are plain, and again from the line after one that is not.
class PlainLinesAhead {
 public:
  /// Enough for a thread to be worth starting.
  static constexpr std::size_t usual_piece = std::size_t{1} << 20;

  /// From the first line that begins behind `at` on. `threads` > 0: how many pieces, of at least so
  /// many bytes, are read ahead.
  PlainLinesAhead(InputText text, std::size_t at, std::size_t threads,
                  std::size_t piece = usual_piece);

  /// As read_plain_lines, for the text from `at` on, where a line begins; but may stop before a
  /// plain line. `at` never falls from call to call.
  std::size_t read(std::size_t at, Transfers& transfers);

 private:
  /// Plain lines that follow one another.
  struct Stretch {
    std::size_t begin, end;  ///< in the text
    std::size_t first;       ///< the first of its transfers in those of the piece
  };
  struct Piece {
    std::size_t begin = 0, end = 0;  ///< in the text
    Transfers transfers = {};
    std::vector<Stretch> stretches = {};
    std::size_t passed = 0;  ///< stretches that lie behind
  };

  static Piece read_piece(std::string_view text, Piece piece);
  void begin_piece(Piece memory);
  bool reach(std::size_t at);
  const Stretch* stretch_at(std::size_t at);

  InputText text_;
  std::size_t size_;  ///< of a piece, at least
  std::size_t next_;  ///< where the first piece begins that is not begun
  std::deque<std::future<Piece>> ahead_;
  Piece piece_;
};

}  // namespace schedcc
