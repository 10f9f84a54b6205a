// Formats that are written and read: what is written comes back the same, for every algorithm, and
// what is malformed is refused at its place.

#include <fmt/format.h>

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
