// The lists of algorithms, collectives, machines, checks, cost models and formats, as the
// keyword arguments of the classes of schedcc._lists.

#include <string_view>
#include <vector>

#include "bindings.hpp"

namespace schedcc::python {

namespace {

std::string_view name_of(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::integer:
      return "integer";
    case Parameter::Kind::text:
      return "text";
    case Parameter::Kind::list:
      return "list";
    case Parameter::Kind::flag:
      return "flag";
    case Parameter::Kind::time:
      return "time";
    case Parameter::Kind::gap:
      return "gap";
    case Parameter::Kind::size:
      return "size";
    case Parameter::Kind::link:
      return "link";
  }
  throw InternalError("a parameter of no kind");
}

py::list list_of(const std::vector<Parameter>& parameters) {
  py::list result;
  for (const Parameter& p : parameters) {
    py::dict entry;
    entry["name"] = p.name;
    entry["summary"] = p.summary;
    entry["kind"] = name_of(p.kind);
    entry["choices"] = py::tuple(py::cast(p.choices));
    entry["default"] = p.default_value.empty() ? py::object(py::none()) : py::cast(p.default_value);
    entry["required"] = p.required;
    if (p.kind == Parameter::Kind::integer) {
      entry["least"] = p.min;
      entry["most"] = p.max;
    }
    result.append(entry);
  }
  return result;
}

py::dict entry_of(std::string_view name, std::string_view summary) {
  py::dict entry;
  entry["name"] = name;
  entry["summary"] = summary;
  return entry;
}

py::list algorithm_list() {
  py::list result;
  for (const Algorithm* algorithm : algorithms()) {
    py::dict entry = entry_of(algorithm->name, algorithm->summary);
    std::vector<std::string_view> names;
    for (const Collective collective : algorithm->collectives)
      names.push_back(info(collective).name);
    entry["source"] = algorithm->source;
    entry["collectives"] = py::tuple(py::cast(names));
    entry["machines"] = py::tuple(py::cast(algorithm->machines));
    entry["parameters"] = list_of(algorithm->parameters);
    entry["disagreement"] = algorithm->disagreement;
    result.append(entry);
  }
  return result;
}

py::list collective_list() {
  constexpr std::string_view chunks[] = {"of the message", "of a block", "of a pair of ranks"};
  py::list result;
  for (const CollectiveInfo& collective : collectives()) {
    py::dict entry = entry_of(collective.name, collective.summary);
    entry["rooted"] = collective.rooted;
    entry["reduction"] = collective.reduction;
    entry["chunks"] = collective.declared ? "in all" : chunks[collective.blocks];
    result.append(entry);
  }
  return result;
}

py::list machine_list() {
  py::list result;
  for (const MachineInfo& machine : machines()) {
    py::dict entry = entry_of(machine.name, machine.summary);
    entry["source"] = machine.source;
    entry["parameters"] = list_of(machine.parameters);
    entry["aliases"] = py::dict(py::cast(machine.aliases));
    result.append(entry);
  }
  return result;
}

py::list machine_file_list() {
  py::list result;
  for (const MachineFile& file : machine_files()) {
    py::dict entry = entry_of(file.name, file.title);
    entry["ranks"] = file.ranks;
    entry["sources"] = py::tuple(py::cast(file.sources));
    result.append(entry);
  }
  return result;
}

py::list check_list() {
  py::list result;
  for (const CheckInfo& check : all_checks()) result.append(entry_of(check.name, check.summary));
  return result;
}

py::list cost_model_list() {
  py::list result;
  for (const CostModelInfo& model : cost_models()) {
    py::dict entry = entry_of(model.name, model.summary);
    entry["source"] = model.source;
    entry["parameters"] = list_of(model.parameters);
    result.append(entry);
  }
  return result;
}

py::list format_list() {
  py::list result;
  for (const Format* format : formats()) {
    py::dict entry = entry_of(format->name, format->summary);
    entry["extensions"] = py::tuple(py::cast(format->extensions));
    entry["parameters"] = list_of(format->parameters);
    entry["readable"] = format->readable;
    entry["writable"] = format->writable;
    result.append(entry);
  }
  return result;
}

}  // namespace

void bind_lists(py::module_& module) {
  module.def(
      "find_collective",
      [](const std::string& name) { return info(collective_of_user(name)).name; }, py::arg("name"));
  module.def("algorithms", &algorithm_list);
  module.def("collectives", &collective_list);
  module.def("machines", &machine_list);
  module.def("machine_files", &machine_file_list);
  module.def("checks", &check_list);
  module.def("cost_models", &cost_model_list);
  module.def("formats", &format_list);
}

}  // namespace schedcc::python
