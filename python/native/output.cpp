// Schedules in formats, written piece by piece to what Python passes.

#include <memory>

#include "bindings.hpp"

namespace schedcc::python {

namespace {

/// Output that goes to a Python function, and to parts that another one begins.
class PythonOutput : public Output {
 public:
  PythonOutput(const py::function& write, const py::object& begin_part)
      : write_(write), begin_part_(begin_part) {}
  void write(std::string_view text) override {
    const py::gil_scoped_acquire gil;
    write_(py::bytes(text.data(), text.size()));
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  std::string begin_part(std::string_view name) override {
    const py::gil_scoped_acquire gil;
    if (begin_part_.is_none()) return {};
    return py::cast<std::string>(begin_part_(std::string(name)));
  }

 private:
  const py::function& write_;
  const py::object& begin_part_;
};

/// A note for the user is a warning of Python.
void warn(const std::string& note) {
  const py::gil_scoped_acquire gil;
  if (PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) != 0) throw py::error_already_set();
}

const Format& writable(const Spec& spec) {
  const Format& format = find_format(spec.name);
  if (format.writable) return format;
  throw InputError("format '" + spec.name + "' is only read, not written");
}

/// Writes a schedule in the format that `text` names, with its parameters. `checked`: the page has
/// the report of the checks. `folder`: that of the file, to which paths of machines are relative.
void emit(const Handle& handle, const std::string& text, const std::optional<std::string>& machine,
          bool checked, const std::string& command, const std::string& stem,
          const std::optional<std::string>& folder, const py::function& write,
          const py::object& begin_part) {
  PythonOutput output(write, begin_part);
  const py::gil_scoped_release released;
  const Spec spec = Spec::parse(text);
  const Format& format = writable(spec);
  OtherSchedule what = on_machine(handle, machine);
  EmitOptions options;
  options.parameters = spec.check(format.parameters, "format '" + spec.name + "'");
  format.check(options.parameters);
  options.command = command;
  options.stem = stem;
  options.machine = what.machine;
  options.note = warn;
  format.refuse(what.source, options);
  if (checked) {
    CheckOptions check;
    check.progress = on_progress;
    options.report =
        std::make_shared<const Report>(schedcc::check(what.source, what.machine, check));
  }
  if (folder) {
    what.source.machine = machine_for_folder(what.source.machine, *folder);
    options.machine = what.machine.with_spec(machine_for_folder(what.machine.spec(), *folder));
  }
  format.write(what.source, options, output);
}

/// The name of the format with the file's extension; none: no format has it.
std::optional<std::string> format_of_extension(const std::string& path) {
  const Format* format = format_by_extension(path);
  if (format == nullptr || !format->writable) return std::nullopt;
  return std::string(format->name);
}

}  // namespace

void bind_output(py::module_& module) {
  module.def("emit", &emit, py::arg("handle"), py::arg("format"), py::arg("machine"),
             py::arg("checked"), py::arg("command"), py::arg("stem"), py::arg("folder"),
             py::arg("write"), py::arg("begin_part"));
  module.def("format_of_extension", &format_of_extension, py::arg("path"));
}

}  // namespace schedcc::python
