#include "format/sched/plain_lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace schedcc {

namespace {

/// "4294967295 -> 4294967295 : 4294967295-4294967295 reduce\n": within so many bytes no line ends
/// the text, so that no character needs a look at the end.
constexpr std::ptrdiff_t longest_line = 64;

/// Reads up to nine digits, and the character after them; nullptr if there are none, or more.
const char* read_number(const char* at, std::uint32_t& value) {
  const auto digit = [&](int i) { return static_cast<std::uint32_t>(at[i]) - '0'; };
  value = digit(0);
  if (value > 9) return nullptr;
  for (int i = 1; i < 10; ++i) {
    const std::uint32_t next = digit(i);
    if (next > 9) return at + i;
    value = 10 * value + next;
  }
  return nullptr;
}

template <std::size_t N>
bool starts_with(const char* at, const char (&text)[N]) {
  return std::memcmp(at, text, N - 1) == 0;
}

/// The end of the line, behind its line feed; nullptr if it has another form.
const char* read_line(const char* at, Transfer& transfer) {
  std::uint32_t src = 0, dst = 0, first = 0;
  at = read_number(at, src);
  if (at == nullptr || !starts_with(at, " -> ")) return nullptr;
  at = read_number(at + 4, dst);
  if (at == nullptr || !starts_with(at, " : ")) return nullptr;
  at = read_number(at + 3, first);
  if (at == nullptr) return nullptr;
  std::uint32_t last = first;
  if (*at == '-') {
    at = read_number(at + 1, last);
    if (at == nullptr || last < first) return nullptr;
  }
  transfer = copy(src, dst, first, last - first + 1);
  if (*at == '\n') return at + 1;
  if (!starts_with(at, " reduce\n")) return nullptr;
  transfer.reduce = 1;
  return at + 8;
}

/// Where the first line begins behind a place in the text; its end if none does.
std::size_t next_line(std::string_view text, std::size_t at) {
  const std::size_t feed = text.find('\n', at);
  return feed == std::string_view::npos ? text.size() : feed + 1;
}

}  // namespace

std::size_t read_plain_lines(std::string_view text, Transfers& transfers) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  Transfer transfer{};
  while (end - at >= longest_line) {
    const char* const next = read_line(at, transfer);
    if (next == nullptr) break;
    transfers.push_back(transfer);
    at = next;
  }
  return static_cast<std::size_t>(at - begin);
}

PlainLinesAhead::PlainLinesAhead(InputText text, std::size_t at, std::size_t threads,
                                 std::size_t piece)
    : text_(std::move(text)), size_(piece), next_(next_line(text_.view(), at)) {
  for (std::size_t i = 0; i < threads; ++i) begin_piece({});
}

std::size_t PlainLinesAhead::read(std::size_t at, Transfers& transfers) {
  const std::size_t begin = at;
  while (reach(at)) {
    const Stretch* const stretch = stretch_at(at);
    if (stretch == nullptr) break;
    // Most often none of its lines was read in another way.
    const std::string_view behind = text_.view().substr(stretch->begin, at - stretch->begin);
    const auto skipped = static_cast<std::size_t>(std::ranges::count(behind, '\n'));
    const auto end = stretch + 1 == piece_.stretches.data() + piece_.stretches.size()
                         ? piece_.transfers.size()
                         : stretch[1].first;
    transfers.insert(transfers.end(), piece_.transfers.data() + stretch->first + skipped,
                     piece_.transfers.data() + end);
    at = stretch->end;
  }
  return at - begin;
}

/// The stretch with the line that begins at `at`, in this piece.
const PlainLinesAhead::Stretch* PlainLinesAhead::stretch_at(std::size_t at) {
  auto& [begin, end, transfers, stretches, passed] = piece_;
  while (passed < stretches.size() && stretches[passed].end <= at) ++passed;
  return passed < stretches.size() && stretches[passed].begin <= at ? &stretches[passed] : nullptr;
}

/// Goes on to the piece with a place in the text; false if no piece has it.
bool PlainLinesAhead::reach(std::size_t at) {
  while (piece_.end <= at && !ahead_.empty()) {
    Piece memory = std::exchange(piece_, ahead_.front().get());
    ahead_.pop_front();
    begin_piece(std::move(memory));
  }
  return piece_.begin <= at && at < piece_.end;
}

/// `memory`: a piece that is no longer needed.
void PlainLinesAhead::begin_piece(Piece memory) {
  const std::string_view text = text_.view();
  if (next_ == text.size()) return;
  memory.begin = next_;
  memory.end = next_ = next_line(text, std::min(next_ + size_, text.size()) - 1);
  // Where the system grants no more threads, a piece is read when it is asked for.
  ahead_.push_back(
      std::async(std::launch::async | std::launch::deferred, read_piece, text, std::move(memory)));
}

PlainLinesAhead::Piece PlainLinesAhead::read_piece(std::string_view text, Piece piece) {
  piece.transfers.clear();
  piece.stretches.clear();
  piece.passed = 0;
  // A line of the piece may be looked at beyond its end; but no other begins there.
  const std::string_view seen =
      text.substr(0, std::min<std::size_t>(text.size(), piece.end + longest_line - 1));
  for (std::size_t at = piece.begin; at < piece.end; at = next_line(text, at)) {
    const std::size_t first = piece.transfers.size();
    const std::size_t bytes = read_plain_lines(seen.substr(at), piece.transfers);
    if (bytes == 0) continue;
    piece.stretches.push_back({at, at + bytes, first});
    at += bytes;
  }
  return piece;
}

}  // namespace schedcc
