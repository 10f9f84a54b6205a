#include "ledger.hpp"

#include "schedcc/error.hpp"

namespace ledger {

std::string Found::text(std::string_view over) const {
  std::string result = remarks_;
  if (failed_ > 0) {
    if (!result.empty()) result += "; ";
    if (cases_ > 1) result += fmt::format("{} of {} cases differ, the first: ", failed_, cases_);
    result += first_;
  } else if (result.empty()) {
    result = "as claimed";
  }
  if (!over.empty())
    result += fmt::format(" ({}: {} case{})", over, cases_, cases_ == 1 ? "" : "s");
  return result;
}

namespace {

constexpr std::string_view introduction =
    R"(<!-- Made by docs/ledger; make -f Makefile.examples docs makes it anew. -->

# The papers, claim by claim

What the four papers that schedcc is built on claim (formulas, numbers, table entries, figures), what is said of the algorithms of
libraries and later papers (LIB, BINE, TRIVANCE, FOREST), and what schedcc computes: from schedules that it builds and checks, from its bounds, or by working the formula out. A claim is
*reproduced* if every case is as the paper has it, over the range that stands in parentheses. It *differs* if one case does
not, and then the reason stands beside it. It is *not expressible* if it holds by its own rule, which is then followed step by step, but
schedules as [semantics.md](semantics.md) defines them cannot state that rule: a limit of schedcc, not of the paper. Verdicts come from the comparison, whenever this file is made; what is said here is
what the code of [docs/ledger](ledger) finds. Below each table are commands that show a case of each claim.

P ranks, K packets (chunks), lg = ceil(log2 P), h = log2 P; on fat trees n = P leaves. A formula with free parameters is worked out
over the range that is stated. Where a paper has a time, t (or α) is the start-up of a message and k (or s β) the time that the
message's bytes take. Claims that hold for a schedule hold in the sense of the checker: all checks, on the machine named.
)";

/// Text in a cell of a table, escaped except between backticks.
std::string cell(std::string_view text) {
  std::string result;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (c == '|' || (!code && (c == '*' || c == '_' || c == '<' || c == '\\'))) result += '\\';
    result += c;
  }
  return result;
}

struct Outcome {
  std::string id;
  const Claim* claim;
  Found found;
};

struct Account {
  const Paper* paper;
  std::vector<std::vector<Outcome>> sections;
};

/// An inconsistency of a claim: it differs without a reason, or has a reason but is reproduced.
std::string inconsistency(const Claim& claim, const Found& found) {
  if (!claim.limit.empty() && !found.reproduced()) return "is wrong by its own rule";
  if (found.reproduced() && !claim.reason.empty())
    return "is reproduced, but has a reason not to be";
  if (!found.reproduced() && claim.reason.empty()) return "differs without a reason";
  return found.shown().empty() ? "has a command that shows nothing" : "";
}

/// Computes the claim; an error in it is appended to `faults`.
Outcome compute(const Claim& claim, std::string id, std::string& faults) {
  Outcome outcome{std::move(id), &claim, {}};
  std::string fault;
  try {
    claim.compute(outcome.found);
    fault = inconsistency(claim, outcome.found);
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (!fault.empty()) {
    faults += fmt::format("\n{} ({}): {}: {}", outcome.id, claim.claim,
                          outcome.found.text(claim.over), fault);
  }
  return outcome;
}

std::vector<Account> accounts(const std::vector<Paper>& papers) {
  std::vector<Account> result;
  std::string faults;
  for (const Paper& paper : papers) {
    Account account{&paper, {}};
    int number = 0;
    for (const Section& section : paper.sections) {
      auto& outcomes = account.sections.emplace_back();
      for (const Claim& claim : section.claims) {
        outcomes.push_back(compute(claim, fmt::format("{} {}", paper.name, ++number), faults));
      }
    }
    result.push_back(std::move(account));
  }
  if (!faults.empty()) throw schedcc::InternalError("claims are at fault:" + faults);
  return result;
}

std::string summary(const std::vector<Account>& accounts) {
  std::string text =
      "\n| paper | claims | reproduced | not expressible | differ | those that differ |\n"
      "|---|---|---|---|---|---|\n";
  int all = 0, all_differ = 0, all_beyond = 0;
  for (const Account& account : accounts) {
    int claims = 0, differ = 0, beyond = 0;
    std::string which;
    for (const auto& section : account.sections) {
      for (const Outcome& outcome : section) {
        ++claims;
        if (!outcome.claim->limit.empty()) ++beyond;
        if (outcome.found.reproduced()) continue;
        ++differ;
        which += (which.empty() ? "" : ", ") + outcome.id;
      }
    }
    text +=
        fmt::format("| {}: {} | {} | {} | {} | {} | {} |\n", account.paper->name,
                    account.paper->title, claims, claims - differ - beyond, beyond, differ, which);
    all += claims;
    all_differ += differ;
    all_beyond += beyond;
  }
  return text + fmt::format("| all | {} | {} | {} | {} | |\n", all, all - all_differ - all_beyond,
                            all_beyond, all_differ);
}

std::string verdict(const Outcome& outcome) {
  if (!outcome.claim->limit.empty()) return "not expressible: " + cell(outcome.claim->limit);
  if (outcome.found.reproduced()) return "reproduced";
  return "**differs**: " + cell(outcome.claim->reason);
}

std::string table(const Section& section, const std::vector<Outcome>& outcomes) {
  std::string text = fmt::format("\n### {}\n\n", section.title);
  text += "| | where | claim | schedcc | verdict |\n|---|---|---|---|---|\n";
  std::string shown;
  for (const Outcome& outcome : outcomes) {
    const Claim& claim = *outcome.claim;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", outcome.id, cell(claim.place),
                        cell(claim.claim), cell(outcome.found.text(claim.over)), verdict(outcome));
    shown += fmt::format("{}  # {}: {}\n", claim.command, outcome.id, outcome.found.shown());
  }
  return text + "\n```sh\n" + shown + "```\n";
}

}  // namespace

std::string markdown(const std::vector<Paper>& papers) {
  const std::vector<Account> all = accounts(papers);
  std::string text(introduction);
  text += summary(all);
  for (const Account& account : all) {
    const Paper& paper = *account.paper;
    text += fmt::format("\n## {}: {}\n", paper.name, paper.title);
    for (std::size_t i = 0; i < paper.sections.size(); ++i) {
      text += table(paper.sections[i], account.sections[i]);
    }
    text += "\n### Not computed\n\n";
    for (const std::string_view line : paper.not_computed) text += fmt::format("- {}\n", line);
  }
  return text;
}

std::string commands(const std::vector<Paper>& papers) {
  std::string text;
  for (const Account& account : accounts(papers)) {
    for (const auto& section : account.sections) {
      for (const Outcome& outcome : section) {
        text +=
            fmt::format("{}\t{}\t{}\n", outcome.id, outcome.claim->command, outcome.found.shown());
      }
    }
  }
  return text;
}

}  // namespace ledger
