// The page: what is shown, the controls, and the panels beside the diagram.
"use strict";

const mostRows = 256;     // ranks that are shown at first
const mostListed = 200;   // transfers in a list
const mostPlaces = 24;    // of a finding that are listed
const byId = id => document.getElementById(id);

(function () {
  const data = JSON.parse(byId("data").textContent), model = makeModel(data);
  const lastStep = model.steps.length ? model.steps[model.steps.length - 1].number : 0;
  const state = {
    step: 0, follow: null, followed: null, history: null, hover: null, hoverBox: undefined, hoverNode: undefined, finding: 0, mark: 0, timer: 0,
    rows: [data.shown.ranks[0], Math.min(data.shown.ranks[1], data.shown.ranks[0] + mostRows - 1)],
    range: data.shown.steps ? [data.shown.steps[0], Math.min(lastStep, data.shown.steps[1])] : [0, lastStep],
  };
  if (model.program) state.rows[1] = wholeGpus(...state.rows);
  const diagram = makeDiagram(model, state, {hover, choose});
  const network = makeNetwork(model, state, follow);

  /// The last of some tracks, or of those of a program the last one before a GPU that they do not contain.
  function wholeGpus(first, last) {
    while (last > first && last < data.shown.ranks[1] && model.gpuOf(last) === model.gpuOf(last + 1)) --last;
    return last;
  }
  /// The tracks of GPUs: the first one, and the last; those that are shown, if they have none.
  function tracksOf(from, to) {
    const tracks = d3.range(data.nodes).filter(v => model.gpuOf(v) >= from && model.gpuOf(v) <= to);
    return tracks.length ? [tracks[0], tracks[tracks.length - 1]] : state.rows;
  }
  const shownNow = () => model.program ? state.rows.map(model.gpuOf) : state.rows;

  function show() {
    diagram.reveal(model.steps[state.step]);
    network.draw();
    writeStep();
    writeDetails();
  }

  function goTo(index) {
    state.step = Math.max(0, Math.min(model.steps.length - 1, index));
    show();
  }
  const stop = () => { clearInterval(state.timer); state.timer = 0; writePlay(); };
  function play() {
    if (state.timer) return stop();
    if (state.step >= model.steps.length - 1) goTo(0);
    state.timer = setInterval(() => state.step < model.steps.length - 1 ? goTo(state.step + 1) : stop(), 700);
    writePlay();
  }
  function writePlay() {
    byId("play").textContent = state.timer ? "pause" : "play";
    byId("play").setAttribute("aria-pressed", state.timer !== 0);
  }

  const pathOf = new Map();  // the message of the critical path that a transfer belongs to
  for (const message of model.path || []) for (const t of message.transfers) pathOf.set(t, message);

  const mostOf = {packet: data.chunks, rank: data.nodes, gpu: model.gpus};
  const isOf = (t, {kind, number}) => kind === "packet" ? model.carries(t, number) : [t.src, t.dst].some(v => (kind === "gpu" ? model.gpuOf(v) : v) === number);

  /// {kind: "packet" | "rank" | "gpu" | "path", number}, or null for nothing.
  function follow(what) {
    if (what && what.kind !== "path" && (!Number.isInteger(what.number) || what.number < 0 || what.number >= mostOf[what.kind])) return;
    state.follow = what;
    state.history = what && what.kind === "packet" ? model.history(what.number) : null;
    state.followed = !what ? null : new Set(what.kind === "path" ? pathOf.keys() : model.transfers.filter(t => isOf(t, what)));
    byId("packet").value = what && what.kind === "packet" ? what.number : "";
    byId("rank").value = !what || !["rank", "gpu"].includes(what.kind) ? "" : what.kind === "rank" && model.program ? model.gpuOf(what.number) : what.number;
    byId("unfollow").disabled = !what;
    byId("path").setAttribute("aria-pressed", what !== null && what.kind === "path");
    diagram.draw();
    network.draw();
    writeDetails();
  }

  /// `which` of its marks is brought into view.
  function chooseFinding(finding, which = 0) {
    [state.finding, state.mark] = [finding.number, which];
    d3.selectAll("#findings li").classed("chosen", (_, i) => i + 1 === finding.number);
    const mark = finding.marks[which] || {};
    if (mark.node !== undefined && (mark.node < state.rows[0] || mark.node > state.rows[1])) showRanks(Math.max(0, mark.node - 8), mark.node + 8);
    if (finding.chunk !== undefined) follow({kind: "packet", number: finding.chunk});
    const step = mark.inStep || !model.program && finding.inStep;
    goTo(step ? step.index : model.steps.length - 1);
  }

  function choose([found, instruction, transfer, node]) {
    if (found) return chooseFinding(found.finding, found.mark);
    if (instruction) {
      follow({kind: "rank", number: instruction.node});
      goTo(model.stepOf.get(instruction.time).index);
    } else if (transfer) {
      follow(model.program ? {kind: "rank", number: transfer.src} : {kind: "packet", number: transfer.first});
      goTo(transfer.step.index);
    } else if (node !== undefined) {
      follow({kind: "rank", number: node});
    }
  }

  function hover([found, instruction, transfer, node], px, py) {
    if (instruction) transfer = null;
    const tip = byId("tip"), changed = state.hover !== transfer || state.hoverBox !== instruction || state.hoverNode !== node;
    [state.hover, state.hoverBox, state.hoverNode] = [transfer, instruction, node];
    tip.hidden = !(found || instruction || transfer || node !== undefined);
    if (changed) diagram.drawOver();
    if (tip.hidden) return;
    tip.textContent = found ? findingText(found.finding) : instruction ? instructionText(instruction) : transfer ? transferText(transfer) : model.nodeName(node);
    const section = byId("diagram");
    tip.style.left = Math.min(px + 14, Math.max(0, section.clientWidth - tip.offsetWidth - 4)) + "px";
    tip.style.top = Math.min(py + 14, Math.max(0, section.clientHeight - tip.offsetHeight - 4)) + "px";
  }

  const findingText = finding => `${finding.number}: ${finding.message}`;
  const lineText = line => line ? `${data.file}:${line}` : "";

  function instructionText(i) {
    return [`${model.nodeName(i.node)}, ${data.noun} ${i.number}`, i.text, i.detail, lineText(i.line), ...i.findings.map(n => findingText(model.findings[n - 1]))].filter(Boolean).join("\n");
  }

  const modes = ["message", "message, which is added", "dependency", "signal", "barrier"];
  const modeText = t => t.mode === 3 && model.instructions[t.from].text === "sem_release" ? "semaphore" : modes[t.mode];

  function waitText(t) {
    const end = (i, node) => i === null ? model.nodeName(node) : `${model.nodeName(node)}: ${model.instructions[i].text}${model.instructions[i].line ? ` (${lineText(model.instructions[i].line)})` : ""}`;
    return `${modeText(t)}\n${end(t.from, t.src)}\n→ ${end(t.to, t.dst)}`;
  }

  function transferText(t) {
    if (model.program) return waitText(t);
    const lines = [`${data.unit} ${t.step.number}: ${model.nodeName(t.src)} → ${model.nodeName(t.dst)}`,
      `packet ${chunksText(t)}${t.reduce ? ", added to what is there" : ", copied"}`];
    if (t.arrival !== t.step.number + 1) lines.push(`there in ${data.unit} ${t.arrival}`);
    if (data.reduction) {
      const value = valueAt(state.follow && state.follow.kind === "packet" && state.follow.number === t.first
        ? state.history : model.history(t.first), t.src, t.step.number);
      lines.push(value ? `contributions of ${contributionsText(value)}` : "its sender does not hold it");
    }
    if (pathOf.has(t)) lines.push(`critical path: ${pathText(t)}`);
    if (t.line) lines.push(`${data.file}:${t.line}`);
    return lines.join("\n");
  }

  const pathText = t => `${pathOf.get(t).start} to ${pathOf.get(t).end}`;

  function writeStep() {
    const step = model.steps[state.step];
    byId("slider").value = state.step;
    byId("step").textContent = step ? `${data.unit} ${step.number} of ${lastStep}` : "no steps";
    document.body.dataset.step = step ? step.number : "";
  }

  /// The transfers of the step, or of what is followed.
  function writeDetails() {
    const step = model.steps[state.step], followed = state.followed ? [...state.followed] : null;
    const listed = followed || model.ofStep(step), part = around(listed, step);
    byId("details-title").textContent = `${followedName()}: ${counted(listed)}`;
    const details = d3.select("#details").html("");
    if (state.history && step) details.append("p").text(holdersText(step));
    const table = details.append("table");
    for (const t of part) {
      const row = table.append("tr").attr("data-step", t.step.index).classed("here", followed && t.step === step)
        .on("click", () => goTo(t.step.index));
      const brief = i => i === null ? "" : model.instructions[i].text;
      for (const text of model.program ? [followed ? t.step.number : "", `${model.nodeName(t.src)} ${brief(t.from)}`,
        `→ ${model.nodeName(t.dst)} ${brief(t.to)}`, t.waits ? modeText(t) : ""] : [followed ? `${data.unit} ${t.step.number}` : "", `${t.src} → ${t.dst}`, `${t.reduce ? "+" : ""}${chunksText(t)}`,
        isPath() ? pathText(t) : "", t.line ? `line ${t.line}` : ""]) if (text !== "") row.append("td").text(text);
    }
    if (part.length < listed.length) details.append("p").text(`${listed.length - part.length} more are not listed`);
  }
  const isPath = () => state.follow !== null && state.follow.kind === "path";
  function followedName() {
    if (!state.follow) return `This ${data.unit}`;
    if (isPath()) return "Critical path";
    if (state.follow.kind === "gpu") return "GPU " + state.follow.number;
    return state.follow.kind === "packet" ? "Packet " + state.follow.number : firstUpper(model.nodeName(state.follow.number));
  }
  const counted = list => list.length + (model.program ? " messages and waits" : list.length === 1 ? " transfer" : " transfers");
  const firstUpper = text => text[0].toUpperCase() + text.slice(1);

  /// The listed transfers, from a little before the step on.
  function around(list, step) {
    const here = step ? list.findIndex(t => t.step.number >= step.number) : 0;
    const from = Math.max(0, Math.min(here - 20, list.length - mostListed));
    return list.slice(from, from + mostListed);
  }

  /// Who holds the followed packet before and after the step.
  function holdersText(step) {
    const held = d3.range(data.nodes).map(v => valueAt(state.history, v, step.number));
    if (!data.reduction) return `held by ${held.filter(value => value).length} of ${data.nodes} when the ${data.unit} begins`;
    const complete = held.filter(value => value && value.size === data.ranks).length;
    const parts = held.map((value, v) => value && value.size > 1 ? `${v}: {${contributionsText(value)}}` : "").filter(Boolean);
    return `complete at ${complete} of ${data.ranks} when the ${data.unit} begins` +
      (parts.length ? "; contributions at " + parts.slice(0, 24).join(", ") + (parts.length > 24 ? ", …" : "") : "");
  }

  function writeFindings() {
    const findings = model.findings, report = data.report;
    byId("findings-part").hidden = !findings.length;
    const list = d3.select("#findings").selectAll("li").data(findings).enter().append("li").attr("tabindex", 0)
      .on("click", f => chooseFinding(f)).on("keydown", f => { if (d3.event.key === "Enter") chooseFinding(f); });
    list.append("b").attr("class", f => f.severity).text(f => `${f.severity} `);
    list.append("span").text(f => `${f.message} [${f.check}]${f.line ? ` (line ${f.line})` : ""}`);
    const places = list.filter(f => model.program && f.marks.length > 1).append("div").selectAll("button")
      .data(f => f.marks.slice(0, mostPlaces).map((mark, which) => ({finding: f, mark, which}))).enter().append("button");
    places.text(({mark}) => `${model.nodeName(mark.node)}: ${mark.text}`).on("keydown", () => { if (d3.event.key === "Enter") d3.event.stopPropagation(); }).on("click", ({finding, which}) => {
      d3.event.stopPropagation();
      chooseFinding(finding, which);
    });
    if (report && report.findings_total > findings.length)
      d3.select("#findings-part").append("p").text(`${report.findings_total - findings.length} more are not shown`);
  }

  function writeHead() {
    document.title = byId("title").textContent = data.schedule;
    byId("problem").textContent = `${data.problem} on ${data.report ? data.report.machine : data.machine}`;
    byId("command").textContent = data.command;
    byId("licence-text").textContent = byId("licence").textContent;
    const verdict = data.report ? data.report.verdict : "not checked";
    const sign = {holds: "✓ ", violated: "✗ ", unknown: "? "}[verdict] || "";
    const failed = data.report ? data.report.checks.filter(c => c.verdict === verdict && verdict !== "holds").map(c => c.check) : [];
    byId("verdict").textContent = sign + verdict + (failed.length ? ": " + failed.join(", ") : "");
    byId("verdict").className = {holds: "holds-word", violated: "error"}[verdict] || "warning";
  }

  function writeFigures() {
    const report = data.report || {}, bound = report.lower_bound || {}, rows = [];
    const add = (name, value, least) => { if (value !== undefined) rows.push([name, value + (least !== undefined && least !== null ? ` (bound ${least})` : "")]); };
    add("steps", report.steps, bound.steps);
    add("time", report.time, bound.time);
    add("volume", report.volume, bound.volume);
    add("transfers", report.transfers ?? (model.program ? undefined : model.transfers.length));
    add("hops", report.hops);
    add("messages", report.messages);
    add("chunks of the largest message", report.width || undefined);
    add("threadblocks", report.threadblocks);
    add("congestion", report.congestion);
    add("longest queue", report.max_buffer);
    if (data.cost) rows.push(["timed", data.cost.timed], ...data.cost.rows);
    for (const check of report.checks || []) rows.push(["check " + check.check, check.verdict + (check.reason ? `: ${check.reason}` : "")]);
    const row = d3.select("#figures").selectAll("tr").data(rows).enter().append("tr");
    row.append("th").attr("scope", "row").text(d => d[0]);
    row.append("td").text(d => d[1]);
  }

  function writeLegend() {
    const items = model.program ? [["copy", "a message, at its end a disc"], ["wait", "dotted: what is waited for, a dependency, a signal or a barrier"],
        ["", "boxes: instructions, after the longest chain that they wait for"]]
      : [["colour", "colours are packets" + (data.chunks > diagram.colours() ? `, the same again after ${diagram.colours()}` : "")
          + "; their numbers are at the ends"]];
    if (!model.program && data.chunks === 1) items.pop();
    if (model.transfers.some(t => t.reduce)) items.unshift(["reduce", "dashed, at its end a square: added to what is there"]);
    if (!model.program && model.transfers.some(t => !t.reduce)) items.unshift(["copy", "a packet, at its end a disc: copied"]);
    if (model.path) items.push(["path", "critical path: double lines; dots: waits at a rank"]);
    if (model.findings.length) items.push(["finding", "a finding, numbered as in the list" + (model.program ? ", at all instructions that it names" : "")]);
    if (model.program && data.tracks.some(([, block]) => block === null)) items.push(["", "memory: of a GPU, as others read and write it"]);
    if (!model.program) items.push(["life", "followed packet: thick where a rank holds it" + (data.reduction ? ", the thicker the more contributions" : "")]);
    if (data.root !== null) items.push(["", "★ the root"]);
    if (data.nodes > data.ranks || data.network && data.network.routers && data.network.routers.length) items.push(["", "▢ routers"]);
    d3.select("#legend").html("");
    for (const [kind, text] of items) {
      const item = d3.select("#legend").append("li");
      if (kind) drawSample(item.append("canvas").attr({width: 88, height: 32, "aria-hidden": true}).style({width: "44px", height: "16px"}).node(), kind);
      item.append("span").text(text);
    }
  }

  function drawSample(canvas, kind) {
    const context = canvas.getContext("2d"), css = getComputedStyle(document.documentElement);
    const get = name => css.getPropertyValue("--" + name).trim(), line = (y, from, to) => {
      context.beginPath();
      context.moveTo(from, y);
      context.lineTo(to, y);
      context.stroke();
    };
    context.scale(2, 2);
    context.lineWidth = 1.8;
    context.strokeStyle = context.fillStyle = diagram.colour(1);
    if (kind === "colour") {
      d3.range(5).forEach(i => { context.strokeStyle = diagram.colour(i); line(2 + 3 * i, 2, 42); });
    } else if (kind === "finding") {
      context.fillStyle = get("error");
      context.beginPath();
      context.moveTo(22, 1);
      context.lineTo(30, 14);
      context.lineTo(14, 14);
      context.fill();
    } else if (kind === "path") {
      for (const [width, name] of [[7, "text"], [4, "panel"]]) {
        [context.lineWidth, context.strokeStyle] = [width, get(name)];
        line(8, 2, 42);
      }
      [context.lineWidth, context.strokeStyle] = [2, diagram.colour(1)];
      line(8, 2, 42);
    } else if (kind === "life") {
      context.strokeStyle = get("accent");
      context.globalAlpha = 0.7;
      context.lineWidth = 5;
      line(8, 2, 42);
    } else {
      if (kind === "reduce") context.setLineDash([5, 3]);
      if (kind === "wait") context.setLineDash([1.5, 3]);
      line(8, 2, 36);
      if (kind === "wait") return;
      context.setLineDash([]);
      context.beginPath();
      if (kind === "reduce") {
        context.fillStyle = get("panel");
        context.rect(34, 4, 8, 8);
        context.fill();
        context.stroke();
      } else {
        context.arc(38, 8, 4, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  /// What of the schedule is shown, and the fields to change that.
  function writeScope() {
    const ranks = model.program ? "GPUs" : data.nodes > data.ranks ? "nodes" : "ranks", parts = [];
    const shown = shownNow();
    if (state.rows[0] > 0 || state.rows[1] < data.nodes - 1) parts.push(`${ranks} ${shown[0]} to ${shown[1]} of ${model.program ? model.gpus : data.nodes}`);
    if (state.range[0] > 0 || state.range[1] < lastStep || data.shown.steps) parts.push(`${data.unit}s ${state.range[0]} to ${state.range[1]}`);
    byId("scope").textContent = parts.length ? `Shown: ${parts.join(", ")}. Choose others above the diagram; ${model.program ? "messages to GPUs" : "transfers to ranks"} that are not shown end at its edge.` : "";
    [byId("from").value, byId("to").value] = shown;
    [byId("step-from").value, byId("step-to").value] = state.range;
  }
  function showRanks(from, to) {
    const [least, most] = data.shown.ranks;
    const first = Math.max(least, Math.min(from, most));
    state.rows = [first, Math.max(first, Math.min(to, most))];
    writeScope();
    diagram.fit(false);
  }
  function chooseRange() {
    const number = (id, fallback) => byId(id).value === "" ? fallback : Math.floor(Number(byId(id).value));
    const first = Math.max(0, Math.min(number("step-from", 0), lastStep));
    state.range = [first, Math.max(first, Math.min(number("step-to", lastStep), lastStep))];
    const before = shownNow(), from = number("from", before[0]), to = number("to", before[1]);
    showRanks(...model.program ? tracksOf(Math.min(from, model.gpus - 1), Math.max(from, to)) : [from, to]);
    const index = model.steps.findIndex(s => s.number >= first);
    goTo(index < 0 ? state.step : index);
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function setTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    byId("theme").textContent = isDark() ? "light" : "dark";
    diagram.readStyle();
    writeLegend();
    diagram.draw();
  }
  let before;
  /// On paper the whole diagram, as a picture of a fixed size that the style sheet scales to the page.
  window.addEventListener("beforeprint", () => {
    before = isDark() ? "dark" : "light";
    document.body.classList.add("printing");
    setTheme("light");
    diagram.fit(true);
  });
  window.addEventListener("afterprint", () => {
    document.body.classList.remove("printing");
    setTheme(before);
    diagram.fit(false);
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());

  /// The next mark of the chosen finding, or the next finding.
  function nextFinding() {
    const chosen = model.findings[state.finding - 1];
    if (chosen && state.mark + 1 < chosen.marks.length) return chooseFinding(chosen, state.mark + 1);
    if (model.findings.length) chooseFinding(model.findings[state.finding % model.findings.length]);
  }
  function followNext(by) {
    const what = state.follow && !isPath() ? state.follow : {kind: "rank", number: by > 0 ? state.rows[0] - 1 : state.rows[1] + 1};
    follow({kind: what.kind, number: what.number + by});
  }
  function toggleKeys() {
    byId("keys").hidden = !byId("keys").hidden;
    byId("help").setAttribute("aria-expanded", !byId("keys").hidden);
  }

  const actions = {
    ArrowRight: () => goTo(state.step + 1), ArrowLeft: () => goTo(state.step - 1), " ": play, Home: () => goTo(0),
    End: () => goTo(model.steps.length - 1), ArrowDown: () => followNext(1), ArrowUp: () => followNext(-1),
    Escape: () => follow(null), n: nextFinding, "+": () => diagram.enlarge(1.3), "-": () => diagram.enlarge(1 / 1.3),
    "[": () => diagram.widen(1 / 1.3), "]": () => diagram.widen(1.3), 0: () => diagram.fit(true),
    c: () => model.path && follow(isPath() ? null : {kind: "path"}), d: () => setTheme(isDark() ? "light" : "dark"), p: () => window.print(), "?": toggleKeys,
  };
  window.addEventListener("keydown", event => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT") return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    action();
  });
  const buttons = {first: "Home", back: "ArrowLeft", play: " ", next: "ArrowRight", last: "End", unfollow: "Escape", out: "-",
    in: "+", narrow: "[", wide: "]", fit: "0", path: "c", theme: "d", print: "p", help: "?"};
  for (const id in buttons) byId(id).addEventListener("click", actions[buttons[id]]);
  byId("slider").max = Math.max(0, model.steps.length - 1);
  byId("slider").addEventListener("input", () => goTo(Number(byId("slider").value)));
  for (const kind of ["packet", "rank"])
    byId(kind).addEventListener("change", () => follow(byId(kind).value === "" ? null : {kind: model.program ? "gpu" : kind, number: Number(byId(kind).value)}));
  for (const id of ["from", "to", "step-from", "step-to"]) byId(id).addEventListener("change", chooseRange);

  if (model.program) {
    byId("packet").parentElement.hidden = true;
    for (const [id, text] of [["rank", "GPU "], ["from", "GPUs "], ["step-from", "times "]]) byId(id).previousSibling.textContent = text;
  }
  byId("path").hidden = !model.path;
  writeHead();
  writeFindings();
  writeFigures();
  writeScope();
  setTheme();
  diagram.fit(false);
  if (model.path) follow({kind: "path"});
  show();
  window.schedcc = {model, state, diagram};  // for tests
  document.body.dataset.ready = "yes";
})();
