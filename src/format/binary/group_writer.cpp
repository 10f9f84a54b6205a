#include "format/binary/group_writer.hpp"

#include <algorithm>
#include <span>

namespace schedcc::binary {

namespace {

/// The code of the least width that holds numbers up to `range`.
std::size_t code_for(std::uint32_t range) {
  return range == 0 ? 0 : range <= UINT8_MAX ? 1 : range <= UINT16_MAX ? 2 : 3;
}

/// The low `width` bytes of column `column` of each row, less `base` and the row before it.
template <std::size_t width>
void put_column(char* out, std::span<const Row> rows, std::size_t distance, std::size_t column,
                std::uint32_t base) {
  for (const Row& row : rows) {
    const std::uint32_t before = distance == 0 ? 0 : (*(&row - distance))[column];
    const std::uint32_t value = row[column] - before - base;
    for (std::size_t i = 0; i < width; ++i)
      *out++ = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
}

}  // namespace

void GroupWriter::write() {
  std::size_t listed = begin_, at = begin_, misses = 0;
  while (at < rows_.size()) {
    const Match match = stored_ ? Match{} : best_match(at);
    const bool to_end = listed == at && match.rows > 1 && at + match.rows == rows_.size();
    if (match.rows >= least_match || to_end) {
      write_listed(listed, at);
      put(at, at + match.rows, encoding(at, at + 1, match.distance));
      remember(match.distance);
      listed = at += match.rows;
      misses = 0;
    } else {  // where there is no structure, look for it less often
      at = std::min(rows_.size(), at + 1 + std::min<std::size_t>(++misses / 32, 15));
    }
    if (at - listed >= longest_listed) {
      write_listed(listed, at);
      listed = at;
    }
  }
  write_listed(listed, at);
  begin_ = rows_.size();
  drop_old();
  if (blocks_.full()) blocks_.end_block(kind_);
}

GroupWriter::Match GroupWriter::best_match(std::size_t at) {
  const Row& row = rows_[at];
  std::uint64_t& place = places_[(row[0] * 0x9E3779B1U ^ row[1] * 0x85EBCA77U) >> 20];
  const std::uint64_t before = place;
  place = dropped_ + at + 1;
  const std::size_t since =
      before > dropped_ ? at + 1 - static_cast<std::size_t>(before - dropped_) : 0;
  Match best;
  // The row before; the rows that matched last; all of the step so far, once more; the last row
  // with the same sender and receiver.
  for (const std::size_t distance :
       {std::size_t{1}, recent_[0], recent_[1], recent_[2], at - begin_, since}) {
    if (distance == 0 || distance > std::min<std::size_t>(at, blocks_.window()) ||
        distance == best.distance)
      continue;
    const std::size_t rows = matching(at, distance);
    if (rows > best.rows) best = {distance, rows};
    if (rows >= long_match || at + rows == rows_.size()) break;
  }
  return best;
}

std::size_t GroupWriter::matching(std::size_t at, std::size_t distance) const {
  const Row difference = minus(rows_[at], rows_[at - distance]);
  const Row* const end = rows_.data() + rows_.size();
  const Row* next = rows_.data() + at + 1;
  const auto differs = [&](std::size_t c) {
    return ((*next)[c] - (*(next - distance))[c]) ^ difference[c];
  };
  while (next != end && (differs(0) | differs(1) | differs(2) | differs(3)) == 0) ++next;
  return static_cast<std::size_t>(next - rows_.data()) - at;
}

void GroupWriter::remember(std::size_t distance) {
  if (distance == 1) return;  // which is tried anyway
  const auto found = std::find(recent_.begin(), recent_.end() - 1, distance);
  std::rotate(recent_.begin(), found, found + 1);
  recent_.front() = distance;
}

void GroupWriter::write_listed(std::size_t from, std::size_t to) {
  if (from == to) return;
  const std::size_t some = std::min(to, from + sample);
  GroupEncoding best = encoding(from, some, 0);
  for (const std::size_t distance : {std::size_t{1}, recent_[0]}) {
    if (distance == 0 || distance > std::min<std::size_t>(from, blocks_.window())) continue;
    const GroupEncoding other = encoding(from, some, distance);
    if (other.bytes < best.bytes) best = other;
  }
  if (some < to) best = encoding(from, to, best.distance);
  if (stored_ && best.codes == std::array<std::size_t, columns>{}) best.codes.back() = 1;
  put(from, to, best);
}

GroupWriter::GroupEncoding GroupWriter::encoding(std::size_t from, std::size_t to,
                                                 std::size_t distance) const {
  // Differences are around 0 modulo 2^32, rows themselves are above: the order of either is that
  // of unsigned numbers after this is added.
  const std::uint32_t shift = distance == 0 ? 0 : std::uint32_t{1} << 31;
  Row least{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, most{};
  const Row zeros{};
  for (std::size_t i = from; i < to; ++i) {
    const Row row = minus(rows_[i], distance == 0 ? zeros : rows_[i - distance]);
    for (std::size_t c = 0; c < columns; ++c) {
      least[c] = std::min(least[c], row[c] + shift);
      most[c] = std::max(most[c], row[c] + shift);
    }
  }
  GroupEncoding result{distance, {}, {}, varint_size(static_cast<std::uint32_t>(distance))};
  for (std::size_t c = 0; c < columns; ++c) {
    result.base[c] = least[c] - shift;
    result.codes[c] = code_for(most[c] - least[c]);
    result.bytes +=
        varint_size(zigzag(result.base[c])) + (to - from) * stored_bytes[result.codes[c]];
  }
  return result;
}

void GroupWriter::put(std::size_t from, std::size_t to, const GroupEncoding& encoding) {
  std::string& out = blocks_.payload();
  // The number of rows is one of 32 bits.
  for (std::size_t rows = 0; from < to; from += rows) {
    rows = std::min<std::size_t>(to - from, UINT32_MAX);
    out += static_cast<char>(group_item);
    put_varint(out, static_cast<std::uint32_t>(rows));
    put_varint(out, static_cast<std::uint32_t>(encoding.distance));
    std::size_t codes = 0;
    for (std::size_t c = 0; c < columns; ++c) codes |= encoding.codes[c] << (2 * c);
    out += static_cast<char>(static_cast<unsigned char>(codes));
    for (const std::uint32_t base : encoding.base) put_varint(out, zigzag(base));
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t width = stored_bytes[encoding.codes[c]], place = out.size();
      if (width == 0) continue;
      out.resize(place + rows * width);
      const auto put_width = width == 1   ? put_column<1>
                             : width == 2 ? put_column<2>
                                          : put_column<4>;
      put_width(out.data() + place, std::span(rows_).subspan(from, rows), encoding.distance, c,
                encoding.base[c]);
    }
  }
  if (blocks_.full()) blocks_.end_block(kind_);
}

void GroupWriter::drop_old() {
  const std::size_t kept = blocks_.window();
  if (rows_.size() <= 2 * kept) return;
  const std::size_t old = rows_.size() - kept;
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(old));
  dropped_ += old;
  begin_ = rows_.size();
}

}  // namespace schedcc::binary
