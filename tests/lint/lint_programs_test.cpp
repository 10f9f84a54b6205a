// Folders of programs: the sizes that none or several serve, against a count size by size, and what
// loaders refuse.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/input_text.hpp"
#include "lint/programs.hpp"

using namespace schedcc;

namespace {

LintedProgram serving(std::string file, std::uint64_t first, std::uint64_t last) {
  LintedProgram result;
  result.file = std::move(file);
  result.head.collective = "allreduce";
  result.head.ranks = 4;
  result.head.chunks_per_loop = 4;
  result.head.out_of_place = true;
  result.head.min_bytes = first;
  result.head.max_bytes = last;
  return result;
}

std::uint64_t count(const std::vector<LintFinding>& findings, std::string_view rule) {
  return static_cast<std::uint64_t>(std::ranges::count(findings, rule, &LintFinding::rule));
}

std::vector<LintFinding> sizes(const std::vector<LintedProgram>& programs) {
  std::vector<LintFinding> findings;
  lint_sizes(programs, MscclLoader::rccl, findings);
  return findings;
}

/// A broadcast on two GPUs; `algo` are further attributes.
std::string xml(const std::string& algo, const std::string& before = "") {
  return before + R"(<algo name="b" proto="Simple" ngpus="2" nchunksperloop="1")" + algo + R"(>
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0"><tb id="0" send="1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0"><tb id="0" send="-1" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu>
</algo>
)";
}

const std::string complete =
    R"( nchannels="1" coll="broadcast" inplace="0" outofplace="1" minBytes="0" maxBytes="64")";

std::string without(const std::string& attribute) {
  const std::size_t at = complete.find(" " + attribute + "=");
  const std::size_t end = complete.find('"', complete.find('"', at) + 1) + 1;
  return complete.substr(0, at) + complete.substr(end);
}

std::vector<LintFinding> linted(const std::string& text, MscclLoader loader = MscclLoader::rccl) {
  std::vector<LintFinding> findings;
  lint_program(InputText::of(text), "a.xml", loader, findings);
  std::erase_if(findings, [](const LintFinding& f) { return f.severity == Severity::note; });
  return findings;
}

}  // namespace

TEST_CASE("sizes that none or several programs serve are found as by counting") {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::vector<LintedProgram> programs;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
      const std::uint64_t first = random() % 20;
      programs.push_back(serving(std::string(1, static_cast<char>('a' + i)), first,
                                 random() % 5 == 0 ? UINT64_MAX : first + random() % 6));
    }
    std::vector<int> serve(40);
    for (const LintedProgram& p : programs) {
      for (std::uint64_t n = p.head.min_bytes; n < 40 && n <= p.head.max_bytes; ++n) ++serve[n];
    }
    std::uint64_t gaps = 0;  // runs of 0 between others
    bool before = false, open = false, twice = false;
    for (const int n : serve) {
      gaps += n > 0 && before && open;
      open = n == 0;
      before |= n > 0;
      twice |= n > 1;
    }
    const auto findings = sizes(programs);
    CHECK(count(findings, "gap") == gaps);
    CHECK((count(findings, "overlap") > 0) == twice);
  }
}

TEST_CASE("programs are rivals only for the same calls, and by their chunks") {
  std::vector<LintedProgram> two{serving("a", 0, 9), serving("b", 5, 20)};
  CHECK(count(sizes(two), "overlap") == 1);
  for (const auto change :
       {+[](MscclHead& h) { h.ranks = 8; }, +[](MscclHead& h) { h.collective = "allgather"; },
        +[](MscclHead& h) { h.in_place = !(h.out_of_place = false); },
        +[](MscclHead& h) {
          h.findings.push_back({Severity::error, "refused", {}, ""});
        }}) {
    std::vector<LintedProgram> other = two;
    change(other[1].head);
    CHECK(count(sizes(other), "overlap") == 0);
  }
  // Both in place and out of place is one finding; never taken if the chunks of the first divide.
  std::vector<LintedProgram> same{serving("a", 0, 9), serving("b", 2, 5)};
  for (LintedProgram& p : same) p.head.in_place = true;
  const auto never = sizes(same);
  REQUIRE(never.size() == 1);
  CHECK(never.front().message.find("never") != std::string::npos);
  CHECK(never.front().message.find("calls") == std::string::npos);
  same[0].head.chunks_per_loop = 8;
  CHECK(sizes(same).front().message.find("never") == std::string::npos);
}

TEST_CASE("what the loaders refuse is found") {
  CHECK(linted(xml(complete)).empty());
  for (const char* attribute : {"outofplace", "minBytes", "maxBytes"}) {
    const auto findings = linted(xml(without(attribute)));
    INFO(attribute);
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().rule == "refused");
    CHECK(findings.front().location.line == 1);
  }
  CHECK(linted(xml(without("minBytes")), MscclLoader::msccl).empty());
  const auto declared = linted(xml(complete, "<?xml version=\"1.0\"?>\n"));
  REQUIRE(declared.size() == 1);
  CHECK(declared.front().rule == "refused");
  CHECK(count(linted(xml("\t" + complete)), "refused") == 1);
  std::string word = xml(complete);
  word.replace(word.find("coll=\"broadcast\""), 16, "coll=\"gather\"");
  CHECK(read_msccl_head(word, "a.xml", MscclLoader::rccl).loaded());
  CHECK_FALSE(read_msccl_head(word, "a.xml", MscclLoader::msccl).loaded());
  CHECK_THROWS_AS(linted("<algo/>"), InputError);
}

TEST_CASE("the largest size is included by rccl, and excluded by msccl") {
  const auto head = [](const std::string& algo, MscclLoader loader) {
    return read_msccl_head(xml(algo), "a.xml", loader);
  };
  CHECK(head(complete, MscclLoader::rccl).max_bytes == 64);
  CHECK(head(complete, MscclLoader::msccl).max_bytes == 63);
  CHECK(head(without("maxBytes"), MscclLoader::msccl).max_bytes == (1U << 27) - 1);
  std::string open = complete;
  open.replace(open.find("\"64\""), 4, "\"0\"");
  CHECK(head(open, MscclLoader::rccl).max_bytes == UINT64_MAX);
  CHECK_FALSE(head(open, MscclLoader::msccl).loaded());
}
