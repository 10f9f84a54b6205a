#include "format/cpp/packed.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace schedcc::cpp {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t longest_literal = std::size_t{1} << 16;
constexpr std::size_t longest_line = 96;  ///< digits

/// The digits of each member of an operation, in the order of a record.
struct Widths {
  unsigned step = 1, peer = 1, first = 1, count = 1;
  unsigned record() const { return step + peer + first + count + 1; }  // 1: kind and mode
};

unsigned digits(std::uint64_t most) {
  return std::max(1U, (static_cast<unsigned>(std::bit_width(most)) + 5) / 6);
}

Widths widths_of(const Table& table) {
  std::uint64_t step = 0, peer = 0, first = 0, count = 0;
  for (const Operation& o : table.operations) {
    step = std::max(step, o.step);
    peer = std::max<std::uint64_t>(peer, o.peer);
    first = std::max<std::uint64_t>(first, o.first);
    count = std::max<std::uint64_t>(count, o.count);
  }
  return {digits(step), digits(peer), digits(first), digits(count)};
}

void append_number(std::string& out, std::uint64_t value, unsigned width) {
  for (unsigned i = width; i-- > 0;) out += alphabet[value >> (6 * i) & 63];
}

void append_record(std::string& out, const Operation& o, const Widths& w) {
  append_number(out, o.step, w.step);
  append_number(out, o.peer, w.peer);
  append_number(out, o.first, w.first);
  append_number(out, o.count, w.count);
  append_number(out, (o.kind == mpi::receive ? 1U : 0U) + (o.mode == mpi::reduce ? 2U : 0U), 1);
}

/// The array of literals, of `per_literal` records each but the last.
void write_records(const Table& table, const Widths& widths, std::size_t per_literal, Text& out) {
  const std::size_t per_line = std::max<std::size_t>(1, longest_line / widths.record());
  std::size_t i = 0;
  for (const Operation& o : table.operations) {
    if (i % per_literal % per_line == 0) out.put("\n    \"");
    out.append([&](std::string& text) { append_record(text, o, widths); });
    ++i;
    if (i % per_literal == 0 || i == table.operations.size()) {
      out.put("\",");
    } else if (i % per_literal % per_line == 0) {
      out.put("\"");
    }
  }
}

// step, peer, first, count: the digits of these members; peer_at, ...: their offsets in a record.
constexpr std::string_view accessors = R"(/// The table: operations by their number.
struct Operations {{
  /// The number in `digits` digits of record i, starting at digit `at`.
  static constexpr std::uint64_t number(std::uint32_t i, std::uint32_t at, std::uint32_t digits) {{
    const char* const record = records[i / {literal}] + i % {literal} * {record};
    std::uint64_t value = 0;
    for (std::uint32_t k = at; k < at + digits; ++k) {{
      const char c = record[k];
      const int digit = c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c >= '0' ? c - '0' + 52 : c == '+' ? 62 : 63;
      value = value << 6 | static_cast<std::uint64_t>(digit);
    }}
    return value;
  }}
  constexpr std::size_t size() const {{ return {operations}; }}
  constexpr Operation operator[](std::size_t index_of_operation) const {{
    const std::uint32_t i = static_cast<std::uint32_t>(index_of_operation);
    const std::uint64_t flags = number(i, {flags_at}, 1);
    return {{number(i, 0, {step}),
            (flags & 1) != 0 ? receive : send,
            static_cast<std::uint32_t>(number(i, {peer_at}, {peer})),
            static_cast<std::uint32_t>(number(i, {first_at}, {first})),
            static_cast<std::uint32_t>(number(i, {count_at}, {count})),
            (flags & 2) != 0 ? reduce : copy}};
  }}
}};
inline constexpr Operations operations{{}};

/// The operations of one rank, for a range-based for.
struct Program {{
  struct iterator {{
    using iterator_category = std::input_iterator_tag;
    using value_type = Operation;
    using difference_type = std::ptrdiff_t;
    using pointer = const Operation*;
    using reference = Operation;
    std::size_t i;
    constexpr Operation operator*() const {{ return operations[i]; }}
    constexpr iterator& operator++() {{
      ++i;
      return *this;
    }}
    constexpr iterator operator++(int) {{ return {{i++}}; }}
    friend constexpr bool operator==(iterator a, iterator b) {{ return a.i == b.i; }}
    friend constexpr bool operator!=(iterator a, iterator b) {{ return a.i != b.i; }}
  }};
  std::size_t first, last;
  constexpr iterator begin() const {{ return {{first}}; }}
  constexpr iterator end() const {{ return {{last}}; }}
  constexpr std::size_t size() const {{ return last - first; }}
}};

)";

}  // namespace

Parameter form_parameter() {
  return {.name = "form",
          .summary =
              "operations as an array of structures, or packed into text, which compiles "
              "faster (default: packed for 2^15 or more operations)",
          .kind = Parameter::Kind::text,
          .choices = {"array", "packed"}};
}

bool is_packed(const Parameters& parameters, const Table& table) {
  if (parameters.has("form")) return parameters.text("form") == "packed";
  return table.totals.operations >= std::uint64_t{1} << 15;
}

void write_packed_operations(const Table& table, Text& out) {
  const Widths w = widths_of(table);
  const std::size_t per_literal = longest_literal / w.record() - 1;
  out.print(
      "/// The operations, {} digits to the base 64 each: step, peer, first, count, and 1 for a "
      "receive plus 2\n/// for a reduction.\ninline constexpr const char* records[] = {{",
      w.record());
  write_records(table, w, per_literal, out);
  out.put("\n};\n");
  const unsigned first_at = w.step + w.peer;
  out.print(accessors, fmt::arg("operations", table.totals.operations),
            fmt::arg("record", w.record()), fmt::arg("literal", per_literal),
            fmt::arg("step", w.step), fmt::arg("peer", w.peer), fmt::arg("first", w.first),
            fmt::arg("count", w.count), fmt::arg("peer_at", w.step), fmt::arg("first_at", first_at),
            fmt::arg("count_at", first_at + w.first), fmt::arg("flags_at", w.record() - 1));
}

}  // namespace schedcc::cpp
