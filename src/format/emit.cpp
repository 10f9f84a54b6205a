#include "schedcc/emit.hpp"

#include "schedcc/named_machine.hpp"

namespace schedcc {

namespace {

/// Was it left as it is made? All of these are copies of one.
bool is_default(const Machine& machine) { return &machine.spec() == &Machine().spec(); }

}  // namespace

void emit(const Source& source, const Format& format, EmitOptions options, Output& out) {
  if (is_default(options.machine)) options.machine = named_machine(source);
  format.write(source, options, out);
}

}  // namespace schedcc
