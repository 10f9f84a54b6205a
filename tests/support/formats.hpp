#pragma once

// Writing and reading schedules in the formats, and errors with their locations.

#include <string>

#include "catch.hpp"
#include "core/input_text.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace formats {

using namespace schedcc;

struct StringOutput : Output {
  void write(std::string_view piece) override { text += piece; }
  std::string text;
};

inline std::string written(const Source& source, std::string_view format) {
  const Format& f = find_format(format);
  EmitOptions options;
  options.parameters = Spec{}.check(f.parameters, "format");
  StringOutput out;
  f.write(source, options, out);
  return out.text;
}

inline Source read(const std::string& text, std::string_view format) {
  return find_format(format).read(text, "test");
}

/// Calls f(source) for small problems of all algorithms and collectives.
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

inline Error error(const std::string& text, std::string_view format) {
  try {
    const auto stream = read(text, format).open();
    for (Step step; stream->next(step);) {
    }
  } catch (const InputError& e) {
    CHECK(e.location.file == "test");
    return {e.location.line, e.location.column, e.what()};
  }
  return {0, 0, "no error"};
}

/// The text with the first `from` in it replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

/// The text has this error at this location.
inline void at(std::string_view format, const std::string& text, std::uint32_t line,
               std::uint32_t column, const std::string& message) {
  INFO(text);
  const Error e = error(text, format);
  CHECK(e.line == line);
  CHECK(e.column == column);
  CHECK(e.message == message);
}

}  // namespace formats
