// schedcc._schedcc: the library for the package `schedcc`, whose modules make of it what users
// see. It has no interface of its own that is kept.

#include "bindings.hpp"

namespace schedcc::python {

namespace {

/// Raises a class of schedcc._errors. The GIL is held.
void raise(const char* name, const std::string& message, const SourceLocation& where) {
  const auto place = [](std::uint32_t number) -> py::object {
    return number == 0 ? py::object(py::none()) : py::object(py::int_(number));
  };
  const py::object error_class = py::module_::import("schedcc._errors").attr(name);
  const py::object file = where.file.empty() ? py::object(py::none()) : py::cast(Text{where.file});
  const py::object error = error_class(Text{message}, file, place(where.line), place(where.column));
  PyErr_SetObject(error_class.ptr(), error.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(std::move(pointer));
  } catch (const InputError& error) {
    raise("InputError", error.what(), error.location);
  } catch (const LimitError& error) {
    raise("LimitError", error.what(), error.location);
  } catch (const InternalError& error) {
    raise("InternalError", error.what(), {});
  } catch (const std::length_error&) {  // a container that cannot be as long
    PyErr_NoMemory();
  }
}

}  // namespace

}  // namespace schedcc::python

PYBIND11_MODULE(_schedcc, module) {
  using namespace schedcc::python;
  module.doc() = "The library of schedcc; use the package `schedcc`.";
  module.attr("version") = SCHEDCC_VERSION;
  py::register_local_exception_translator(translate);
  bind_schedules(module);
  bind_output(module);
  bind_studies(module);
  bind_lists(module);
}
