// Formats that are written and read: for every algorithm a schedule that is written and read again
// is the same, and malformed files are refused with the location.

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "formats.hpp"

using namespace schedcc;
using namespace formats;

namespace {

/// The formats that preserve a whole schedule, apart from the one in which they are compared.
constexpr std::string_view lossless[] = {"binary", "json", "csv"};

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
           std::string("schedcc 1\ncollective custom\nranks 2\nchunks 3\npre 0 : 0-1\npre 1 : 0,2\n"
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

TEST_CASE("malformed JSON is refused at its location") {
  const auto json = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                       const std::string& message) { at("json", text, line, column, message); };
  const std::string head = R"({"schedcc": 1, "collective": "allgather", "ranks": 2, "chunks": 1)";
  json("", 1, 1,
       "invalid JSON: syntax error while parsing value - unexpected end of input; expected '[', "
       "'{', or "
       "a literal");
  json("[]", 1, 1, "a schedule must be an object, not an array");
  json("7", 1, 1, "a schedule must be an object, not a number");
  json(head + "}", 1, 1, "a schedule needs the field 'steps'");
  json(head + ",\n \"step\": []}", 2, 2, "a schedule has no field 'step'; did you mean 'steps'?");
  json(head + ",\n  \"ranks\": 3}", 2, 3, "duplicate field 'ranks'");
  json(head + ",\n \"steps\": [],\n \"root\" :  0}", 3, 12, "allgather has no root");
  json(head + ", \"steps\": []} x", 1, 81,
       "invalid JSON: syntax error while parsing value - invalid literal; last read: '\"steps\": "
       "[]} "
       "x'; expected "
       "end of input");
  const std::string steps = head + ",\n\"steps\": [\n";
  json(steps + R"({"step": -1)", 3, 10, "'step' must be a whole number of at least 0");
  json(steps + R"({"step": 1.5)", 3, 10, "'step' must be a whole number of at least 0");
  json(steps + R"({"step": 4294967296)", 3, 10, "'step' must be in 0..4294967295, not 4294967296");
  json(steps + R"({"step": 99999999999999999999999)", 3, 10,
       "'step' must be at most 4294967295, not 99999999999999999999999");
  json(steps + R"({"step": "1")", 3, 10, "'step' must be a number, not a string");
  json(steps + R"({"step": 1, "rounds": 1)", 3, 23, "'rounds' must be in 2..4294967295, not 1");
  json(steps + R"({"step": 1, "transfers": [{"src": 0}])", 3, 27,
       "a transfer needs the field 'dst'");
  const std::string transfer = steps + R"({"step": 1, "transfers": [{"src": 0, "dst": 1, )";
  json(transfer + R"("chunks": [])", 3, 58, "'chunks' must have at least 1 item, not 0");
  json(transfer + R"("chunks": [[0]])", 3, 59, "a run of chunks must have 2 items, not 1");
  json(transfer + R"("chunks": [[0,1,2]])", 3, 64, "a run of chunks must have at most 2 items");
  json(transfer + R"("chunks": [[1, 0]])", 3, 63,
       "the run [1, 0] is empty: the first chunk is above the last");
  json(transfer + R"("chunks": [[0, 0]], "reduce": false)", 3, 78,
       "'reduce' or 'reduced' must be true or omitted");
  const std::string step =
      R"({"step": 1, "transfers": [{"src": 0, "dst": 1, "chunks": [[0, 0]]}]})";
  json(steps + step + ",\n" + step + "]}", 4, 1, "step 1 comes after step 1; step numbers rise");
  json(R"({"schedcc": 2)", 1, 13, "'schedcc', the format's version, must be in 1..1, not 2");
  json(R"({"schedcc": 1, "collective": "gathr")", 1, 30,
       "unknown collective 'gathr'; did you mean 'gather'?");
  json(R"({"machine": "a b")", 1, 13, "'a b' is not a machine");
  json(R"({"name": " x")", 1, 10,
       "a name must be one line of text without '#' and control characters, and without a blank at "
       "either end");
  json(R"({"schedcc": 1, "collective": "gather", "ranks": 2, "chunks": 1, "steps": []})", 1, 1,
       "gather needs the field 'root'");
  json(R"({"schedcc": 1, "collective": "custom", "ranks": 2, "chunks": 1, "steps": [], "pre": []})",
       1, 1, "a custom collective needs the fields 'pre' and 'post'");
  json(R"({"schedcc": 1, "collective": "custom", "ranks": 2, "chunks": 1, "steps": [], "post": [],
 "pre": [{"rank": 2, "chunks": [[0, 0]]}]})",
       2, 10, "rank 2 does not exist; ranks are 0..1");
}

TEST_CASE("malformed tables are refused at their place") {
  const auto csv = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                      const std::string& message) { at("csv", text, line, column, message); };
  const std::string head = "# schedcc 1\n#collective allgather\n# ranks 2\n";
  const std::string table = head + "step,src,dst,first,last,mode,rounds\n";
  csv("", 1, 1, "missing first line '# schedcc 1'");
  csv("step,src,dst,first,last\n", 1, 1, "missing first line '# schedcc 1'");
  csv(head, 4, 1, "the line that names the columns is missing");
  csv(head + "# step 0\n", 4, 3,
      "unknown directive 'step'; there are collective, ranks, root, chunks, machine, name, "
      "ordered, nodes, pre, post");
  csv(head + "step,src,dst,frist,last\n", 4, 14, "unknown column 'frist'; did you mean 'first'?");
  csv(head + "step,src,src\n", 4, 10, "duplicate column 'src'");
  csv(head + "step,src,dst,last\n", 4, 14, "there is no column 'first'");
  csv(head + "step,,dst,last\n", 4, 6, "missing the name of a column");
  csv(table + "0,0,1,0\n", 5, 8, "missing column 'last'");
  csv(table + "0,0,1,0;0\n", 5, 8, "expected a comma, not ';0'");
  csv(table + "0,0,1,0,0,copy,1,1\n", 5, 17, "unexpected ',1' at the end of the line");
  csv(table + "0,0,1,2,1,copy,1\n", 5, 16, "the run of chunks 2 to 1 is empty");
  csv(table + "0,0,-1,0,0,copy,1\n", 5, 5, "the receiver must be a whole number, not '-1'");
  csv(table + "0,0,1,0,0,move,1\n", 5, 11, "the mode is copy or reduce, not 'move'");
  csv(table + "0,0,1,0,0,copy,0\n", 5, 16, "a step must take at least 1 round");
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

TEST_CASE("a GOAL program without comments is read by its messages") {
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

TEST_CASE("malformed GOAL is refused at its location") {
  const auto goal = [](const std::string& text, std::uint32_t line, std::uint32_t column,
                       const std::string& message) { at("goal", text, line, column, message); };
  goal("", 1, 1, "a GOAL file begins with 'num_ranks'");
  goal("num_ranks 0\n", 1, 11, "the number of ranks must be in 1..2^32 - 2");
  goal("num_ranks 4294967294\n", 2, 1, "'rank 0' is missing");
  const std::string two = "num_ranks 2\nrank 0 {\n";
  goal("num_ranks 2\nrank 1 {\n", 2, 6, "ranks ascend from 0; the next is 0");
  goal(two + "send 1b to 1\n", 4, 1, "missing '}' of rank 0");
  goal(two + "send -1b to 1\n}\n", 3, 6,
       "the size cannot be negative; LogGOPSim takes digits only");
  goal(two + "send 1b to -1\n}\n", 3, 12,
       "a send needs a destination rank; -1 (any rank) is valid only in receives");
  goal(two + "send 1 to 1\n}\n", 3, 8, "'b' after the size is missing");
  goal(two + "send 1b from 1\n}\n", 3, 9, "expected 'to' after the size, not 'from'");
  goal(two + "send 1b to 2\n}\n", 3, 12, "rank 2 does not exist; ranks are 0..1");
  goal("// schedcc 1\n// collective broadcast\n// ranks 2\n// root 0\n// chunks 1\n" + two +
           "// step 0\n// 0 -> 0 : 0\nsend 1b to 0\n}\n",
       10, 12, "rank 0 sends to itself");
  goal(two + "recv 1b from 1 tag -1\n}\nrank 1 {\nsend 1b to 0 tag 0\nsend 1b to 0 tag 1\n}\n", 3,
       20,
       "-1 takes the message that comes first, which depends on the times; a schedule must "
       "name the rank and the tag");
  goal("// schedcc 1\n// collective broadcast\n// ranks 2\n// root 0\n// chunks 1\n" + two +
           "recv 1b from -1\n}\n",
       8, 14,
       "-1 takes the message that comes first, which depends on the times; a schedule must "
       "name the rank and the tag");
  goal(two + "send 1b to 1 tag -1\n}\n", 3, 18,
       "-1 takes the message that comes first, which depends on the times; a schedule must "
       "name the rank and the tag");
  goal(two + "send 1b to 1 cpu 256\n}\n", 3, 18, "a cpu must be in 0..255");
  goal(two + "send 1b to 1 cpu 0 tag 1\n}\n", 3, 20, "unexpected 'tag' at the end of the line");
  goal(two + "a: calc 1\na: calc 1\n}\n", 4, 1, "rank 0 has a second label 'a'");
  goal(two + "a: calc 1\na requires b\n}\n", 4, 12, "rank 0 has no label 'b' before this line");
  goal(two + "a: calc 1\na needs b\n}\n", 4, 3,
       "expected ':', 'requires' or 'irequires', not 'needs'");
  goal(two + "send 1b to 1\n}\nrank 1 {\n}\n", 3, 1, "rank 1 never receives this message (tag 0)");
  goal(two + "recv 1b from 1 tag 3\n}\nrank 1 {\n}\n", 3, 1,
       "rank 1 never sends this message (tag 3)");
  goal(two +
           "r: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
           "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n",
       4, 1, "deadlock: rank 0 waits here for an operation that never completes");
  goal(two + "a: calc 1\na requires a\n}\nrank 1 {\n}\n", 3, 1,
       "deadlock: rank 0 waits here for an operation that never completes");
  goal(two + "}\nrank 1 {\n}\nrank 2 {\n}\n", 6, 1, "'rank' after the last rank");
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
    at("goal", replaced(good, from, to), line, column, message);
  };
  changed("o1 requires o0\n", "", 16, 1,
          "this operation does not require all operations of its rank's previous step, so the "
          "operations could be executed in another order than the comments state");
  changed("o1 requires", "o1 irequires", 16, 1,
          "this operation does not require all operations of its rank's previous step, so the "
          "operations could be executed in another order than the comments state");
  changed("// 0 -> 1 : 0-1", "// 0 -> 2 : 0-1", 10, 1,
          "this send is to rank 1, but its comment says rank 2");
  changed("// 0 -> 1 : 0-1", "// 1 -> 2 : 0-1", 9, 4, "rank 0 cannot send for rank 1");
  changed("// 0 -> 1 : 0-1\n", "", 9, 1,
          "missing the comment that says which chunks this send carries");
  changed("// 1 -> 2 : 0-1", "// 1 -> 2 : 0", 16, 1, "8 bytes are not 1 chunk of 4 bytes");
  changed("// step 1", "// step 2", 16, 1, "the tag is 1, but the step is 2");
  changed("// step 0\n", "", 8, 4, "the step of this transfer is missing");
  changed("o0: send 8b to 1 tag 0\n", "", 10, 2, "a comment describes a send, but no send follows");
  changed("recv 8b from 0", "recv 9b from 0", 13, 1,
          "the message has 9 bytes here, and 8 where it is sent, line 10");
  changed("// ranks 3", "// ranks 4", 6, 11,
          "'num_ranks' is 3, but the header comment states 4 ranks");
}

TEST_CASE("schedules that a format cannot express are not written") {
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
        "GOAL has no routers; write the schedule at endpoint level");
  CHECK(refusal(head + "step 4294967295\n0 -> 1 : 0\n", "goal") ==
        "step 4294967295 is above 2^32 - 2; GOAL has no tag for its messages");
  CHECK(refusal(head + "step 3 rounds 2\n0 -> 1 : 0\n", "goal") ==
        "step 3 takes 2 rounds; GOAL has none");
  CHECK(refusal(head + "step 3\n0 -> 2 : 0\n", "goal") ==
        "in step 3, rank 2 is not one of the 2 ranks");
  CHECK(refusal(head + "step 3\n0 -> 0 : 0\n", "goal") ==
        "in step 3, rank 0 sends to itself, which GOAL does not allow");
  CHECK(refusal(head + "step 3\n0 -> 2 : 0\n", "sccl") ==
        "SCCL needs a well-formed schedule; in step 3, rank 2 does not exist; ranks are 0..1");
  CHECK(refusal(head + "nodes 3\nstep 0\n0 -> 2 : 0\n", "sccl") ==
        "SCCL's nodes are ranks; it has no hop level");
  CHECK(refusal("schedcc 1\ncollective exscan\nranks 2\nchunks 1\n", "sccl") ==
        "SCCL has no exscan; it has scan");
  CHECK(refusal("schedcc 1\ncollective reduce\nranks 2\nchunks 1\nordered\n", "sccl") ==
        "SCCL's operators commute; it has no ordered reductions");
  CHECK(refusal("schedcc 1\ncollective reduce\nranks 2\nchunks 1\nmachine logp\n", "sccl") ==
        "SCCL cannot express schedules for machine 'logp': its steps are not cycles");
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
