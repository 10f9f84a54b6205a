// The .sched format: canonical files come back to the byte, others in canonical form, and malformed
// ones are rejected at the right location.

#include <fmt/core.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "format/sched/lines.hpp"
#include "format/sched/reader.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

class StringOutput : public Output {
 public:
  void write(std::string_view piece) override { text += piece; }
  std::string text;
};

std::string written(const Source& source) {
  StringOutput out;
  find_format("sched").write(source, {}, out);
  return out.text;
}

std::string again(const std::string& text) {
  return written(read_sched(InputText::of(text), "test"));
}

struct Error {
  std::uint32_t line = 0, column = 0;
  std::string message;
};

Error error(const std::string& text) {
  try {
    const Source source = read_sched(InputText::of(text), "test");
    const auto stream = source.open();
    for (Step step; stream->next(step);) {
    }
  } catch (const InputError& e) {
    CHECK(e.location.file == "test");
    return {e.location.line, e.location.column, e.what()};
  }
  return {0, 0, "no error"};
}

const std::string head = "schedcc 1\ncollective broadcast\nranks 4\nroot 0\nchunks 8\n";

}  // namespace

TEST_CASE("canonical files come back to the byte") {
  for (const std::string& text : {
           head,
           head + "machine kport:k=2\nname a tree of mine\nstep 0\n0 -> 1 : 0-7\nstep 7\n0 -> 2 : "
                  "1,3-4\n",
           std::string("schedcc 1\ncollective reduce\nranks 3\nroot 2\nchunks 1\nordered\nstep 0\n"
                       "0 -> 1 : 0 reduce\nstep 1 rounds 3\n1 -> 2 : 0 reduce\n"),
           std::string(
               "schedcc 1\ncollective allgather\nranks 2\nchunks 1\nnodes 3\nstep 0\n0 -> 2 : 0\n"),
           std::string("schedcc 1\ncollective custom\nranks 2\nchunks 3\npre 0 : 0-1\npre 1 : 0,2\n"
                       "post 0 : 0 reduced\npost 1 : 1-2\n"),
           std::string("schedcc 1\ncollective broadcast\nranks 4294967295\nroot 0\nchunks 1\nstep "
                       "4294967295\n0 -> 4294967295 : 4294967295\n"),
       }) {
    CHECK(again(text) == text);
  }
}

TEST_CASE("what algorithms write is canonical") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Collective collective : algorithm->collectives) {
      for (const std::uint32_t K : {3U, 16U}) {
        Request r;
        r.problem.collective = collective;
        r.problem.ranks = 8;
        r.problem.chunks = K;
        r.problem.root = r.problem.rooted() ? 5 : 0;
        r.parameters = Spec{}.check(algorithm->parameters, "");
        r.machine = make_machine(algorithm->machines_for(r.parameters).front(), 8);
        const bool multiple = algorithm->name == "bfb";              // of some number
        if ((K == 3 || multiple) && algorithm->reason(r)) continue;  // it needs more chunks
        const std::string text =
            written(from_algorithm(*algorithm, r, std::string(algorithm->name)));
        CHECK(again(text) == text);
      }
    }
  }
}

TEST_CASE("other files are brought into canonical form") {
  CHECK(again("schedcc 1 # a comment\r\n\r\nchunks 8\r\n  root\t0 # here\nranks 4\ncollective "
              "broadcast\n"
              "step 3\nstep 5\n0 -> 1 : 5,0-3,4 # merged\n0 -> 2 : 1\n0 -> 1 : 7\n") ==
        head + "step 5\n0 -> 1 : 0-5,7\n0 -> 2 : 1\n");
  CHECK(again("schedcc 1\ncollective broadcast\nranks 4\nchunks 8") ==
        head);  // defaults, no newline
  CHECK(again(head + "step 0\n0 -> 1 : 1-3,2\n") == head + "step 0\n0 -> 1 : 1-3,2\n");  // not lost
  const std::string most = head + "step 0\n0 -> 1 : 0-4294967293,4294967294-4294967295\n";
  CHECK(again(head + "step 0\n0 -> 1 : 0-4294967295\n") == most);  // too long for one range
  CHECK(again(most) == most);
  CHECK(again("schedcc 1\ncollective custom\nranks 1\nchunks 2\npre 0 : 1 # x\n") ==
        "schedcc 1\ncollective custom\nranks 1\nchunks 2\npre 0 : 1\n");
}

TEST_CASE("malformed files are rejected where they are wrong") {
  const auto at = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                     const std::string& message) {
    const Error e = error(text);
    INFO(text);
    CHECK(e.message == message);
    CHECK(e.line == line);
    CHECK(e.column == column);
  };
  at("", 1, 1, "missing first line 'schedcc 1'");
  at("hello\n", 1, 1, "missing first line 'schedcc 1'");
  at("schedcc 2\n", 1, 9, "unsupported format version 2; supported is 1");
  at("schedcc 1 x\n", 1, 11, "unexpected 'x' at the end of the line");
  at("schedcc 1\nrank 3\n", 2, 1, "unknown directive 'rank'; did you mean 'ranks'?");
  at("schedcc 1\nranks 3\nranks 3\n", 3, 1, "duplicate 'ranks' (first on line 2)");
  at("schedcc 1\nranks 4294967296\n", 2, 7, "the number of ranks must be below 2^32");
  at("schedcc 1\nranks -1\n", 2, 7, "the number of ranks must be a whole number, not '-1'");
  at("schedcc 1\nranks 0\n", 2, 7, "the number of ranks must be at least 1");
  at("schedcc 1\nranks 4x\n", 2, 7, "the number of ranks must be a whole number, not '4x'");
  at("schedcc 1\ncollective broadcst\n", 2, 12,
     "unknown collective 'broadcst'; did you mean 'broadcast'?");
  at("schedcc 1\ncollective broadcast\nranks 2\nroot 2\n", 4, 6,
     "root 2 does not exist; ranks are 0..1");
  at("schedcc 1\ncollective alltoall\nranks 2\nroot 0\n", 4, 1, "alltoall has no root");
  at("schedcc 1\ncollective alltoall\nranks 70000\n", 3, 1,
     "alltoall over 70000 ranks with 1 chunk a block has more than 2^32 - 1 chunks");
  at("schedcc 1\ncollective broadcast\nranks 2\nordered\n", 4, 1,
     "only reductions can be ordered; broadcast is not a reduction");
  at("schedcc 1\ncollective broadcast\nranks 2\npre 0 : 0\n", 4, 5,
     "only a custom collective has 'pre' and 'post' lines");
  at("schedcc 1\ncollective custom\nranks 2\nchunks 2\npre 2 : 0\n", 5, 5,
     "rank 2 does not exist; ranks are 0..1");
  at("schedcc 1\ncollective custom\nranks 2\nchunks 2\npost 1 : 0-2\n", 5, 6,
     "chunk 2 does not exist; chunks are 0..1");
  at("schedcc 1\nranks 2\n", 3, 1, "missing 'collective' line in the header");
  at("schedcc 1\n0 -> 1 : 0\n", 2, 1, "a transfer before the first 'step'");
  at(head + "step 1\nstep 1\n", 7, 6, "step 1 comes after step 1; step numbers rise");
  at(head + "step 1 rounds 0\n", 6, 15, "a step must take at least 1 round");
  at(head + "step 1 round 2\n", 6, 8, "expected 'rounds' after the step, not 'round'");
  at(head + "step 0\n0 > 1 : 0\n", 7, 3, "expected '->' after the sender, not '>'");
  at(head + "step 0\n0 -> : 0\n", 7, 6, "the receiver must be a whole number, not ':'");
  at(head + "step 0\n0 -> 1\n", 7, 7, "':' after the receiver is missing");
  at(head + "step 0\n0 -> 1 :\n", 7, 9, "missing a range of chunks");
  at(head + "step 0\n0 -> 1 : 3-1\n", 7, 10,
     "the range 3-1 is empty: the first chunk is above the last");
  at(head + "step 0\n0 -> 1 : 1,\n", 7, 10, "a chunk must be a whole number, not '1,'");
  at(head + "step 0\n0 -> 1 : 1;2\n", 7, 10, "'1;2' is not a list of ranges like 4,6-7");
  at(head + "step 0\n0 -> 1 : 1 copy\n", 7, 12, "expected 'reduce' after the chunks, not 'copy'");
  at(head + "step 0\n0 -> 1 : 1 reduce x\n", 7, 19, "unexpected 'x' at the end of the line");
  at(head + "step 0\nranks 3\n", 7, 1,
     "expected a transfer 'SRC -> DST : CHUNKS' or 'step', not 'ranks'; header lines must "
     "precede the first step");
  at(head + "step 0\n0 -> 1 : 1 \x01\n", 7, 12, "expected 'reduce' after the chunks, not '\\x01'");
}

TEST_CASE("a header alone demands nothing") {
  const Source source = read_sched(
      InputText::of(
          "schedcc 1\ncollective broadcast\nranks 4294967295\nchunks 2147483647\nstep 0\n0 -> "
          "4294967294 : "
          "2147483646\n"),
      "test");
  const Report report = check(source, make_machine("duplex", source.problem.ranks));
  CHECK(report.verdict() == Verdict::violated);
  CHECK(report.findings_total == 4294967294u);  // all but the root lack something
}

TEST_CASE("numbers of every length are written as in decimal") {
  std::vector<std::uint64_t> numbers{0, UINT32_MAX, std::uint64_t{1} << 32, UINT64_MAX};
  for (std::uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
    for (const std::uint64_t factor : {1, 2, 9})
      for (const std::uint64_t less : {0, 1}) numbers.push_back(power * factor - less);
  }
  for (const std::uint64_t number : numbers) {
    std::array<char, 32> buffer;
    const std::string_view text(buffer.data(), put_number(buffer.data(), number));
    CHECK(text == std::to_string(number));
  }
}

TEST_CASE("long headers and messages are written in many pieces, and come back") {
  std::vector<Holding> pre;
  std::string lines, message = "4000000000 -> 4000000001 : ";
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(3, 4'000'000'000);
  for (Chunk c = 0; c < 30'000; ++c) {
    const Chunk first = c * 140'000, count = 1 + c % 3;
    const std::string run =
        count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
    pre.push_back({c, {{first, count}}, false});
    lines += fmt::format("pre {} : {}\n", c, run);
    schedule->add(copy(4'000'000'000, 4'000'000'001, first, count));
    message += (c > 0 ? "," : "") + run;
  }
  const std::string text = written(from_schedule(
      custom_problem(4'000'000'002, UINT32_MAX, std::move(pre)), std::move(schedule)));
  CHECK(text.ends_with(lines + "step 3 rounds 4000000000\n" + message + "\n"));
  CHECK(again(text) == text);
}
