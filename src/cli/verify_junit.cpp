// verify --format junit: the XML of JUnit's reports, as Jenkins and GitLab read it. A violated
// check is a failure of the file's test case; a file that cannot be read or decided is an error.

#include <algorithm>

#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "cli/verify_outcome.hpp"
#include "core/printable.hpp"

namespace schedcc::cli {

namespace {

/// Text of an element or an attribute. What XML cannot contain becomes a question mark.
std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
    result += length == 0 || control ? "?"
              : c == '&'             ? "&amp;"
              : c == '<'             ? "&lt;"
              : c == '>'             ? "&gt;"
              : c == '"'             ? "&quot;"
                                     : std::string(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string lines(const std::vector<Remark>& all) {
  std::string result;
  for (const Remark& r : all) {
    result +=
        fmt::format("{}: {}: {} [{}]\n", where(r.location.file, r.location.line, r.location.column),
                    name(r.severity), r.message, r.rule);
  }
  return result;
}

const std::string& file(const Outcome& outcome) {
  return outcome.report ? outcome.report->file : outcome.location.file;
}

/// The element of a test case that has not passed.
std::string problem(std::string_view element, const std::vector<Remark>& all) {
  const auto worst = std::ranges::max_element(all, {}, &Remark::severity);
  if (worst == all.end()) return fmt::format("      <{}/>\n", element);
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                     escaped(worst->rule), escaped(worst->message), escaped(lines(all)));
}

std::string test_case(const Outcome& outcome) {
  const std::vector<Remark> all = remarks(outcome);
  std::string body;
  if (outcome.status == violated) {
    body = problem("failure", all);
  } else if (outcome.status != ok) {
    body = problem("error", all);
  } else if (!all.empty()) {
    body = fmt::format("      <system-out>{}</system-out>\n", escaped(lines(all)));
  }
  const std::string head =
      fmt::format(R"(    <testcase classname="schedcc.verify" name="{}")", escaped(file(outcome)));
  return body.empty() ? head + "/>\n" : fmt::format("{}>\n{}    </testcase>\n", head, body);
}

}  // namespace

std::string junit_text(const std::vector<Outcome>& outcomes) {
  const auto failures = std::ranges::count(outcomes, violated, &Outcome::status);
  const auto passed = std::ranges::count(outcomes, ok, &Outcome::status);
  const std::string counts =
      fmt::format(R"(tests="{}" failures="{}" errors="{}")", outcomes.size(), failures,
                  static_cast<std::ptrdiff_t>(outcomes.size()) - failures - passed);
  std::string result = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n"
      "  <testsuite name=\"schedcc verify\" {0} skipped=\"0\">\n",
      counts);
  for (const Outcome& outcome : outcomes) result += test_case(outcome);
  return result + "  </testsuite>\n</testsuites>\n";
}

}  // namespace schedcc::cli
