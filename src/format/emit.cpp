#include "schedcc/emit.hpp"

#include "schedcc/named_machine.hpp"

namespace schedcc {

namespace {

/// Is it default-constructed? All such machines share one set of rules.
bool is_default(const Machine& machine) { return &machine.spec() == &Machine().spec(); }

}  // namespace

void emit(const Source& source, const Format& format, EmitOptions options, Output& out) {
  if (is_default(options.machine)) options.machine = named_machine(source);
  format.write(source, options, out);
}

}  // namespace schedcc
