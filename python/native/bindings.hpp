#pragma once

// What the parts of the module share: errors, and calls that answer Ctrl-C.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "handle.hpp"

namespace schedcc::python {

namespace py = pybind11;

void bind_schedules(py::module_& module);
void bind_output(py::module_& module);
void bind_studies(py::module_& module);
void bind_lists(py::module_& module);

/// Raises what a signal handler raises, as KeyboardInterrupt. Called without the GIL.
inline void answer_signals() {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// The `progress` of the library's long calls.
inline void on_progress(std::uint64_t) { answer_signals(); }

/// Runs `work` in a thread of its own, and sets `stop` when a signal comes. `work` uses no Python.
/// Called with the GIL, which is released meanwhile.
template <typename Work>
auto interruptible(std::atomic<bool>& stop, Work work) {
  using namespace std::chrono_literals;
  const py::gil_scoped_release released;
  auto result = std::async(std::launch::async, std::move(work));
  while (result.wait_for(50ms) != std::future_status::ready) {
    try {
      answer_signals();
    } catch (...) {
      stop = true;
      result.wait();
      throw;
    }
  }
  return result.get();
}

/// Text for Python. What is not UTF-8, as names in files may be, is replaced.
struct Text {
  std::string value;
};
/// A report as JSON and as text.
using Texts = std::pair<Text, Text>;

}  // namespace schedcc::python

template <>
struct pybind11::detail::type_caster<schedcc::python::Text> {
  PYBIND11_TYPE_CASTER(schedcc::python::Text, const_name("str"));
  bool load(handle, bool) { return false; }  // results only
  static handle cast(const schedcc::python::Text& text, return_value_policy, handle) {
    return PyUnicode_DecodeUTF8(text.value.data(), static_cast<Py_ssize_t>(text.value.size()),
                                "replace");
  }
};
