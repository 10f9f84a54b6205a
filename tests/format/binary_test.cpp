// The binary format: schedules come back as they were, structure takes few bytes, and no damage
// passes unseen.

#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/core.h>

#include "binary_files.hpp"
#include "core/crc32c.hpp"
#include "formats.hpp"
#include "schedcc/check.hpp"

using namespace schedcc;
using namespace formats;

namespace {

/// Schedules with all that one can have.
const std::vector<std::string>& rich_texts() {
  static const std::vector<std::string> texts{
      "schedcc 1\ncollective broadcast\nranks 4\nroot 0\nchunks 8\n",
      "schedcc 1\ncollective reduce\nranks 3\nroot 2\nchunks 5\nname of mine\nordered\nstep 0\n"
      "0 -> 1 : 0-2,4 reduce\n0 -> 1 : 3\nstep 7 rounds 3\n1 -> 2 : 0 reduce\nstep 9 rounds 2\n",
      "schedcc 1\ncollective allgather\nranks 2\nchunks 1\nmachine kport:k=2\nnodes 3\nstep 0\n"
      "0 -> 2 : 0\n",
      "schedcc 1\ncollective custom\nranks 2\nchunks 3\nordered\npre 0 : 0-1\npre 1 : 0,2\n"
      "post 1 : 0 reduced\npost 1 : 1-2\nstep 4294967295\n0 -> 1 : 0 reduce\n",
      "schedcc 1\ncollective broadcast\nranks 4294967295\nroot 0\nchunks 1\nstep 4294967295\n"
      "0 -> 4294967295 : 4294967295\n4294967295 -> 0 : 0-4294967294\n",
      "schedcc 1\ncollective allgather\nranks 8\nchunks 1\nstep 0\n0 -> 1 : 0\n1 -> 2 : 1\n"
      "2 -> 3 : 2\n3 -> 4 : 3\n4 -> 5 : 4\n5 -> 6 : 5\n6 -> 7 : 6\n7 -> 0 : 7\nstep 1\n"
      "0 -> 1 : 7\n1 -> 2 : 0\n2 -> 3 : 1\n3 -> 4 : 2\n4 -> 5 : 3\n5 -> 6 : 4\n6 -> 7 : 5\n"
      "7 -> 0 : 6\n",
  };
  return texts;
}

std::string through_binary(const Source& source) {
  return written(read(written(source, "binary"), "binary"), "sched");
}

std::string message(const std::string& bytes) { return error(bytes, "binary").message; }

/// Reads all of it. What comes out is read again from what is written of it; empty: an error.
std::string read_all(const std::string& bytes) {
  if (const std::string error = message(bytes); error != "no error") {
    CHECK(error.starts_with("byte "));
    return {};
  }
  Source source = read(bytes, "binary");
  source.machine.clear();  // it may be damaged, which only commands see
  const std::string text = written(source, "sched");
  CHECK(through_binary(source) == text);
  return text;
}

class Random {
 public:
  std::uint32_t below(std::uint64_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ % n);
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

}  // namespace

TEST_CASE("CRC-32C is that of the standard, by the instruction and by tables") {
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c_by_tables("123456789") == 0xE3069283);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);  // RFC 3720, B.4
  std::string bytes;
  Random random;
  for (std::size_t n = 0; n < 200; ++n) {
    CHECK(crc32c(bytes) == crc32c_by_tables(bytes));
    const std::size_t half = n / 2;
    CHECK(crc32c(bytes.substr(half), crc32c(bytes.substr(0, half))) == crc32c(bytes));
    bytes += static_cast<char>(random.below(256));
  }
}

TEST_CASE("all that a schedule can have comes back from binary files") {
  for (const std::string& text : rich_texts()) {
    const std::string bytes = written(read(text, "sched"), "binary");
    CHECK(find_format("binary").recognises(bytes));
    CHECK(written(read(bytes, "binary"), "sched") == text);
    CHECK(written(read(bytes, "binary"), "binary") == bytes);
  }
}

TEST_CASE("the files in schedules/ come back") {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SCHEDCC_SOURCE "/schedules")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".sched")) continue;
    const Source source = read_file(path);
    const Source back = find_format("binary").read(written(source, "binary"), path);
    INFO(path);
    CHECK(written(back, "sched") == written(source, "sched"));
    ++files;
  }
  CHECK(files > 20);
}

TEST_CASE("irregular blocks come back") {
  Random random;
  for (const Collective collective :
       {Collective::allgather, Collective::alltoall, Collective::scatter}) {
    Problem problem;
    problem.collective = collective;
    problem.ranks = 9;
    BlockSizes sizes(block_count(collective, 9));
    for (std::uint32_t& size : sizes) size = random.below(3) * random.below(100000);
    const auto empty = std::make_shared<const Schedule>();
    const Source source = from_schedule(with_block_sizes(problem, sizes), empty);
    CHECK(through_binary(source) == written(source, "sched"));
  }
}

TEST_CASE("any mixture of structure and noise comes back") {
  Random random;
  for (int trial = 0; trial < 60; ++trial) {
    auto schedule = std::make_shared<Schedule>();
    std::vector<Transfers> steps;
    const std::uint32_t noise = random.below(4) == 0 ? 3 : 40;
    for (std::uint64_t t = 0; t < 20; ++t) {
      Transfers step;
      if (t > 0 && random.below(3) > 0) step = steps[random.below(t)];
      const Transfer shift{random.below(3), random.below(3) - 1, random.below(9) - 4, 0, 0};
      for (Transfer& s : step) {
        s.src += shift.src;
        s.dst += shift.dst;
        s.first = (s.first + shift.first) % 1000000;
        if (random.below(noise) == 0) s.first = random.below(UINT32_MAX - 1000);
      }
      const std::uint32_t more = random.below(60), chunk = random.below(100000);
      for (std::uint32_t i = 0; i < more; ++i)
        step.push_back(copy(i, i * 3, chunk + 7 * i, 1 + random.below(2)));
      schedule->begin_step(2 * t + random.below(2), 1 + random.below(2));
      for (const Transfer& s : step) schedule->add(s);
      steps.push_back(std::move(step));
    }
    const Source source = from_schedule(custom_problem(5, 5), schedule);
    if (through_binary(source) != written(source, "sched")) FAIL_CHECK("trial " << trial);
  }
}

TEST_CASE("schedules longer than what groups refer to come back") {
  const Algorithm& pairwise = find_algorithm("pairwise");
  Request request;
  request.problem.collective = Collective::alltoall;
  request.problem.ranks = 1600;  // 2.6 M transfers, above 2 * 2^20
  request.parameters = Spec{}.check(pairwise.parameters, "pairwise");
  request.machine = make_machine("duplex", 1600);
  const Source source = from_algorithm(pairwise, request, "pairwise");
  const std::string bytes = written(source, "binary");
  const Source back = read(bytes, "binary");
  const auto a = source.open(), b = back.open();
  Step x, y;
  bool same = true;
  while (a->next(x)) {
    same &= b->next(y) && x.number == y.number && x.transfers.size() == y.transfers.size() &&
            std::memcmp(x.transfers.data(), y.transfers.data(), x.transfers.size_bytes()) == 0;
  }
  CHECK(same);
  CHECK(!b->next(y));
}

TEST_CASE("what repeats takes few bytes") {
  // By how much the file is to be shorter than the text, at least.
  const std::map<std::string, std::size_t> least{
      {"ring", 100}, {"pairwise", 100}, {"xor", 30}, {"circulant", 15}, {"recursive-doubling", 30}};
  for (const auto& [name, factor] : least) {
    const Algorithm& algorithm = find_algorithm(name);
    Request request;
    request.parameters = Spec{}.check(algorithm.parameters, name);
    request.problem.collective = algorithm.collectives.front();
    request.problem.ranks = 256;
    request.problem.chunks = request.problem.in_blocks() ? 1 : 512;
    request.machine = make_machine(algorithm.machines_for(request.parameters).front(), 256);
    const Source source = from_algorithm(algorithm, request, name);
    const std::size_t text = written(source, "sched").size();
    const std::size_t bytes = written(source, "binary").size();
    INFO(name << ": " << text << " bytes of text, " << bytes << " binary");
    CHECK(bytes * factor < text);
  }
}

TEST_CASE("every damaged byte and every missing end is an error") {
  for (const std::string& text : rich_texts()) {
    const std::string bytes = written(read(text, "sched"), "binary");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      if (!read_all(bytes.substr(0, length)).empty()) FAIL_CHECK("cut at byte " << length);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ change);
        if (!read_all(damaged).empty()) FAIL_CHECK("byte " << i << " ^ " << change);
      }
    }
    CHECK(message(bytes + "x") ==
          fmt::format("byte {}: there is data after the last block", bytes.size()));
  }
}

TEST_CASE("files that are wrong under right checksums are errors, or schedules like others") {
  for (const std::string& text : rich_texts()) {
    const std::string bytes = written(read(text, "sched"), "binary");
    std::size_t errors = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
        errors += read_all(binary_files::resealed(changed)).empty() ? 1 : 0;
      }
    }
    CHECK(errors > bytes.size());
  }
}

TEST_CASE("what is wrong in a binary file is named with its byte") {
  using namespace binary_files;
  const std::string problem = "schedcc 1\ncollective broadcast\nranks 4\nroot 0\nchunks 8\n";
  const std::string header = head() + block(0, 1, problem);
  const auto steps = [&](const std::string& payload) { return header + block(1, 4, payload); };
  CHECK(header.size() == 91);
  CHECK(message("") == "byte 0: a binary schedule begins with the bytes 89 53 43 42");
  CHECK(message(head().substr(0, 9)) == "byte 9: the file ends within its first 20 bytes");
  CHECK(message(head(2)) == "byte 8: unsupported format version 2; supported is 1");
  CHECK(message(head().replace(12, 1, "x")) ==
        "byte 16: the file header is damaged: its checksum does not match");
  CHECK(message(head(1, (1 << 20) + 1)) ==
        "byte 12: groups refer to at most 1048576 rows before them, not 1048577");
  CHECK(message(head()) == "byte 20: the file ends without block 0, before the last one");
  CHECK(message(header) == "byte 91: the file ends without block 1, before the last one");
  CHECK(message(head() + block(0, 4, "x")) == "byte 20: the first block is not a header block");
  CHECK(message(head() + block(0, 7, "x")) == "byte 24: block 0 has the unknown kind 7");
  CHECK(message(head() + block(1, 1, problem)) == "byte 20: this is block 0, not 1");
  CHECK(message(head() + block(0, 1, "")) == "byte 28: block 0 has 1 to 1048576 bytes, not 0");
  CHECK(message(header + block(1, 1, "rank 7\n") + end_block(2, 0, 0)) ==
        "byte 103: unknown directive 'rank'; did you mean 'ranks'?");
  CHECK(message(header + block(1, 1, "step 0\n") + end_block(2, 0, 0)) ==
        "byte 103: unexpected line in the header");
  CHECK(message(header + block(1, 2, group(1, 0, 0, {0, 0, 0, 0}))) ==
        "byte 91: only a custom collective has 'pre' and 'post' lines");
  CHECK(message(steps(group(1, 0, 0, {0, 1, 0, 1}))) == "byte 103: a group before the first step");
  CHECK(message(steps("\7")) == "byte 103: unknown item kind 7");
  const std::string step("\0\0\1", 3);
  CHECK(message(steps(std::string("\0\0\0", 3))) == "byte 103: a step must take at least 1 round");
  CHECK(message(steps(std::string("\0\xff\xff\xff\xff\x1f\1", 7))) ==
        "byte 104: the number of the step must be below 2^32");
  CHECK(message(steps(std::string("\0\x80\0\1", 4))) ==
        "byte 104: the number of the step is not in its shortest form");
  CHECK(message(steps(std::string("\0\xff\xff\xff\xff\x0f\1\0\0\1", 10))) ==
        "byte 110: step 4294967296 is above 2^32 - 1");
  CHECK(message(steps(step + group(0, 0, 0, {0, 1, 0, 1}))) ==
        "byte 107: a group must have at least 1 row");
  CHECK(message(steps(step + group(1, 1, 0, {0, 1, 0, 1}))) ==
        "byte 107: a group refers to the row 1 before it; there are 0");
  CHECK(message(steps(step + group(1, 0, 0, {0, 1, 0, 0}))) ==
        "byte 106: the group has a transfer of no chunks, or of some above 2^32 - 1, in step 0");
  CHECK(message(steps(step + group(1, 0, 0, {0, 1, UINT32_MAX, 2}))) ==
        "byte 106: the group has a transfer of no chunks, or of some above 2^32 - 1, in step 0");
  CHECK(message(steps(step + group(5, 0, 3, {0, 1, 0, 1}) + "1234")) ==
        "byte 114: a column of a group needs 20 bytes, and 4 are left");
  const std::string good = steps(step + group(4, 0, 0, {0, 1, 0, 1}));
  CHECK(message(good + block(2, 1, "x")) ==
        fmt::format("byte {}: a header block after the header", good.size()));
  CHECK(message(good + end_block(2, 1, 4)) == "no error");
  CHECK(message(good + end_block(2, 1, 5)) ==
        fmt::format("byte {}: the file states 1 steps and 5 transfers, but contains 1 and 4",
                    good.size() + 12));
}

TEST_CASE("wrong lines of custom collectives are errors") {
  using namespace binary_files;
  const std::string header =
      head() + block(0, 1, "schedcc 1\ncollective custom\nranks 4\nchunks 8\n");
  const auto at = std::to_string(header.size() + 12) + ": ";
  const auto line = [&](std::uint32_t kind, const std::string& payload) {
    return message(header + block(1, kind, payload) + end_block(2, 0, 0));
  };
  const auto run = [](const Row& row) { return group(1, 0, 1, row) + std::string(1, '\0'); };
  CHECK(line(2, run({1, 0, 2, 7})) == "no error");
  CHECK(line(3, run({1, 1, 2, 7})) == "no error");
  CHECK(line(2, run({4, 0, 2, 7})) == "byte " + at + "rank 4 does not exist; ranks are 0..3");
  CHECK(line(2, run({1, 0, 2, 8})) == "byte " + at + "chunk 8 does not exist; chunks are 0..7");
  CHECK(line(2, run({1, 0, 2, 1})) == "byte " + at + "the run of chunks 2 to 1 is empty");
  CHECK(line(2, run({1, 1, 2, 2})) == "byte " + at + "only 'post' lines are reduced");
  CHECK(line(2, run({1, 2, 2, 2})) ==
        "byte " + at + "the run is not one of line 0 of this kind, nor of the next");
  CHECK(line(2, group(1, 0, 0, {1, 0, 2, 2})) ==
        fmt::format("byte {}: each run of a 'pre' or 'post' line takes at least a byte",
                    header.size() + 13));
  CHECK(line(2, std::string("\0\0\1", 3)) ==
        "byte " + at + "a 'pre' or 'post' block has only groups");
}
