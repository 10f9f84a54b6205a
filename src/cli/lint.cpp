// schedcc lint: how libraries would use folders of programs and tables.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/cost_model.hpp"
#include "cli/file_error.hpp"
#include "cli/lint_report.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "core/input_text.hpp"
#include "core/names.hpp"
#include "format/msccl/reader.hpp"
#include "program/limits.hpp"
#include "schedcc/machine.hpp"

namespace schedcc::cli {

namespace {

namespace fs = std::filesystem;

/// Files among which a loader chooses: those of a folder, or those that are named one by one.
struct LintList {
  bool folder = false;
  std::vector<std::string> files = {};
  std::vector<LintedProgram> programs = {};  ///< those that could be read
  bool holds_program = false;                ///< also one that could not be read
  std::vector<std::string> tables = {};
  std::vector<std::string> others = {};  ///< neither programs nor tables
};

/// The files of a folder, which loaders read whatever their names, and not those of folders in it;
/// links count as files, and those to folders as other files. Throws InputError if it cannot be
/// read.
LintList list_of(const std::string& folder) {
  LintList result{.folder = true};
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code unknown;  // of a link to nothing, which opening reports
    const fs::file_type type = at->status(unknown).type();
    const bool link = at->is_symlink(unknown);
    if (type == fs::file_type::regular || (link && type == fs::file_type::not_found)) {
      result.files.push_back(at->path().string());
    } else if (link) {
      result.others.push_back(at->path().string());
    }
  }
  if (error)
    throw InputError({folder, 0, 0}, fmt::format("cannot read the folder: {}", error.message()));
  if (result.files.empty() && result.others.empty())
    throw InputError({folder, 0, 0}, "this folder has no files");
  std::ranges::sort(result.files);
  return result;
}

/// Reads and judges file after file.
class Linter {
 public:
  explicit Linter(const LintOptions& options)
      : options_(options), progress_("timing", !options.quiet) {
    const std::string runtime = options.runtime.value_or("rccl");
    as_usage([&] { program::find_runtime(runtime); });
    result_.loader = runtime == "msccl" ? MscclLoader::msccl : MscclLoader::rccl;
    read_format();
    read_losses();
  }

  LintResult run() {
    LintList named;
    std::set<std::string> seen;
    for (const std::string& argument : options_.arguments) {
      if (!seen.insert(fs::path(argument).lexically_normal().string()).second) continue;
      std::error_code unknown;
      if (argument == "-" || !fs::is_directory(argument, unknown)) {
        named.files.push_back(argument);
      } else {
        guarded(argument, [&] {
          if (!judge(list_of(argument)))
            throw InputError({argument, 0, 0}, "this folder has no program and no table");
        });
      }
    }
    judge(std::move(named));
    std::ranges::stable_sort(result_.findings, {}, [](const LintFinding& f) {
      return std::tie(f.location.file, f.location.line, f.location.column);
    });
    return std::move(result_);
  }

 private:
  /// Was there a program or a table, or a file that could not be read?
  bool judge(LintList list) {
    bool all_read = true;
    for (const std::string& path : list.files) {
      all_read &= guarded(path, [&] { file(path, list); });
    }
    if (result_.loader == MscclLoader::rccl)
      std::ranges::stable_sort(list.programs, {}, &LintedProgram::file);
    lint_sizes(list.programs, result_.loader, result_.findings);
    others(list);
    std::ranges::move(list.programs, std::back_inserter(result_.programs));
    return list.holds_program || !list.tables.empty() || !all_read;
  }

  void read_format() {
    if (!options_.from || *options_.from == "msccl") return;
    format_ = find_tuning_format(*options_.from);
    if (format_) return;
    std::vector<std::string_view> names{"msccl"};
    std::ranges::copy(tuning_format_names(), std::back_inserter(names));
    throw UsageError(unknown("format", *options_.from, names));
  }

  void read_losses() {
    const bool model = states_model(options_);
    const auto stated = stated_ranks(options_.ranks, options_.machine);
    if (model && !stated) throw UsageError("a cost model needs --ranks P, the ranks of a call");
    if (!model && (options_.ranks || options_.machine)) {
      throw UsageError(
          "--ranks and --machine require a cost model: --model, or --alpha and --beta");
    }
    if (!model) return;
    constexpr std::uint64_t most = 1 << 20;
    if (*stated > most) throw UsageError(fmt::format("--ranks must be at most {} here", most));
    const auto ranks = static_cast<std::uint32_t>(*stated);
    if (options_.machine) make_machine(*options_.machine, ranks);
    losses_ = LossRequest{cost_model(options_, options_.machine), ranks, options_.machine,
                          [this](std::uint64_t n) { progress_.show(n, "messages"); }};
  }

  /// Calls `work`; an error becomes a finding at its location, or in `path`. Was there none?
  bool guarded(const std::string& path, const std::function<void()>& work) {
    auto error = file_error(path, work);
    if (!error) return true;
    const bool unreadable = error->status == bad_input;
    (unreadable ? result_.unreadable : result_.undecided) = true;
    result_.findings.push_back({Severity::error, unreadable ? "unreadable" : "undecided",
                                std::move(error->location), std::move(error->message)});
    return false;
  }

  void file(const std::string& path, LintList& list) {
    const InputText text = InputText::open(path);
    const std::optional<TuningFormat> format = options_.from ? format_ : tuning_format(text.view());
    if (options_.from ? !format_ : is_msccl(text.view())) {
      list.holds_program = true;
      list.programs.push_back(lint_program(text, path, result_.loader, result_.findings));
      result_.undecided |= list.programs.back().verdict == Verdict::unknown;
    } else if (format) {
      list.tables.push_back(path);
      table(text, path, *format);
    } else if (list.folder) {
      list.others.push_back(path);
    } else {
      throw InputError(
          {path, 0, 0},
          "neither a program in MSCCL XML nor a table that lint reads (ompi-rules, ompi-json, "
          "nccl-tuner)");
    }
  }

  void table(const InputText& text, const std::string& path, TuningFormat format) {
    auto linted = std::make_unique<LintedTable>();
    linted->table = read_tuning_table(text.view(), path, format);
    lint_rules(linted->table);
    as_usage([&] { linted->rules = lint_losses(linted->table, losses_ ? &*losses_ : nullptr); });
    for (const LintFinding& finding : linted->table.findings) result_.findings.push_back(finding);
    result_.tables.push_back(std::move(linted));
  }

  /// Files of a folder that are not programs, of which a loader of the whole folder takes none.
  void others(const LintList& list) {
    const bool refused = list.folder && list.holds_program && result_.loader == MscclLoader::rccl;
    const auto add = [&](const std::string& path, std::string_view what) {
      result_.findings.push_back(
          refused ? LintFinding{Severity::error,
                                "refused",
                                {path, 0, 0},
                                fmt::format(
                                    "this is {}, and rccl reads all files of the folder: "
                                    "the first that it cannot read makes its initialization fail",
                                    what)}
                  : LintFinding{Severity::note,
                                "skipped",
                                {path, 0, 0},
                                "neither a program nor a table: skipped"});
    };
    for (const std::string& path : list.others) add(path, "not a program");
    if (!refused) return;
    for (const std::string& path : list.tables) add(path, "a table, not a program");
  }

  const LintOptions& options_;
  Progress progress_;
  LintResult result_;
  std::optional<TuningFormat> format_;  ///< that of --from, if it is a table's
  std::optional<LossRequest> losses_;
};

}  // namespace

Status lint(const LintOptions& options) {
  if (options.arguments.empty())
    throw UsageError("lint needs a FILE or a DIR; '-' is standard input");
  if (std::ranges::count(options.arguments, "-") > 1)
    throw UsageError("'-' (standard input) is given twice");
  const LintResult result = Linter(options).run();
  StandardOutput().write(options.json ? dump(lint_json(result, options), options)
                                      : lint_text(result, options));
  return result.status();
}

}  // namespace schedcc::cli
