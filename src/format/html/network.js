// The network beside the diagram: the machine's own, a tree, a grid or modules where it has that shape; else the tree
// that the schedule is; else a circle. Arrows are the messages of the step.
"use strict";

const mostNamed = 80;  // nodes with numbers

function makeNetwork(model, state, follow) {
  const svg = d3.select("#network"), data = model.data;
  const box = {width: 354, height: 300, edge: 16};
  svg.attr("viewBox", `0 0 ${box.width} ${box.height}`);
  const defs = svg.append("defs").append("marker").attr({id: "head", viewBox: "0 0 6 6", refX: 5, refY: 3,
    markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto"});
  defs.append("path").attr("d", "M0 0L6 3L0 6z");
  const linkLayer = svg.append("g"), messageLayer = svg.append("g"), nodeLayer = svg.append("g");
  let places = new Map(), radius = 9;
  const onTree = data.network !== null && data.network.kind === "tree";

  /// {title, at: node -> [x, y] in any unit, links}.
  function layout() {
    if (model.program) return gpus();
    const network = data.network;
    if (network && network.kind === "tree")
      return {title: "Fat tree", at: new Map(network.at.map((p, v) => [v, p])), links: network.links};
    if (network && network.rows) return grid(network);
    const tree = treeOfSchedule();
    if (tree) return tree;
    return circle(network);
  }

  /// The memory and the threadblocks of a GPU in a row.
  function gpus() {
    const at = new Map(), memory = data.tracks.some(([, block]) => block === null);
    data.tracks.forEach(([gpu, block], v) => at.set(v, [block === null ? 0 : block + memory, gpu]));
    return {title: memory ? "GPUs: their memory and threadblocks" : "GPUs: their threadblocks", at, links: [], named: true};
  }

  function grid({kind, rows, columns}) {
    const at = new Map(), links = [];
    for (let v = 0; v < data.ranks; ++v) {
      const r = Math.floor(v / columns), c = v % columns;
      at.set(v, [c, kind === "modules" ? 1.4 * r : r]);
      if (kind !== "modules" && c + 1 < columns) links.push([v, v + 1]);
      if (kind !== "modules" && r + 1 < rows) links.push([v, v + columns]);
    }
    const titles = {mesh: "Mesh", torus: "Torus (the links around its edges are not drawn)", modules: "Ranks by node or module: a row each"};
    return {title: titles[kind], at, links};
  }

  /// From the root: a rank is below the one that it first receives from; towards it: the one that it last sends to.
  function treeOfSchedule() {
    if (data.root === null || data.nodes > 1024) return null;
    for (const towards of [false, true]) {
      const parent = new Map();
      let several = false;
      for (const t of model.transfers) {
        const [child, above] = towards ? [t.src, t.dst] : [t.dst, t.src];
        if (child === data.root || child >= data.nodes || above >= data.nodes) continue;
        several = several || parent.has(child) && parent.get(child) !== above;
        if (towards || !parent.has(child)) parent.set(child, above);
      }
      if (parent.size !== data.ranks - 1) continue;
      const nodes = d3.range(data.ranks).map(v => ({v, children: []}));
      parent.forEach((above, child) => nodes[above].children.push(nodes[child]));
      const placed = d3.layout.tree().nodes(nodes[data.root]);
      if (placed.length !== data.ranks) continue;
      const title = !several ? "Tree" : towards ? "Tree of the last messages to send" : "Tree of the first messages to arrive";
      return {title, at: new Map(placed.map(n => [n.v, [n.x, n.depth / 4]])),
        links: [...parent].map(([child, above]) => [above, child])};
    }
    return null;
  }

  /// The ranks on a circle, with routers on one within.
  function circle(network) {
    const at = new Map(), routers = network ? network.routers.length : data.nodes - data.ranks;
    const ring = (first, count, radius) => d3.range(count).forEach(i => {
      const angle = 2 * Math.PI * i / count;
      at.set(first + i, [radius * Math.sin(angle), -radius * Math.cos(angle)]);
    });
    ring(0, data.ranks, 1);
    ring(data.ranks, routers, routers === 1 ? 0 : 0.55);
    return {title: network ? "Topology" : "Ranks", at, links: network ? network.links : []};
  }

  function place() {
    const {title, at, links, named} = layout();
    d3.select("#network-title").text(title);
    const keys = [...at.keys()], xs = d3.extent(keys, v => at.get(v)[0]), ys = d3.extent(keys, v => at.get(v)[1]);
    const x = d3.scale.linear().domain(xs[0] === xs[1] ? [xs[0] - 1, xs[1] + 1] : xs).range([named ? 72 : box.edge, box.width - (named ? 24 : box.edge)]);
    const y = d3.scale.linear().domain(ys[0] === ys[1] ? [ys[0] - 1, ys[1] + 1] : ys).range([named ? 34 : box.edge, box.height - box.edge]);
    places = new Map(keys.map(v => [v, [x(at.get(v)[0]), y(at.get(v)[1])]]));
    radius = Math.max(1.5, Math.min(10, 4.2 * Math.sqrt(300 / keys.length) / 2, nearest() / 2 - 1));
    const drawn = new Set(), lines = [];
    for (const [a, b] of links) {
      const key = Math.min(a, b) + "-" + Math.max(a, b);
      if (!drawn.has(key) && places.has(a) && places.has(b)) lines.push([a, b]);
      drawn.add(key);
    }
    linkLayer.selectAll("line").data(lines).enter().append("line").attr("class", "link")
      .attr({x1: d => places.get(d[0])[0], y1: d => places.get(d[0])[1], x2: d => places.get(d[1])[0], y2: d => places.get(d[1])[1]});
    const nodes = nodeLayer.selectAll("g").data(keys).enter().append("g")
      .attr("transform", v => `translate(${places.get(v)})`).on("click", v => follow({kind: "rank", number: v}));
    nodes.each(function (v) {
      const node = d3.select(this);
      if (v < data.ranks && !isMemory(v)) node.append("circle").attr("r", radius);
      else node.append("rect").attr({x: -radius, y: -radius, width: 2 * radius, height: 2 * radius});
    });
    if (radius >= 6.5 && keys.length <= mostNamed) nodes.append("text").attr("dy", 4).text(label);
    nodes.append("title").text(v => model.nodeName(v));
    if (named) {
      name(keys, 1, v => `GPU ${model.gpuOf(v)}`, 13, p => [50, p[1] + 4], "end");
      name(keys, 0, v => isMemory(v) ? "memory" : `tb ${data.tracks[v][1]}`, 40, p => [p[0], 14], "middle");
    }
  }

  const isMemory = v => model.program && data.tracks[v][1] === null;
  const label = v => !model.program ? v : isMemory(v) ? "" : data.tracks[v][1];

  /// The names of rows (axis 1) or columns (axis 0), as far as there is room.
  function name(keys, axis, text, room, at, anchor) {
    const lines = new Map();
    for (const v of keys) if (!lines.has(text(v))) lines.set(text(v), places.get(v));
    const shown = [];
    for (const line of [...lines].sort((a, b) => a[1][axis] - b[1][axis]))
      if (!shown.length || line[1][axis] - shown[shown.length - 1][1][axis] >= room) shown.push(line);
    linkLayer.append("g").selectAll("text").data(shown).enter().append("text").style("text-anchor", anchor)
      .attr({x: d => at(d[1])[0], y: d => at(d[1])[1]}).text(d => d[0]);
  }

  /// The least distance of neighbours in a row.
  function nearest() {
    const points = [...places.values()].sort((a, b) => a[1] - b[1] || a[0] - b[0]);
    return d3.min(points.slice(1), (p, i) => Math.hypot(p[0] - points[i][0], p[1] - points[i][1])) || 20;
  }

  /// From outline to outline, bent to the right, so that both directions can be seen.
  function path(t) {
    const a = places.get(t.src), b = places.get(t.dst), far = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const u = [(b[0] - a[0]) / far, (b[1] - a[1]) / far], bend = Math.min(10, 0.12 * far);
    if (Math.abs(u[1]) < 0.01 && onTree)  // between leaves: above the others
      return `M${a[0]},${a[1] - radius}Q${(a[0] + b[0]) / 2},${a[1] - radius - 0.7 * far} ${b[0]},${b[1] - radius - 1}`;
    const from = [a[0] + u[0] * radius, a[1] + u[1] * radius], to = [b[0] - u[0] * (radius + 1), b[1] - u[1] * (radius + 1)];
    return `M${from}Q${(a[0] + b[0]) / 2 - u[1] * bend},${(a[1] + b[1]) / 2 + u[0] * bend} ${to}`;
  }

  function draw() {
    const step = model.steps[state.step], time = step ? step.number : 0;
    const now = model.ofStep(step).filter(t => places.has(t.src) && places.has(t.dst)).slice(0, 1500);
    const lines = messageLayer.selectAll("path").data(now);
    lines.enter().append("path");
    lines.exit().remove();
    messageLayer.classed("many", now.length > 120);
    lines.attr("d", path).attr("class", t => "message" + (t.reduce ? " reduce" : "") +
      (state.followed && state.followed.has(t) ? " followed" : ""));
    const active = new Set(now.flatMap(t => [t.src, t.dst]));
    nodeLayer.selectAll("g").each(function (v) {
      const value = state.history ? valueAt(state.history, v, time) : null;
      const part = value && data.reduction && value.size < data.ranks;
      const followed = state.follow && (state.follow.kind === "rank" && state.follow.number === v ||
        state.follow.kind === "gpu" && model.gpuOf(v) === state.follow.number);
      d3.select(this).select("circle, rect").attr("class", [v === data.root ? "root" : "", active.has(v) || followed ? "active" : "",
        followed || value && !part ? "holds" : part ? "part" : ""].join(" "));
    });
    svg.attr("aria-label", `${now.length} transfers in this ${data.unit}`);
  }

  place();
  return {draw};
}
