#include "format/sched/plain_lines.hpp"

#include <cstring>

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

}  // namespace

PlainLines read_plain_lines(std::string_view text, std::uint32_t line, Transfers& transfers,
                            std::vector<std::uint32_t>& lines) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  PlainLines result;
  Transfer transfer{};
  while (end - at >= longest_line) {
    const char* const next = read_line(at, transfer);
    if (next == nullptr) break;
    transfers.push_back(transfer);
    lines.push_back(line + result.lines++);
    at = next;
  }
  result.bytes = static_cast<std::size_t>(at - begin);
  return result;
}

}  // namespace schedcc
