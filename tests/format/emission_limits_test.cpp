// Large numbers in the header of a file must not cause work: a schedule with few transfers is
// written in little space by every format, or refused with a message. Tested with all formats and
// extreme headers.

#include <string>
#include <vector>

#include "formats.hpp"

using namespace schedcc;

namespace {

struct OutputTooLong : std::runtime_error {
  OutputTooLong() : std::runtime_error("more is written than the schedule does") {}
};

struct ShortOutput : Output {
  void write(std::string_view piece) override {
    written += piece.size();
    if (written > 64'000'000) throw OutputTooLong();
  }
  std::uint64_t written = 0;
};

/// "written", or why it is refused.
std::string outcome(const Source& source, const Format& format, const std::string& spec) {
  EmitOptions options;
  options.parameters = Spec::parse(spec).check(format.parameters, spec);
  ShortOutput out;
  try {
    format.write(source, options, out);
  } catch (const InputError& e) {
    return e.what();
  }
  return "written";
}

}  // namespace

TEST_CASE("every format writes or refuses what only a header makes large") {
  const std::vector<std::string> headers{
      "collective broadcast\nranks 4294967294\nroot 0\nchunks 1\n",
      "collective allreduce\nranks 4294967294\nchunks 2147483647\n",
      "collective broadcast\nranks 2\nroot 0\nchunks 2147483647\n",
      "collective reduce\nranks 2\nroot 0\nchunks 2147483647\n",
      "collective allgather\nranks 65535\nchunks 65535\n",
      "collective scatter\nranks 1000\nroot 7\nchunks 4294967\n",
      "collective custom\nranks 4294967294\nchunks 4294967294\npre 0 : 0-4294967293\n"
      "post 1 : 0-4294967293\n",
      "collective custom\nranks 2\nchunks 4294967294\npre 0 : 0-4294967293\n"
      "pre 1 : 0-4294967293\npost 0 : 0-4294967293 reduced\n",
      "collective broadcast\nranks 4\nroot 0\nchunks 1\nnodes 4294967294\n"};
  for (const std::string& header : headers) {
    const Source source = formats::read("schedcc 1\n" + header + "step 0\n0 -> 1 : 0\n", "sched");
    for (const Format* format : schedcc::formats()) {
      if (!format->writable) continue;
      std::vector<std::string> specs{std::string(format->name)};
      if (format->name == "dot") specs.push_back("dot:view=steps");
      if (format->name == "cpp") specs.push_back("cpp:rank=1");
      for (const std::string& spec : specs) {
        INFO(spec << "\n" << header);
        const std::string result = outcome(source, *format, spec);
        INFO(result);
        CHECK((result == "written" || result.size() > 20));
        CHECK(result.find("memory") == std::string::npos);
      }
    }
  }
}

TEST_CASE("errors about the limits of formats state the numbers") {
  const Source source = formats::read(
      "schedcc 1\ncollective broadcast\nranks 4294967294\nroot 0\nchunks 1\nstep 0\n0 -> 1 : 0\n",
      "sched");
  const auto refusal = [&](const std::string& format) {
    return outcome(source, find_format(format), format);
  };
  CHECK(refusal("goal") == "GOAL serves at most 4194304 ranks, not 4294967294");
  CHECK(refusal("sccl") == "SCCL, a link for each pair, serves at most 4096 ranks, not 4294967294");
  CHECK(refusal("cpp") == "a C++ table serves at most 16777216 ranks, not 4294967294");
  CHECK(refusal("mpi") == "an MPI program serves at most 16777216 ranks, not 4294967294");
  CHECK(refusal("dot") == "a picture serves at most 65536 ranks, not 4294967294");
  CHECK(refusal("trace") == "a timeline serves at most 1048576 ranks, not 4294967294");
  CHECK(refusal("ti") ==
        "a trace for SimGrid, a file for each rank, serves at most 65536 ranks, not 4294967294");
}
