// The table of machines: a specification is read into a model.

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "simulator/networks.hpp"

namespace naive {

namespace {

/// "L=6,o=2" as a map; an item without '=' continues the list before it.
std::map<std::string, std::vector<std::string>> items(const std::string& text) {
  std::map<std::string, std::vector<std::string>> result;
  std::istringstream in(text);
  std::string item, key;
  while (std::getline(in, item, ',')) {
    const std::size_t equals = item.find('=');
    if (equals != std::string::npos) key = item.substr(0, equals);
    result[key].push_back(equals == std::string::npos ? item : item.substr(equals + 1));
  }
  return result;
}

void read_topology(const std::string& path, Model& model) {
  std::ifstream in(path);
  const auto json = nlohmann::json::parse(in);
  const bool direct = json.contains("ports");
  Model::Graph graph;
  const Rank ranks = json.at("ranks").get<Rank>();
  graph.nodes = ranks;
  if (json.contains("switches")) {
    for (const auto& item : json.at("switches")) {
      Model::Rules rules{!direct, !direct};
      if (item.is_object()) {
        rules.multicast = item.value("multicast", !direct);
        rules.reduces = item.value("reduces", !direct);
      }
      graph.rules[static_cast<Rank>(graph.nodes++)] = rules;
    }
  }
  for (const auto& link : json.at("links")) {
    graph.links[{link.at("from").get<Rank>(), link.at("to").get<Rank>()}] =
        link.at("capacity").get<std::uint64_t>();
  }
  graph.shared = json.value("shared", false);
  measure(graph);
  if (direct) {
    const std::size_t k = json.at("ports").get<std::size_t>();
    model.ports = {k, k, 2 * k};
    model.direct = graph;
  } else {
    model.graph = graph;
  }
}

/// All ranks at one switch.
Model::Graph star(Rank ranks, Model::Rules rules) {
  Model::Graph graph;
  graph.nodes = ranks + std::uint64_t{1};
  for (Rank r = 0; r < ranks; ++r) graph.links[{r, ranks}] = graph.links[{ranks, r}] = UINT64_MAX;
  graph.rules[ranks] = rules;
  measure(graph);
  return graph;
}

std::vector<std::uint64_t> capacities(const std::vector<std::string>& values, Rank ranks) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t leaves = 1; leaves < ranks; leaves *= 2) {
    const std::size_t i = result.size();
    if (values.at(0) == "constant") {
      result.push_back(1);
    } else if (values.at(0) == "exponential") {
      result.push_back(leaves);
    } else {
      result.push_back(std::stoull(values.at(i)));
    }
  }
  return result;
}

/// "8x4x16"; a single number is followed by what is missing.
std::vector<std::uint64_t> factors(const std::string& text, Rank ranks) {
  std::vector<std::uint64_t> result;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, 'x');) result.push_back(std::stoull(item));
  if (result.size() == 1) result.push_back(ranks / result[0]);
  return result;
}

/// Removes a flag from all lists; was it there?
bool take_flag(std::map<std::string, std::vector<std::string>>& items, const std::string& flag) {
  std::size_t taken = 0;
  for (auto& [key, values] : items) taken += std::erase(values, flag);
  return taken > 0;
}

/// Rows and columns of a grid whose sides are not stated: as many rows as possible, but not more
/// than columns.
std::string nearly_square(Rank ranks) {
  Rank rows = 1;
  for (Rank r = 1; r <= ranks / r; ++r) {
    if (ranks % r == 0) rows = r;
  }
  return std::to_string(rows) + "x" + std::to_string(ranks / rows);
}

Model make(const std::string& spec, Rank ranks) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string name = spec.substr(0, colon);
  auto item = items(colon < spec.size() ? spec.substr(colon + 1) : "");
  const auto number = [&item](const std::string& key, std::uint64_t standard) {
    return item.count(key) ? std::stoull(item[key].at(0)) : standard;
  };
  Model result;
  result.width = number("width", 0);
  if (name == "duplex") {
    result.ports = {1, 1, 2};
  } else if (name == "simplex") {
    result.ports = {1, 1, 1};
  } else if (name == "kport" || name == "bsp") {
    const std::size_t k = number(name == "bsp" ? "h" : "k", 2);
    result.ports = {k, k, 2 * k};
  } else if (name == "logp") {
    result.logp = {number("L", 6), number("o", 2), number("g", 4)};
  } else if (name == "fattree") {
    result.capacity = capacities(item["cap"], ranks);
  } else if (name == "cbft" || name == "ebft") {
    result.capacity = capacities({name == "cbft" ? "constant" : "exponential"}, ranks);
  } else if (name == "mesh" || name == "torus") {
    const std::string sides = item[""].empty() ? nearly_square(ranks) : item[""].at(0);
    const std::size_t x = sides.find('x'), k = number("ports", 1);
    result.ports = {k, k, 2 * k};
    result.grid = {std::stoull(sides.substr(0, x)), std::stoull(sides.substr(x + 1)),
                   number("congestion", 1), name == "torus"};
  } else if (name == "crossbar") {
    result.ports = {1, 1, 2};
    result.modules = {number("b", 0), number("in", 2), number("out", 2)};
  } else if (name == "cluster") {
    const std::size_t k = number("ports", 1);
    result.ports = {k, k, 2 * k};
    Model::Cluster cluster;
    cluster.rails = take_flag(item, "rails");
    cluster.shared = take_flag(item, "shared");
    cluster.factors = factors(item[""].at(0), ranks);
    cluster.nics = number("nics", 1);
    for (const std::string& value : item["oversubscription"])
      cluster.oversubscription.push_back(std::stoull(value));
    if (cluster.oversubscription.empty()) cluster.oversubscription = {1};
    if (cluster.oversubscription.size() == 1)
      cluster.oversubscription.resize(cluster.factors.size() - 1, cluster.oversubscription[0]);
    result.cluster = cluster;
  } else if (name == "topology") {
    read_topology(item[""].at(0), result);
  } else if (name == "switch") {
    const std::size_t k = number("ports", 1);
    result.ports = {k, k, 2 * k};
    const std::string only = item.count("only") ? item["only"].at(0) : "";
    result.direct = star(ranks, {only != "reduces", only != "multicast"});
  } else {
    throw std::invalid_argument("the simulator knows no machine " + spec);
  }
  return result;
}

}  // namespace

const Model& model(const std::string& spec, Rank ranks) {
  static std::map<std::pair<std::string, Rank>, Model> made;
  const auto found = made.find({spec, ranks});
  if (found != made.end()) return found->second;
  return made.emplace(std::pair(spec, ranks), make(spec, ranks)).first->second;
}

}  // namespace naive
