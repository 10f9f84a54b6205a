#include "cli/sweep_header.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "cli/number_list.hpp"
#include "cli/sweep_line.hpp"
#include "core/crc32c.hpp"
#include "core/input_text.hpp"
#include "core/join.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cli {

namespace {

std::string file_checksum(const std::string& path) {
  return fmt::format("{:08x}", crc32c(InputText::open(path).view()));
}

/// A text, and the checksums of the files that are named in it, between white space, colons, commas
/// and quotation marks.
std::string with_files(const std::string& text) {
  constexpr std::string_view separators = " \t\n:,'\"";
  std::string result = text;
  for (std::size_t end = 0, begin = 0;
       (begin = text.find_first_not_of(separators, end)) != std::string::npos;) {
    end = std::min(text.find_first_of(separators, begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::error_code ignored;  // then it is not a file
    if (std::filesystem::is_regular_file(word, ignored))
      result += fmt::format(" [{} {}]", word, file_checksum(word));
  }
  return result;
}

/// The file of this program cannot be read where there is no /proc; then the version is all.
std::string program() {
  constexpr const char* self = "/proc/self/exe";
  std::error_code ignored;
  return std::filesystem::exists(self, ignored)
             ? fmt::format("{} [{}]", SCHEDCC_VERSION, file_checksum(self))
             : SCHEDCC_VERSION;
}

}  // namespace

std::string sweep_header(const SweepOptions& options, const std::vector<Spec>& algorithms) {
  std::string result = "schedcc sweep 1\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    result += fmt::format("{} {}\n", name, escaped(value));
  };
  line("program", program());
  std::vector<std::string> names;
  names.reserve(algorithms.size());
  for (const Spec& spec : algorithms) names.push_back(spec.text());
  line("algorithms", join(names, ", "));
  if (options.generator) line("generator", with_files(*options.generator));
  line("collective", options.collective.value_or("all"));
  line("machine", options.machine ? with_files(*options.machine) : "that of the algorithm");
  line("ranks", options.ranks);
  line("chunks", options.chunks);
  line("roots", options.first_root ? "first" : "all");
  line("shard", fmt::format("{}/{}", options.shard + 1, options.shards));
  const CheckOptions& check = options.check;
  line("checks", check.checks ? join(*check.checks, ",") : "all");
  line("blocking",
       split(find_option("blocking").argument, '|').at(static_cast<std::size_t>(check.blocking)));
  line("eager", fmt::format("{}", check.eager));
  line("max-buffer", check.max_buffer ? fmt::format("{}", *check.max_buffer) : "none");
  line("strict", check.strict ? "yes" : "no");
  return result + header_end(result);
}

std::string header_end(std::string_view text) {
  return fmt::format("checksum {:08x}\n", crc32c(text));
}

}  // namespace schedcc::cli
