// The manual page, from the help texts of all commands.

#include "cli/manual.hpp"

#include "cli/commands.hpp"
#include "core/manual_page.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cli {

std::string manual() {
  std::string result =
      manual_head("schedcc", SCHEDCC_VERSION, "compiler and verifier for communication schedules");
  result += ".SH SYNOPSIS\n.B schedcc\n.I COMMAND\n[options]\n.br\n.B schedcc\n.I COMMAND\n.B " +
            manual_text("--help") + "\n.SH DESCRIPTION\n";
  result += manual_text(
                "schedcc takes a collective operation, builds a schedule of the messages of each "
                "step, checks that it is correct on its machine, and writes it as a table, as a "
                "picture, or as text.") +
            "\n";
  for (const Command& command : commands()) {
    result += ".TP\n.B " + manual_text(command.name) + "\n" + manual_text(command.summary) + "\n";
  }
  result += ".SH COMMANDS\n";
  for (const Command& command : commands()) result += manual_subsection(help(command));
  return result + ".SH SEE ALSO\n.BR schedcc\\-mpirun (1),\n.BR dot (1)\n";
}

}  // namespace schedcc::cli
