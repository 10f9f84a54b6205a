// SCCL's JSON: an algorithm that is written and read again is the same, contradictions are refused
// with the location, and contributions that are counted twice are found.

#include <memory>
#include <sstream>

#include "formats.hpp"
#include "schedcc/check.hpp"

using namespace schedcc;
using namespace formats;

namespace {

/// The same with its steps numbered without gaps.
Source without_gaps(const Source& source) {
  auto schedule = std::make_shared<Schedule>();
  const auto stream = source.open();
  std::uint64_t number = 0;
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    schedule->begin_step(number++, step.rounds);
    for (const Transfer& t : step.transfers) schedule->add(t);
  }
  Source result = source;
  result.open = [schedule] { return schedcc::stream(std::shared_ptr<const Schedule>(schedule)); };
  return result;
}

}  // namespace

TEST_CASE("SCCL comes back as the same steps") {
  std::size_t schedules = 0;
  each_source([&](const Source& source) {
    std::string text;
    try {
      text = written(source, "sccl");
    } catch (const InputError& e) {
      if (std::string_view(e.what()).starts_with("SCCL does not say")) FAIL_CHECK(e.what());
      return;  // another test says what SCCL has no words for
    }
    ++schedules;
    const Source back = read(text, "sccl");
    Source expected = source;
    expected.machine = back.machine;
    if (source.problem.ranks == 1) expected.problem = back.problem;
    expected.title = back.title;
    expected.nodes = back.nodes;  // without routers the two levels have the same steps
    if (written(without_gaps(back), "sched") != written(without_gaps(expected), "sched")) {
      FAIL_CHECK(source.name << ": " << describe(source.problem) << "\n"
                             << written(without_gaps(back), "sched") << "\nnot\n"
                             << written(without_gaps(expected), "sched"));
    }
    if (!find_format("sccl").recognises(text)) FAIL_CHECK("SCCL is not recognised");
  });
  CHECK(schedules > 100);
}

namespace {

/// A reduction along three ranks.
const std::string reduction = R"J({"msccl_type":"algorithm","name":"tree","instance":
{"msccl_type":"instance","steps":2,"extra_rounds":1,"chunks":1,"pipeline":null,"extra_memory":null,"allow_exchange":false},
"input_map":{"0":[0],"1":[0],"2":[0]},"output_map":{"0":[0]},"steps":[
{"msccl_type":"step","rounds":1,"sends":[[0,2,1]]},
{"msccl_type":"step","rounds":2,"sends":[[0,1,0]]}],
"collective":{"msccl_type":"collective","name":"Reduce(n=3,root=0)","nodes":3,"chunks":[
{"msccl_type":"chunk","pre":[0],"post":[0],"addr":0},
{"msccl_type":"chunk","pre":[1],"post":[0],"addr":0},
{"msccl_type":"chunk","pre":[2],"post":[0],"addr":0}],"triggers":{},"runtime_name":"custom"},
"topology":{"msccl_type":"topology","name":"Line3","switches":[[[2,1],[1,0],1,"s"]],"links":
[[0,1,0],[1,0,1],[0,1,0]]}})J";

/// The same file with a change is refused at this location.
void refused(const std::string& from, const std::string& to, std::uint32_t line,
             std::uint32_t column, const std::string& message) {
  at("sccl", replaced(reduction, from, to), line, column, message);
}

}  // namespace

TEST_CASE("what the steps of an SCCL file say twice or point to is checked at its location") {
  CHECK(written(read(reduction, "sccl"), "sched") ==
        "schedcc 1\ncollective reduce\nranks 3\nroot 0\nchunks 1\nmachine kport:k=2\nname tree\n"
        "step 0\n2 -> 1 : 0 reduce\nstep 1 rounds 2\n1 -> 0 : 0 reduce\n");
  refused("[[0,2,1]]", "[[0,2,0]]", 4, 42, "there is no link from 2 to 0");
  refused("[[0,2,1]]", "[[0,2,3]]", 4, 42, "rank 3 does not exist; ranks are 0..2");
  refused("[[0,2,1]]", "[[1,2,1]]", 4, 42, "no chunk has address 1");
  refused("[[0,2,1]]", "[[0,2,1],[0,2,1]]", 4, 50, "address 0 goes from 2 to 1 twice in step 0");
  refused("[[0,2,1]]", "[[0,2,1],[0,1,0]]", 4, 50,
          "switch 's' carries more than 1 chunk in step 0");
  refused("[[0,2,1]]", "[[0,2]]", 4, 42, "a send must have 3 items, not 2");
  refused("\"steps\":2", "\"steps\":3", 2, 1, "the instance has 3 steps, but there are 2");
  refused("\"extra_rounds\":1", "\"extra_rounds\":0", 2, 1,
          "the instance has 0 extra rounds, but there are 1");
  refused("\"nodes\":3", "\"nodes\":4", 11, 1, "'links' has rows for 3 ranks, but there are 4");
  refused("[1,0,1]", "[1,0]", 11, 1, "a row of 'links' has 2 ranks, but there are 3");
  refused("\"pre\":[1]", "\"pre\":[2]", 9, 1, "rank 2 has two chunks of address 0");
  refused("\"pre\":[1]", "\"pre\":[1,2]", 8, 1,
          "several chunks have address 0, so each begins at one rank");
  refused("\"pre\":[1],\"post\":[0]", "\"pre\":[1],\"post\":[1]", 8, 1,
          "the chunks of address 0 end at different ranks");
  refused("\"pre\":[1]", "\"pre\":[3]", 8, 30, "rank 3 does not exist; ranks are 0..2");
  refused("\"pre\":[1]", "\"pre\":[1,1]", 8, 32, "duplicate rank 1");
}

TEST_CASE("what the maps of an SCCL file say twice or point to is checked at its location") {
  refused("\"0\":[0],\"1\"", "\"0\":[7],\"1\"", 3, 19, "no chunk has address 7");
  refused("\"0\":[0],\"1\"", "\"0\":[0,0],\"1\"", 3, 14, "duplicate address 0");
  refused("\"0\":[0],\"1\"", "\"1\":[0],\"1\"", 3, 22, "duplicate rank 1");
  refused("\"0\":[0],\"1\"", "\"9\":[0],\"1\"", 3, 14, "rank 9 does not exist; ranks are 0..2");
  refused("\"0\":[0],\"1\"", "\"-1\":[0],\"1\"", 3, 14, "'-1' is not a rank");
  refused("\"0\":[0],\"1\":[0],", "\"0\":[0],", 3, 13, "'input_map' lacks address 0 for rank 1");
  refused("\"0\":[0],\"1\":[0],", "\"0\":[0],\"1\":[],", 3, 22,
          "'input_map' lacks address 0 for rank 1");
  refused("\"output_map\":{\"0\"", "\"output_map\":{\"1\"", 3, 58,
          "rank 1 does not end with address 0");
  refused("\"output_map\":{\"0\":[0]}", "\"output_map\":{}", 3, 52,
          "'output_map' lacks address 0 for rank 0");
  refused("\"chunks\":1,", "\"chunks\":2,", 3, 14, "'input_map' lacks address 1 for rank 0");
}

TEST_CASE("what an SCCL file says of its collective is checked at its location") {
  refused("n=3", "n=4", 6, 48, "'Reduce(n=4,root=0)' has 4 ranks, but there are 3 nodes");
  refused("n=3", "n=x", 6, 48, "in 'Reduce(n=x,root=0)' no number follows 'n='");
  refused("root=0", "root=3", 6, 48, "rank 3 does not exist; ranks are 0..2");
  refused(
      "root=0", "root=1", 7, 1,
      "the chunk starts at ranks 0-2 and ends at rank 0; 'Reduce(n=3,root=1)' has no such chunk");
  refused("Reduce(n=3,root=0)", "Allreduce(n=3)", 7, 1,
          "the chunk starts at ranks 0-2 and ends at rank 0; 'Allreduce(n=3)' has no such chunk");
  refused("root=0)", "root=0),chunks=2", 6, 48,
          "'Reduce(n=3,root=0),chunks=2' needs 2 blocks, but the chunks form 1 block");
  refused("\"custom\"", "\"allreduce\"", 9, 84,
          "'name' states the collective 'Reduce(n=3,root=0)', but this field states allreduce");
  refused("\"custom\"", "\"everything\"", 9, 84,
          "no runtime of MSCCL has a collective 'everything'");
  refused("\"triggers\":{}", "\"triggers\":{\"0\":{}}", 9, 67, "triggers are not supported");
  refused("\"step\",\"rounds\":1", "\"stop\",\"rounds\":1", 4, 15,
          "'msccl_type' must be 'step', not 'stop'");
  refused("\"Line3\",", "\"Line3\",\"width\":3,", 10, 52,
          "a topology has no field 'width'; there are msccl_type, name, switches, links");
}

namespace {

/// Three ranks, all linked, and one address to which all contribute.
std::string sccl_sum(const std::string& collective, const std::string& post,
                     const std::string& output, const std::string& steps) {
  std::string text = R"J({"msccl_type":"algorithm","name":"x","instance":
{"msccl_type":"instance","steps":STEPS,"extra_rounds":0,"chunks":1},
"input_map":{"0":[0],"1":[0],"2":[0]},"output_map":OUTPUT,"steps":[)J";
  const auto replace = [&](const std::string& what, const std::string& with) {
    text = replaced(std::move(text), what, with);
  };
  replace("STEPS", std::to_string(1 + std::ranges::count(steps, ';')));
  replace("OUTPUT", output);
  std::istringstream in(steps);
  const char* comma = "";
  for (std::string sends; std::getline(in, sends, ';'); comma = ",") {
    text += std::string(comma) + R"J({"msccl_type":"step","rounds":1,"sends":[)J" + sends + "]}";
  }
  text += R"J(],"collective":{"msccl_type":"collective","name":")J" + collective +
          R"J(","nodes":3,"chunks":[)J";
  for (const char* rank : {"0", "1", "2"}) {
    text += std::string(*rank == '0' ? "" : ",") + R"J({"msccl_type":"chunk","pre":[)J" + rank +
            R"J(],"post":)J" + post + R"J(,"addr":0})J";
  }
  return text + R"J(],"triggers":{},"runtime_name":"custom"},
"topology":{"msccl_type":"topology","name":"Full3","switches":[],"links":
[[0,1,1],[1,0,1],[1,1,0]]}})J";
}

std::string sccl_verdict(const std::string& text) {
  const Source source = read(text, "sccl");
  const Report report = check(source, make_machine(source.machine, 3));
  std::string findings;
  for (const Finding& f : report.findings)
    findings += std::string(f.check) + ": " + f.message + "\n";
  return report.verdict() == Verdict::holds && findings.empty() ? "holds" : findings;
}

}  // namespace

TEST_CASE("contributions that are counted twice in SCCL are found") {
  const auto reduce = [](const std::string& steps) {
    return sccl_verdict(sccl_sum("Reduce(n=3,root=0)", "[0]", "{\"0\":[0]}", steps));
  };
  CHECK(reduce("[0,2,1];[0,1,0]") == "holds");
  CHECK(reduce("[0,2,0],[0,1,0]") == "holds");
  const auto twice = [](const std::string& verdict, const std::string& ranks) {
    return verdict.starts_with("delivery: rank 0 ends with a wrong chunk 0: the contribution of " +
                               ranks + " is counted twice: ");
  };
  CHECK(twice(reduce("[0,2,1],[0,2,0];[0,1,0]"), "rank 2"));
  CHECK(twice(reduce("[0,2,1];[0,1,0];[0,1,0]"), "ranks 1-2"));
  CHECK(twice(reduce("[0,2,1];[0,2,1];[0,1,0]"), "rank 2"));
  // A part of the sum goes to whom it came from, and is not what that had, once more.
  CHECK(twice(reduce("[0,1,2];[0,2,1];[0,1,0]"), "rank 1"));

  const auto all = [](const std::string& steps) {
    return sccl_verdict(
        sccl_sum("Allreduce(n=3)", "[0,1,2]", R"({"0":[0],"1":[0],"2":[0]})", steps));
  };
  // The complete sum replaces what is a part of it, and is not combined with itself.
  CHECK(all("[0,2,1];[0,1,0];[0,0,1],[0,0,2]") == "holds");
  CHECK(all("[0,1,0],[0,2,0],[0,0,1],[0,2,1],[0,0,2],[0,1,2]")
            .starts_with("agreement: ranks 0 and 1 end with different sums of chunk 0"));
  CHECK(twice(all("[0,2,1];[0,1,0];[0,0,1],[0,0,2];[0,1,0]"), "ranks 0-2"));
}

TEST_CASE("SCCL's chunks may be numbered in any way that its collective allows") {
  // msccl-tools numbers an alltoall by destination: address 1 is what rank 1 has for rank 0.
  const std::string text = R"J({"msccl_type":"algorithm","name":"x","instance":
{"msccl_type":"instance","steps":1,"extra_rounds":0,"chunks":2},
"input_map":{"0":[0,1,4,5],"1":[2,3,6,7]},"output_map":{"0":[0,1,2,3],"1":[4,5,6,7]},"steps":[
{"msccl_type":"step","rounds":2,"sends":[[2,1,0],[3,1,0],[4,0,1],[5,0,1]]}],
"collective":{"msccl_type":"collective","name":"Alltoall(n=2)","nodes":2,"chunks":[
{"msccl_type":"chunk","pre":[0],"post":[0],"addr":0},
{"msccl_type":"chunk","pre":[1],"post":[0],"addr":1},
{"msccl_type":"chunk","pre":[0],"post":[1],"addr":2},
{"msccl_type":"chunk","pre":[1],"post":[1],"addr":3}],"triggers":{},"runtime_name":"alltoall"},
"topology":{"msccl_type":"topology","name":"Full2","switches":[],"links":[[0,1],[1,0]]}})J";
  std::string good = text;
  good.replace(good.find("\"extra_rounds\":0"), 16, "\"extra_rounds\":1");
  CHECK(written(read(good, "sccl"), "sched") ==
        "schedcc 1\ncollective alltoall\nranks 2\nchunks 2\nmachine kport:k=1\nname x\n"
        "step 0 rounds 2\n1 -> 0 : 4-5\n0 -> 1 : 2-3\n");
}

TEST_CASE("SCCL refuses chunks that no rank has at the start") {
  const auto refusal = [](const std::string& lines) {
    try {
      written(read("schedcc 1\ncollective custom\nranks 3\nchunks 3\n" + lines, "sched"), "sccl");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  CHECK(refusal("") == "no rank has a chunk at the start; SCCL has no such collective");
  CHECK(refusal("pre 0 : 0\npost 1 : 0,2\n") ==
        "rank 1 must end with chunk 2, which no rank has at the start; SCCL has no address for it");
  CHECK(refusal("pre 0 : 0\npost 1 : 0\nstep 4\n0 -> 1 : 0-1\n") ==
        "in step 4, rank 0 sends chunk 1, which no rank has at the start; SCCL has no address for "
        "it");
  CHECK(refusal("pre 0 : 0\npost 1 : 0\nstep 4\n0 -> 1 : 0\n") == "none");
}

TEST_CASE("schedules that SCCL would misread are not written") {
  const auto refusal = [](const std::string& steps) {
    try {
      written(read("schedcc 1\ncollective allreduce\nranks 3\nchunks 1\n" + steps, "sched"),
              "sccl");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  const std::string said =
      "SCCL does not state whether a send reduces; in step 1, its readers would take the send of "
      "chunk 0 from rank 1 to rank ";
  CHECK(refusal("step 0\n0 -> 1 : 0 reduce\nstep 1\n1 -> 0 : 0\n") == said + "0 to reduce");
  CHECK(refusal("step 0\n0 -> 1 : 0 reduce\n2 -> 1 : 0 reduce\nstep 1\n1 -> 0 : 0 reduce\n") ==
        said + "0 to replace the chunk there");
  CHECK(refusal("step 0\n0 -> 1 : 0 reduce\n2 -> 1 : 0 reduce\nstep 1\n1 -> 0 : 0\n") == "none");
}
