#include "schedcc/emit.hpp"

#include "schedcc/named_machine.hpp"

namespace schedcc {

void emit(const Source& source, const Format& format, EmitOptions options, Output& out) {
  if (options.machine.spec().empty()) options.machine = named_machine(source);
  format.write(source, options, out);
}

}  // namespace schedcc
