// Formats that are written and read: what is written comes back the same, for every algorithm, and
// what is malformed is refused at its place.

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "frontend/import/text.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace schedcc;

namespace {

struct StringOutput : Output {
  void write(std::string_view piece) override { text += piece; }
  std::string text;
};

std::string written(const Source& source, std::string_view format) {
  const Format& f = find_format(format);
  EmitOptions options;
  options.parameters = Spec{}.check(f.parameters, "format");
  options.machine =
      make_machine(source.machine.empty() ? "duplex" : source.machine, source.problem.ranks);
  StringOutput out;
  f.write(source, options, out);
  return out.text;
}

Source read(const std::string& text, std::string_view format) {
  return find_format(format).read(InputText::of(text), "test");
}

/// The formats that say all of a schedule, beside the one that they are compared in.
constexpr std::string_view lossless[] = {"json", "csv"};

/// Everything in the registry in small.
template <typename F>
void each_source(F f) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Collective collective : algorithm->collectives) {
      for (const auto& [P, K] : {std::pair<Rank, std::uint32_t>{1, 1}, {5, 3}, {8, 1}, {16, 2}}) {
        Request request;
        request.parameters = Spec{}.check(algorithm->parameters, algorithm->name);
        request.problem.collective = collective;
        request.problem.ranks = P;
        request.problem.chunks = K;
        request.problem.root = info(collective).rooted ? P / 2 : 0;
        try {
          request.machine = make_machine(algorithm->machines_for(request.parameters).front(), P);
        } catch (const InputError&) {
          continue;  // it has other numbers of ranks
        }
        if (algorithm->reason(request)) continue;
        f(from_algorithm(*algorithm, request, std::string(algorithm->name)));
      }
    }
  }
}

/// The same schedule in .sched, the messages of a step sorted.
std::string sorted(const Source& source) {
  auto schedule = std::make_shared<Schedule>();
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    Transfers transfers(step.transfers.begin(), step.transfers.end());
    std::ranges::stable_sort(transfers, {}, [](const Transfer& t) {
      return std::tuple(t.src, t.dst, static_cast<bool>(t.reduce));
    });
    schedule->begin_step(step.number, step.rounds);
    for (const Transfer& t : transfers) schedule->add(t);
  }
  Source result = source;
  result.open = [schedule] { return schedcc::stream(std::shared_ptr<const Schedule>(schedule)); };
  return written(result, "sched");
}

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

struct Error {
  std::uint32_t line = 0, column = 0;
  std::string message;
};

Error error(const std::string& text, std::string_view format) {
  try {
    const auto stream = read(text, format).open();
    for (Step step; stream->next(step);) {
    }
  } catch (const InputError& e) {
    CHECK(e.place.file == "test");
    return {e.place.line, e.place.column, e.what()};
  }
  return {0, 0, "no error"};
}

/// The text has this error at this place.
void at(std::string_view format, const std::string& text, std::uint32_t line, std::uint32_t column,
        const std::string& message) {
  INFO(text);
  const Error e = error(text, format);
  CHECK(e.line == line);
  CHECK(e.column == column);
  CHECK(e.message == message);
}

}  // namespace

TEST_CASE("what is written comes back the same") {
  std::size_t schedules = 0;
  each_source([&](const Source& source) {
    const std::string expected = written(source, "sched");
    ++schedules;
    for (const std::string_view format : lossless) {
      const std::string text = written(source, format);
      const Source back = read(text, format);
      if (written(back, "sched") != expected || written(back, format) != text) {
        FAIL_CHECK(source.name << " through " << format);
      }
      if (!find_format(format).recognises(text)) FAIL_CHECK(format << " is not recognised");
    }
  });
  CHECK(schedules > 100);
}

TEST_CASE("all that a schedule can have comes back") {
  for (const std::string& text : {
           std::string("schedcc 1\ncollective reduce\nranks 3\nroot 2\nchunks 5\nname of mine\n"
                       "ordered\nstep 0\n0 -> 1 : 0-2,4 reduce\n0 -> 1 : 3\nstep 7 rounds 3\n"
                       "1 -> 2 : 0 reduce\n"),
           std::string("schedcc 1\ncollective allgather\nranks 2\nchunks 1\nmachine kport:k=2\n"
                       "nodes 3\nstep 0\n0 -> 2 : 0\n"),
           std::string("schedcc 1\ncollective custom\nranks 2\nchunks 3\npre 0 : 0-1\npre 1 : 2,0\n"
                       "post 1 : 0 reduced\npost 1 : 1-2\nstep 4294967295\n0 -> 1 : 0 reduce\n"),
       }) {
    const Source source = read(text, "sched");
    for (const std::string_view format : lossless) {
      const Source back = read(written(source, format), format);
      INFO(written(source, format));
      // The JSON names the machine that the schedule was checked on.
      Source same = back;
      same.machine = source.machine;
      CHECK(written(same, "sched") == text);
    }
  }
}

TEST_CASE("malformed JSON is refused at its place") {
  const auto json = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                       const std::string& message) { at("json", text, line, column, message); };
  const std::string head = R"({"schedcc": 1, "collective": "allgather", "ranks": 2, "chunks": 1)";
  json("", 1, 1,
       "no JSON: syntax error while parsing value - unexpected end of input; expected '[', '{', or "
       "a literal");
  json("[]", 1, 1, "a schedule is an object, not an array");
  json("7", 1, 1, "a schedule is an object, not a number");
  json(head + "}", 1, 1, "a schedule needs the field 'steps'");
  json(head + ",\n \"step\": []}", 2, 2, "a schedule has no field 'step'; did you mean 'steps'?");
  json(head + ",\n  \"ranks\": 3}", 2, 3, "'ranks' is there twice");
  json(head + ",\n \"steps\": [],\n \"root\" :  0}", 3, 12, "allgather has no root");
  json(head + ", \"steps\": []} x", 1, 81,
       "no JSON: syntax error while parsing value - invalid literal; last read: '\"steps\": []} "
       "x'; expected "
       "end of input");
  const std::string steps = head + ",\n\"steps\": [\n";
  json(steps + R"({"step": -1)", 3, 10, "'step' is a whole number from 0 on");
  json(steps + R"({"step": 1.5)", 3, 10, "'step' is a whole number from 0 on");
  json(steps + R"({"step": 4294967296)", 3, 10, "'step' is in 0..4294967295, not 4294967296");
  json(steps + R"({"step": "1")", 3, 10, "'step' is a number, not a text");
  json(steps + R"({"step": 1, "rounds": 1)", 3, 23, "'rounds' is in 2..4294967295, not 1");
  json(steps + R"({"step": 1, "transfers": [])", 3, 26, "'transfers' has at least 1 item, not 0");
  json(steps + R"({"step": 1, "transfers": [{"src": 0}])", 3, 27,
       "a transfer needs the field 'dst'");
  const std::string transfer = steps + R"({"step": 1, "transfers": [{"src": 0, "dst": 1, )";
  json(transfer + R"("chunks": [])", 3, 58, "'chunks' has at least 1 item, not 0");
  json(transfer + R"("chunks": [[0]])", 3, 59, "a run of chunks has 2 items, not 1");
  json(transfer + R"("chunks": [[0,1,2]])", 3, 64, "a run of chunks has 2 items, no more");
  json(transfer + R"("chunks": [[1, 0]])", 3, 63, "the run [1, 0] runs backwards");
  json(transfer + R"("chunks": [[0, 0]], "reduce": false)", 3, 78,
       "'reduce' or 'reduced' is true or left out");
  const std::string step =
      R"({"step": 1, "transfers": [{"src": 0, "dst": 1, "chunks": [[0, 0]]}]})";
  json(steps + step + ",\n" + step + "]}", 4, 1, "step 1 comes after step 1; step numbers rise");
  json(R"({"schedcc": 2)", 1, 13, "'schedcc', the format's version, is in 1..1, not 2");
  json(R"({"schedcc": 1, "collective": "gathr")", 1, 30,
       "unknown collective 'gathr'; did you mean 'gather'?");
  json(R"({"machine": "a b")", 1, 13, "'a b' is no machine");
  json(R"({"name": " x")", 1, 10,
       "a name is a line of text without '#', and begins and ends with no blank");
  json(R"({"schedcc": 1, "collective": "gather", "ranks": 2, "chunks": 1, "steps": []})", 1, 1,
       "gather needs the field 'root'");
  json(R"({"schedcc": 1, "collective": "custom", "ranks": 2, "chunks": 1, "steps": [], "pre": []})",
       1, 1, "a custom collective needs the fields 'pre' and 'post'");
  json(R"({"schedcc": 1, "collective": "custom", "ranks": 2, "chunks": 1, "steps": [], "post": [],
 "pre": [{"rank": 2, "chunks": [[0, 0]]}]})",
       2, 10, "rank 2 is not one of the ranks 0..1");
}

TEST_CASE("malformed tables are refused at their place") {
  const auto csv = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                      const std::string& message) { at("csv", text, line, column, message); };
  const std::string head = "# schedcc 1\n#collective allgather\n# ranks 2\n";
  const std::string table = head + "step,src,dst,first,last,mode,rounds\n";
  csv("", 1, 1, "a schedule begins with the line 'schedcc 1'");
  csv("step,src,dst,first,last\n", 1, 1, "a schedule begins with the line 'schedcc 1'");
  csv(head, 4, 1, "the line that names the columns is missing");
  csv(head + "# step 0\n", 4, 3,
      "unknown directive 'step'; there are collective, ranks, root, chunks, machine, name, "
      "ordered, nodes, pre, post");
  csv(head + "step,src,dst,frist,last\n", 4, 14, "unknown column 'frist'; did you mean 'first'?");
  csv(head + "step,src,src\n", 4, 10, "column 'src' is there twice");
  csv(head + "step,src,dst,last\n", 4, 14, "there is no column 'first'");
  csv(head + "step,,dst,last\n", 4, 6, "the name of a column is missing");
  csv(table + "0,0,1,0\n", 5, 8, "column 'last' is missing");
  csv(table + "0,0,1,0;0\n", 5, 8, "expected a comma, not ';0'");
  csv(table + "0,0,1,0,0,copy,1,1\n", 5, 17, "unexpected ',1' at the end of the line");
  csv(table + "0,0,1,2,1,copy,1\n", 5, 16, "the chunks 2 to 1 run backwards");
  csv(table + "0,0,-1,0,0,copy,1\n", 5, 5,
      "the receiver must be a whole number, not '-1,0,0,copy,1'");
  csv(table + "0,0,1,0,0,move,1\n", 5, 11, "the mode is copy or reduce, not 'move'");
  csv(table + "0,0,1,0,0,copy,0\n", 5, 16, "a step takes at least 1 round");
  csv(table + "1,0,1,0,0,copy,1\n0,1,0,1,1,copy,1\n", 6, 1,
      "step 0 comes after step 1; step numbers rise");
  csv(table + "1,0,1,0,0,copy,1\n1,1,0,1,1,copy,2\n", 6, 16,
      "step 1 takes 2 rounds here, and 1 before");
}

TEST_CASE("a table's columns stand in any order, and some may be missing") {
  const Source source = read(
      "#schedcc 1\r\n#\n# collective allgather # of nothing much\n#ranks 2\n\n# a remark\n"
      "last,first,dst,src,step\n0,0,1,0,3\n\n1,1,0,1,3\n",
      "csv");
  CHECK(written(source, "sched") ==
        "schedcc 1\ncollective allgather\nranks 2\nchunks 1\nstep 3\n0 -> 1 : 0\n1 -> 0 : 1\n");
}

TEST_CASE("GOAL comes back as the same schedule, in the order of the ranks") {
  each_source([&](const Source& source) {
    if (source.hop_level()) return;
    const std::string text = written(source, "goal");
    const Source back = read(text, "goal");
    if (sorted(back) != sorted(source) || written(back, "goal") != text) {
      FAIL_CHECK(source.name << ": " << describe(source.problem));
    }
    if (!find_format("goal").recognises(text)) FAIL_CHECK("GOAL is not recognised");
  });
}

TEST_CASE("a GOAL program of others is read as what it is known to do") {
  const std::string ring =
      "/* a ring of\n   three */\nnum_ranks 3\n"
      "rank 0 {\nsend 8b to 1\nr: recv 8 b from 2 cpu 1\n// on\nc : calc 50\nc requires r\n}\n"
      "rank 1 {\nr:recv 8b from 0\ns: send 16b to 2 tag 7 nic 0\ns requires r\n}\n"
      "rank 2 {\nr: recv 16b from 1 tag 7\ns: send 8b to 0 tag 0\ns irequires r\n}\n";
  CHECK(written(read(ring, "goal"), "sched") ==
        "schedcc 1\ncollective custom\nranks 3\nchunks 3\npre 0 : 0\npre 1 : 1\npre 2 : 2\n"
        "post 0 : 2\npost 1 : 0\npost 2 : 1\nstep 0\n0 -> 1 : 0\n2 -> 0 : 2\nstep 1\n"
        "1 -> 2 : 1\n");
  CHECK(written(read("num_ranks 1\nrank 0 {\n}\n", "goal"), "sched") ==
        "schedcc 1\ncollective custom\nranks 1\nchunks 1\n");
}

TEST_CASE("malformed GOAL is refused at its place") {
  const auto goal = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                       const std::string& message) { at("goal", text, line, column, message); };
  goal("", 1, 1, "a GOAL file begins with 'num_ranks'");
  goal("num_ranks 0\n", 1, 11, "the number of ranks is in 1..2^32 - 2");
  goal("num_ranks 4294967294\n", 2, 1, "'rank 0' is missing");
  const std::string two = "num_ranks 2\nrank 0 {\n";
  goal("num_ranks 2\nrank 1 {\n", 2, 6, "ranks ascend from 0; the next is 0");
  goal(two + "send 1b to 1\n", 4, 1, "rank 0 has no closing bracket");
  goal(two + "send 0b to 1\n}\n", 3, 6, "a message has at least 1 byte");
  goal(two + "send 1 to 1\n}\n", 3, 8, "'b' behind the size is missing");
  goal(two + "send 1b from 1\n}\n", 3, 9, "expected 'to' after the size, not 'from'");
  goal(two + "send 1b to 2\n}\n", 3, 12, "rank 2 is not one of the ranks 0..1");
  goal(two + "send 1b to 0\n}\n", 3, 12, "rank 0 sends to itself");
  goal(two + "recv 1b from -1\n}\n", 3, 14,
       "a receive from anyone, or with any tag, stands for no one schedule");
  goal(two + "send 1b to 1 cpu 256\n}\n", 3, 18, "a cpu is in 0..255");
  goal(two + "send 1b to 1 cpu 0 tag 1\n}\n", 3, 20, "unexpected 'tag' at the end of the line");
  goal(two + "a: calc 1\na: calc 1\n}\n", 4, 1, "rank 0 has a label 'a' already");
  goal(two + "a: calc 1\na requires b\n}\n", 4, 12, "rank 0 has no 'b' before this");
  goal(two + "a: calc 1\na needs b\n}\n", 4, 3,
       "expected ':', 'requires' or 'irequires', not 'needs'");
  goal(two + "send 1b to 1\n}\nrank 1 {\n}\n", 3, 1, "rank 1 never receives this message of tag 0");
  goal(two + "recv 1b from 1 tag 3\n}\nrank 1 {\n}\n", 3, 1,
       "rank 1 never sends this message of tag 3");
  goal(two + "send 1b to 1\n}\nrank 1 {\nrecv 2b from 0\n}\n", 6, 1,
       "the message has 2 bytes here, and 1 where it is sent, line 3");
  goal(two +
           "r: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
           "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n",
       4, 1, "deadlock: rank 0 waits here for what can never end");
  goal(two + "a: calc 1\na requires a\n}\nrank 1 {\n}\n", 3, 1,
       "deadlock: rank 0 waits here for what can never end");
  goal(two + "}\nrank 1 {\n}\nrank 2 {\n}\n", 6, 1, "'rank' behind the last rank");
}

TEST_CASE("a GOAL program must do what its comments say") {
  const std::string good =
      "// schedcc 1\n// collective broadcast\n// ranks 3\n// root 0\n// chunks 2\nnum_ranks 3\n"
      "rank 0 {\n// step 0\n// 0 -> 1 : 0-1\no0: send 8b to 1 tag 0\n}\n"
      "rank 1 {\no0: recv 8b from 0 tag 0\n// step 1\n// 1 -> 2 : 0-1\no1: send 8b to 2 tag 1\n"
      "o1 requires o0\n}\nrank 2 {\no0: recv 8b from 1 tag 1\n}\n";
  CHECK(written(read(good, "goal"), "sched") ==
        "schedcc 1\ncollective broadcast\nranks 3\nroot 0\nchunks 2\nstep 0\n0 -> 1 : 0-1\nstep 1\n"
        "1 -> 2 : 0-1\n");
  const auto changed = [&](const std::string& from, const std::string& to, std::uint32_t line,
                           std::uint32_t column, const std::string& message) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    at("goal", text, line, column, message);
  };
  changed("o1 requires o0\n", "", 16, 1,
          "this does not require the operation before it, so what its comments say is not all that "
          "can happen");
  changed("o1 requires", "o1 irequires", 16, 1,
          "this does not require the operation before it, so what its comments say is not all that "
          "can happen");
  changed("// 0 -> 1 : 0-1", "// 0 -> 2 : 0-1", 10, 1,
          "this goes to rank 1, its comment to rank 2");
  changed("// 0 -> 1 : 0-1", "// 1 -> 2 : 0-1", 9, 4, "rank 0 cannot send for rank 1");
  changed("// 0 -> 1 : 0-1\n", "", 9, 1, "a comment that tells what it carries is missing");
  changed("// 1 -> 2 : 0-1", "// 1 -> 2 : 0", 16, 1, "8 bytes are not 1 chunk of 4 bytes");
  changed("// step 1", "// step 2", 16, 1, "tag 1 is not the step, 2");
  changed("// step 0\n", "", 8, 4, "the step of this transfer is missing");
  changed("o0: send 8b to 1 tag 0\n", "", 10, 2, "a comment tells of a send; none follows");
  changed("// ranks 3", "// ranks 4", 6, 11, "there are 3 ranks here, and 4 in the header");
}

TEST_CASE("SCCL comes back as the same steps") {
  std::size_t schedules = 0;
  each_source([&](const Source& source) {
    std::string text;
    try {
      text = written(source, "sccl");
    } catch (const InputError&) {
      return;  // the next test says what SCCL has no words for
    }
    ++schedules;
    const Source back = read(text, "sccl");
    Source expected = source;
    expected.machine = back.machine;
    if (source.problem.ranks == 1) expected.problem = back.problem;
    expected.title = back.title;
    if (written(without_gaps(back), "sched") != written(without_gaps(expected), "sched")) {
      FAIL_CHECK(source.name << ": " << describe(source.problem) << "\n"
                             << written(without_gaps(back), "sched") << "\nnot\n"
                             << written(without_gaps(expected), "sched"));
    }
    if (!find_format("sccl").recognises(text)) FAIL_CHECK("SCCL is not recognised");
  });
  CHECK(schedules > 100);
}

TEST_CASE("what a format has no words for is refused when it is written") {
  const auto refusal = [](const std::string& text, std::string_view format) {
    try {
      written(read(text, "sched"), format);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  const std::string head = "schedcc 1\ncollective allgather\nranks 2\nchunks 1\n";
  CHECK(refusal(head + "nodes 3\nstep 0\n0 -> 2 : 0\n", "goal") ==
        "GOAL knows ranks only; a hop-level schedule moves chunks through routers");
  CHECK(refusal(head + "step 4294967295\n0 -> 1 : 0\n", "goal") ==
        "step 4294967295 is above 2^32 - 2; GOAL has no tag for its messages");
  CHECK(refusal(head + "step 3 rounds 2\n0 -> 1 : 0\n", "goal") ==
        "step 3 takes 2 rounds; GOAL has none");
  CHECK(refusal(head + "step 3\n0 -> 2 : 0\n", "goal") == "rank 2 is none of the 2 ranks");
  CHECK(refusal(head + "step 3\n0 -> 2 : 0\n", "sccl") == "rank 2 is none of the 2 ranks");
  CHECK(refusal(head + "nodes 3\nstep 0\n0 -> 2 : 0\n", "sccl") ==
        "SCCL's nodes are ranks; it has no hop level");
  CHECK(refusal("schedcc 1\ncollective scan\nranks 2\nchunks 1\n", "sccl") ==
        "SCCL has no scan: all ranks that get a chunk get all of it");
  CHECK(refusal("schedcc 1\ncollective reduce\nranks 2\nchunks 1\nordered\n", "sccl") ==
        "SCCL's operators commute; it has no ordered reductions");
  CHECK(refusal("schedcc 1\ncollective reduce\nranks 2\nchunks 1\nmachine logp\n", "sccl") ==
        "SCCL's steps are no cycles; it has no logp machine");
}

TEST_CASE("what an SCCL file says twice or points to is checked at its place") {
  const std::string good = R"J({"msccl_type":"algorithm","name":"tree","instance":
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
  CHECK(written(read(good, "sccl"), "sched") ==
        "schedcc 1\ncollective reduce\nranks 3\nroot 0\nchunks 1\nmachine kport:k=2\nname tree\n"
        "step 0\n2 -> 1 : 0 reduce\nstep 1 rounds 2\n1 -> 0 : 0 reduce\n");
  const auto changed = [&](const std::string& from, const std::string& to, std::uint32_t line,
                           std::uint32_t column, const std::string& message) {
    std::string text = good;
    const std::size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    text.replace(place, from.size(), to);
    at("sccl", text, line, column, message);
  };
  changed("[[0,2,1]]", "[[0,2,0]]", 4, 42, "there is no link from 2 to 0");
  changed("[[0,2,1]]", "[[0,2,3]]", 4, 42, "rank 3 is not one of the ranks 0..2");
  changed("[[0,2,1]]", "[[1,2,1]]", 4, 42, "no chunk has address 1");
  changed("[[0,2,1]]", "[[0,2,1],[0,2,1]]", 4, 50, "address 0 goes from 2 to 1 twice in step 0");
  changed("[[0,2,1]]", "[[0,2,1],[0,1,0]]", 4, 50,
          "switch 's' carries more than 1 chunks in step 0");
  changed("[[0,2,1]]", "[[0,2]]", 4, 42, "a send has 3 items, not 2");
  changed("\"steps\":2", "\"steps\":3", 2, 1, "the instance has 3 steps, and there are 2");
  changed("\"extra_rounds\":1", "\"extra_rounds\":0", 2, 1,
          "the instance has 0 extra rounds, and there are 1");
  changed("\"nodes\":3", "\"nodes\":4", 11, 1, "'links' has rows for 3 ranks, and there are 4");
  changed("[1,0,1]", "[1,0]", 11, 1, "a row of 'links' has 2 ranks, and there are 3");
  changed("\"pre\":[1]", "\"pre\":[2]", 9, 1, "rank 2 has two chunks of address 0");
  changed("\"pre\":[1]", "\"pre\":[1,2]", 8, 1,
          "several chunks have address 0, so each begins at one rank");
  changed("\"pre\":[1],\"post\":[0]", "\"pre\":[1],\"post\":[1]", 8, 1,
          "the chunks of address 0 end at different ranks");
  changed("\"pre\":[1]", "\"pre\":[3]", 8, 30, "rank 3 is not one of the ranks 0..2");
  changed("\"pre\":[1]", "\"pre\":[1,1]", 8, 32, "rank 1 is there twice");
  changed("\"0\":[0],\"1\"", "\"0\":[7],\"1\"", 3, 19, "no chunk has address 7");
  changed("\"triggers\":{}", "\"triggers\":{\"0\":{}}", 9, 67, "triggers are not known here");
  changed("\"step\",\"rounds\":1", "\"stop\",\"rounds\":1", 4, 15,
          "'msccl_type' is 'step' here, not 'stop'");
  changed("\"Line3\",", "\"Line3\",\"width\":3,", 10, 52,
          "a topology has no field 'width'; there are msccl_type, name, switches, links");
}

TEST_CASE("a timeline has a track for each rank and an arrow for each message") {
  const std::string text =
      written(read("schedcc 1\ncollective broadcast\nranks 3\nroot 0\nchunks 2\nstep 0 rounds 4\n"
                   "0 -> 1 : 0-1\nstep 2\n1 -> 2 : 0-1\n",
                   "sched"),
              "trace");
  const auto document = nlohmann::json::parse(text);
  std::vector<std::string> tracks;
  std::map<std::string, std::vector<std::vector<std::uint64_t>>> arrows;  // track, start, length
  for (const auto& event : document["traceEvents"]) {
    if (event["name"] == "thread_name") tracks.push_back(event["args"]["name"]);
    if (event["ph"] != "X") continue;
    arrows[event["bind_id"]].push_back({event["tid"], event["ts"], event["dur"]});
    CHECK(event.contains("flow_out") != event.contains("flow_in"));
    CHECK(event["args"]["chunks"] == "0-1");
  }
  CHECK(tracks == std::vector<std::string>{"rank 0", "rank 1", "rank 2"});
  using Ends = std::vector<std::vector<std::uint64_t>>;
  CHECK(arrows.size() == 2);
  CHECK(arrows["0x1"] == Ends{{0, 0, 4}, {1, 0, 4}});
  CHECK(arrows["0x2"] == Ends{{1, 5, 1}, {2, 5, 1}});
}

TEST_CASE("on LogP a timeline shows when the processors are busy") {
  const auto document = nlohmann::json::parse(
      written(read("schedcc 1\ncollective broadcast\nranks 2\nroot 0\nchunks 1\n"
                   "machine logp:L=6,o=2,g=4\nstep 3\n0 -> 1 : 0\n",
                   "sched"),
              "trace"));
  std::vector<std::vector<std::uint64_t>> slices;
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "X") slices.push_back({event["tid"], event["ts"], event["dur"]});
  }
  CHECK(slices == std::vector<std::vector<std::uint64_t>>{{0, 3, 2}, {1, 11, 2}});
}

TEST_CASE("contributions that SCCL counts twice are found") {
  const std::string text = R"J({"msccl_type":"algorithm","name":"x","instance":
{"msccl_type":"instance","steps":2,"extra_rounds":0,"chunks":1},
"input_map":{},"output_map":{},"steps":[
{"msccl_type":"step","rounds":1,"sends":[[0,2,1],[0,2,0]]},
{"msccl_type":"step","rounds":1,"sends":[[0,1,0]]}],
"collective":{"msccl_type":"collective","name":"Reduce(n=3,root=0)","nodes":3,"chunks":[
{"msccl_type":"chunk","pre":[0],"post":[0],"addr":0},
{"msccl_type":"chunk","pre":[1],"post":[0],"addr":0},
{"msccl_type":"chunk","pre":[2],"post":[0],"addr":0}],"triggers":{},"runtime_name":"custom"},
"topology":{"msccl_type":"topology","name":"Full3","switches":[],"links":
[[0,1,1],[1,0,1],[1,1,0]]}})J";
  const Source source = read(text, "sccl");
  const Report report = check(source, make_machine(source.machine, 3));
  CHECK(report.verdict() == Verdict::violated);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check == "delivery");
}
