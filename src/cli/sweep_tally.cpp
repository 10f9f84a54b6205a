#include "cli/sweep_tally.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace schedcc::cli {

namespace {

/// Appends values to bytes.
class Packer {
 public:
  void put(std::uint64_t number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(const std::string& text) {
    put(text.size());
    bytes += text;
  }
  template <typename Texts>
  void put_all(const Texts& texts) {
    put(texts.size());
    for (const std::string& text : texts) put(text);
  }

  std::string bytes;
};

/// Takes the same values, in the same order.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : next_(bytes.data()) {}

  std::uint64_t number() {
    std::uint64_t result = 0;
    std::memcpy(&result, std::exchange(next_, next_ + sizeof result), sizeof result);
    return result;
  }
  std::string text() {
    const std::uint64_t size = number();
    return {std::exchange(next_, next_ + size), size};
  }
  std::vector<std::string> texts() {
    std::vector<std::string> result(number());
    for (std::string& text : result) text = this->text();
    return result;
  }

 private:
  const char* next_;
};

}  // namespace

void Tally::add(const Tally& other) {
  cases += other.cases;
  transfers += other.transfers;
  failures += other.failures;
  skipped += other.skipped;
  above = std::max(above, other.above);
  reasons.insert(other.reasons.begin(), other.reasons.end());
  failed.insert(failed.end(), other.failed.begin(), other.failed.end());
  if (failed.size() > max_failed) failed.resize(max_failed);
}

std::string SweepShare::pack() const {
  Packer out;
  out.put(tallies.size());
  for (const auto& [task, tally] : tallies) {
    out.put(task);
    tally.each_number([&](std::uint64_t number) { out.put(number); });
    out.put_all(tally.reasons);
    out.put_all(tally.failed);
  }
  out.put(error ? 1 : 0);
  if (error) {
    const auto& [task, what] = *error;
    out.put(task);
    out.put(what.status);
    out.put(what.location.file);
    out.put(what.location.line);
    out.put(what.location.column);
    out.put(what.message);
  }
  return out.bytes;
}

SweepShare SweepShare::unpack(const std::string& bytes) {
  Unpacker in(bytes);
  SweepShare result;
  result.tallies.resize(in.number());
  for (auto& [task, tally] : result.tallies) {
    task = in.number();
    tally.each_number([&](std::uint64_t& number) { number = in.number(); });
    for (std::string& reason : in.texts()) tally.reasons.insert(std::move(reason));
    tally.failed = in.texts();
  }
  if (in.number() == 0) return result;
  const std::size_t task = in.number();
  FileError error{static_cast<Status>(in.number()), {}, {}};
  error.location.file = in.text();
  error.location.line = static_cast<std::uint32_t>(in.number());
  error.location.column = static_cast<std::uint32_t>(in.number());
  error.message = in.text();
  result.error = {task, std::move(error)};
  return result;
}

}  // namespace schedcc::cli
