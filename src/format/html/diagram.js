// The space-time diagram: a line for each rank, time to the right, and a transfer as a line from its sender, when it
// leaves, to its receiver, when it has arrived. Two canvases: `base` has everything, `over` what changes with the step,
// the pointer and what is followed. They hold 10^5 transfers, which elements of SVG would not.
"use strict";

const margin = {left: 58, top: 30, right: 16, bottom: 18};
const piece = 400;          // transfers of one path: longer ones take long to draw
const mostMarked = 12000;   // transfers in view that have heads and dashes
const mostLabels = 1500;

function makeDiagram(model, state, callbacks) {
  const section = document.getElementById("diagram"), base = document.getElementById("base"),
    over = document.getElementById("over");
  const isBarrier = t => t.mode === 4;
  const x = d3.scale.linear(), y = d3.scale.linear(), zoom = d3.behavior.zoom();
  if (model.program) margin.left = 104;
  let width = 0, height = 0, unit = 40, row = 20, style = {};

  const rows = () => state.rows[1] - state.rows[0] + 1;
  /// The height of a node's line; those that are not shown are beyond the edge.
  const lineOf = v => Math.max(-0.8, Math.min(rows() - 0.2, v - state.rows[0]));
  const yOf = v => y(lineOf(v) + 0.5);
  // A message of a program leads from the end of an instruction to the beginning of another; a barrier is within its operations.
  const startOf = t => x(model.axis.at(t.step.number) + (!model.program ? 0 : isBarrier(t) ? 0.35 : 0.65));
  const endOf = t => x(model.axis.at(t.arrival) + (!model.program ? 0 : isBarrier(t) ? 0.35 : 0.05));
  const shown = t => (inRows(t.src) || inRows(t.dst)) && t.step.number >= state.range[0] && t.step.number <= state.range[1];
  const inRows = v => v >= state.rows[0] && v <= state.rows[1];

  function readStyle() {
    const css = getComputedStyle(document.documentElement), get = name => css.getPropertyValue("--" + name).trim();
    style = {chunks: get("chunks").split(",")};
    style.used = coloursOf(model.data.chunks);
    for (const name of ["back", "text", "faint", "line", "panel", "band", "now", "accent", "error", "warning"]) style[name] = get(name);
  }
  // So many colours in turn that packets of one colour are far apart, also from the last ones on to the first.
  function coloursOf(packets) {
    const all = style.chunks.length, apart = colours => packets % colours || colours;
    return packets <= all ? all : d3.range(all, 1, -1).reduce((best, colours) => apart(colours) > apart(best) ? colours : best);
  }
  const colour = chunk => style.chunks[chunk % style.used];

  function resize() {
    width = section.clientWidth;
    height = section.clientHeight;
    const scale = window.devicePixelRatio || 1;
    for (const canvas of [base, over]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
  }

  /// The steps of the chosen range as positions of time.
  function span() {
    const chosen = model.steps.filter(s => s.number >= state.range[0] && s.number <= state.range[1]);
    if (!chosen.length) return [0, Math.max(1, model.axis.end)];
    const last = chosen[chosen.length - 1];
    const end = d3.max(model.ofStep(last), t => model.axis.at(t.arrival)) || model.axis.at(last.number + 1);
    return [model.axis.at(chosen[0].number), Math.max(end, model.axis.at(last.number) + 1)];
  }

  /// A size at which steps and ranks can be told apart; `all`: at which all of them are in view.
  function fit(all) {
    resize();
    const [from, to] = span();
    const plotWidth = width - margin.left - margin.right, plotHeight = height - margin.top - margin.bottom;
    const whole = plotWidth / (to - from + 0.4);
    unit = all ? whole : Math.max(model.program ? 80 : 26, Math.min(200, whole));
    row = Math.max(all ? 0 : 3, Math.min(96, plotHeight / rows()));
    setScales(from);
  }

  function setScales(from) {
    x.domain([from, from + 1]).range([margin.left, margin.left + unit]);
    y.domain([0, 1]).range([margin.top, margin.top + row]);
    zoom.x(x).y(y).scaleExtent([0.02, 60]);
    zoom.scale(1).translate([0, 0]);
    draw();
  }

  /// Makes steps wider without changing ranks.
  function widen(factor) {
    unit *= factor;
    const from = x.invert(margin.left), k = zoom.scale(), top = y(0);
    x.domain([from, from + 1]).range([margin.left, margin.left + unit * k]);
    y.domain([0, 1]).range([top, top + row * k]);
    unit *= k;
    row *= k;
    zoom.x(x).y(y).scale(1).translate([0, 0]);
    draw();
  }

  /// Keeps some of the diagram in view.
  function clampPan() {
    const [from, to] = span(), t = zoom.translate();
    const dx = Math.max(0, margin.left + 40 - x(to)) - Math.max(0, x(from) - (width - 80));
    const dy = Math.max(0, margin.top + 30 - y(rows())) - Math.max(0, y(0) - (height - 40));
    if (dx || dy) zoom.translate([t[0] + dx, t[1] + dy]);
  }

  function inView(t) {
    if (!shown(t) || endOf(t) < margin.left || startOf(t) > width) return false;
    const a = yOf(t.src), b = yOf(t.dst);
    return Math.max(a, b) > margin.top - row && Math.min(a, b) < height + row;
  }

  function visible() {
    const from = x.invert(margin.left) - model.longest, to = x.invert(width), result = [];
    for (const step of model.steps) {
      const at = model.axis.at(step.number);
      if (at < from || at > to) continue;
      for (let i = step.first; i < step.end; ++i) if (inView(model.transfers[i])) result.push(model.transfers[i]);
    }
    return result;
  }

  function frame(context) {
    context.fillStyle = style.back;
    context.fillRect(0, 0, width, height);
    context.font = "11px sans-serif";
    context.textBaseline = "middle";
    const bottom = Math.min(height, y(rows()));
    model.steps.forEach((step, i) => {
      if (step.number < state.range[0] || step.number > state.range[1]) return;
      const left = x(model.axis.at(step.number)), right = x(model.axis.at(step.number + 1));
      if (right < margin.left || left > width) return;
      if (i % 2 === 0) {
        context.fillStyle = style.band;
        context.fillRect(left, margin.top, right - left, bottom - margin.top);
      }
    });
    context.strokeStyle = style.line;
    context.lineWidth = 1;
    const gap = row * zoom.scale();
    context.beginPath();
    const end = Math.min(width, x(span()[1]) + 6);
    for (let v = state.rows[0]; v <= state.rows[1]; ++v) {
      const at = Math.round(yOf(v)) + 0.5;
      if (at < margin.top || at > height) continue;
      if (gap < 6 && v % niceStep(13 / gap) !== 0) continue;
      context.moveTo(margin.left, at);
      context.lineTo(end, at);
    }
    context.stroke();
  }

  const halfBox = () => Math.min(9, row * zoom.scale() / 3);

  /// The instructions of threadblocks, as boxes with their operations.
  function instructions(context) {
    const half = halfBox(), wide = x(1) - x(0);
    context.font = "10px sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const instruction of model.instructions) {
      const left = x(instruction.at + 0.35), at = yOf(instruction.node);
      if (!inRows(instruction.node) || left > width || left + wide < margin.left || at < 0 || at > height) continue;
      context.fillStyle = style.panel;
      context.strokeStyle = instruction.findings.length ? style.error : style.faint;
      context.lineWidth = instruction.findings.length ? 2.5 : 1;
      context.beginPath();
      context.rect(left - 0.3 * wide, at - half, 0.6 * wide, 2 * half);
      context.fill();
      context.stroke();
      const text = instruction.text.length * 5.2 < 0.6 * wide ? instruction.text : instruction.text.split(" ")[0];
      context.fillStyle = style.text;
      if (half >= 6 && text.length * 5.2 < 0.6 * wide) context.fillText(text, left, at);
    }
  }

  /// The numbers of ranks and steps, on top of everything that was moved beneath them.
  function labels(context) {
    context.fillStyle = style.back;
    context.fillRect(0, 0, margin.left, height);
    context.fillRect(0, 0, width, margin.top);
    context.font = "11px sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    const gap = row * zoom.scale(), every = niceStep(13 / gap);
    for (let v = state.rows[0]; v <= state.rows[1]; ++v) {
      const at = yOf(v);
      if (at < margin.top || at > height || (v % every !== 0 && !(isFollowed("rank", v) || v === state.hoverNode))) continue;
      const root = v === model.data.root;
      context.fillStyle = isFollowed("rank", v) ? style.accent : style.text;
      context.font = (root || isFollowed("rank", v) ? "bold " : "") + "11px sans-serif";
      const name = model.program ? model.nodeName(v) : (v >= model.data.ranks ? "▢ " : root ? "★ " : "") + v;
      context.fillText(name, margin.left - 8, at);
    }
    context.font = "11px sans-serif";
    context.textAlign = "center";
    const wide = x(1) - x(0), some = niceStep(8 * String(model.steps.length).length / wide + 0.3);
    for (const time of model.axis.times.slice(0, -1)) {
      if (time < state.range[0] || time > state.range[1]) continue;
      const middle = x(model.axis.at(time) + 0.5), step = model.stepOf.get(time);
      const now = step !== undefined && step.index === state.step;
      if (middle < margin.left || middle > width || (time % some !== 0 && !now)) continue;
      context.fillStyle = now ? style.accent : style.faint;
      context.font = (now ? "bold " : "") + "11px sans-serif";
      context.fillText(time + (step && step.rounds > 1 ? "×" + step.rounds : ""), middle, margin.top - 9);
    }
    context.fillStyle = style.faint;
    context.font = "11px sans-serif";
    context.textAlign = "left";
    context.fillText(model.data.unit, 6, margin.top - 9);
  }

  function niceStep(least) {
    for (let power = 1; ; power *= 10) for (const digit of [1, 2, 5]) if (digit * power >= least) return digit * power;
  }
  const isFollowed = (kind, number) => state.follow && (state.follow.kind === kind && state.follow.number === number ||
    state.follow.kind === "gpu" && kind === "rank" && model.gpuOf(number) === state.follow.number);

  /// Strokes transfers, by colour; `marked` ones have dashes for reductions.
  function strokes(context, transfers, lineWidth, marked) {
    const groups = d3.map();
    for (const t of transfers) {
      const key = t.waits ? style.faint + "." : colour(t.first) + (marked && t.reduce ? "+" : "");
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(t);
    }
    context.lineWidth = lineWidth;
    groups.forEach((key, list) => {
      context.strokeStyle = key.replace(/[+.]/, "");
      context.setLineDash(key.endsWith("+") ? [5, 3] : key.endsWith(".") ? [1.5, 3] : []);
      for (let i = 0; i < list.length; i += piece) {
        context.beginPath();
        for (const t of list.slice(i, i + piece)) {
          context.moveTo(startOf(t), yOf(t.src));
          context.lineTo(endOf(t), yOf(t.dst));
        }
        context.stroke();
      }
    });
    context.setLineDash([]);
  }

  /// At its end a copy has a disc, a reduction a square with a hole.
  function head(context, t, size) {
    if (t.waits) return;
    const cx = endOf(t), cy = yOf(t.dst);
    context.fillStyle = context.strokeStyle = colour(t.first);
    context.beginPath();
    if (t.reduce) {
      context.fillStyle = style.back;
      context.lineWidth = 1.5;
      context.rect(cx - size, cy - size, 2 * size, 2 * size);
      context.fill();
      context.stroke();
    } else {
      context.arc(cx, cy, size, 0, 2 * Math.PI);
      context.fill();
    }
  }

  /// The packets' numbers, left of the heads.
  function numbers(context, transfers, size) {
    context.font = "10px sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = style.back;
    for (const t of transfers) {
      if (model.program) break;
      const text = chunksText(t), cx = endOf(t) - size - 3, cy = yOf(t.dst) + (t.src < t.dst ? -6 : 7);
      context.strokeText(text, cx, cy);
      context.fillStyle = colour(t.first);
      context.fillText(text, cx, cy);
    }
  }

  const headSize = () => Math.max(1, Math.min(4.5, row * zoom.scale() / 4));
  /// Thinner where ranks are near to each other.
  const lineWidth = most => Math.max(0.6, most * Math.min(1, row * zoom.scale() / 14));
  const roomForNumbers = () => row * zoom.scale() >= 15 && x(1) - x(0) >= 30;

  function draw() {
    clampPan();
    readStyle();
    const context = base.getContext("2d"), transfers = visible();
    frame(context);
    context.save();
    clip(context);
    const crowded = transfers.length > 3000;
    if (model.program) instructions(context);
    context.globalAlpha = state.follow ? Math.min(0.16, opacity(transfers)) : opacity(transfers);
    const marked = transfers.length <= mostMarked;
    strokes(context, transfers, crowded ? 0.7 : lineWidth(1.2), marked);
    if (marked) for (const t of transfers) head(context, t, headSize());
    if (!state.follow && roomForNumbers() && transfers.length <= mostLabels) {
      context.globalAlpha = 1;
      numbers(context, transfers, headSize());
    }
    context.restore();
    drawOver();
    base.setAttribute("aria-label", `${model.transfers.length} transfers of ${model.steps.length} steps`);
  }

  /// The fainter the more of the diagram lines would cover.
  function opacity(transfers) {
    const covered = d3.sum(transfers, t => Math.hypot(x(1) - x(0), yOf(t.src) - yOf(t.dst))) / (width * height);
    return Math.max(0.1, Math.min(0.75, 0.06 / covered));
  }

  function clip(context) {
    context.beginPath();
    context.rect(margin.left, margin.top - 4, width - margin.left, height - margin.top + 4);
    context.clip();
  }

  /// Thick lines where nodes hold the followed packet; for a reduction also whose contributions.
  function lifelines(context) {
    const end = model.axis.end, all = model.data.ranks;
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (let v = state.rows[0]; v <= state.rows[1]; ++v) {
      const events = state.history[v];
      events.forEach((event, i) => {
        const from = x(event.time < 0 ? 0 : model.axis.at(event.time)), to = i + 1 < events.length ? x(model.axis.at(events[i + 1].time)) : x(end);
        const share = model.data.reduction ? event.value.size / all : 1;
        context.strokeStyle = style.accent;
        context.globalAlpha = 0.35 + 0.4 * share;
        context.lineWidth = (1 + 4 * share) * Math.min(1, row * zoom.scale() / 12);
        context.beginPath();
        context.moveTo(from, yOf(v));
        context.lineTo(to, yOf(v));
        context.stroke();
        context.globalAlpha = 1;
        const text = model.data.reduction ? "{" + contributionsText(event.value) + "}" : "";
        if (text && row * zoom.scale() >= 24 && to - from > 5.5 * text.length + 10) {
          context.font = "10px sans-serif";
          context.fillStyle = style.text;
          context.fillText(text, from + 8, yOf(v) + 9);
        }
      });
    }
  }

  /// The messages of the critical path, as double lines, and dots where a rank waits between two of them.
  function criticalPath(context) {
    const messages = model.path.map(m => m.transfers[0]);
    context.strokeStyle = style.text;
    context.lineWidth = 1.5;
    context.setLineDash([2, 4]);
    context.beginPath();
    messages.slice(1).forEach((t, i) => {
      const before = messages[i], at = [before.dst, before.src].find(v => v === t.src || v === t.dst);
      if (at === undefined || startOf(t) <= endOf(before)) return;
      context.moveTo(endOf(before), yOf(at));
      context.lineTo(startOf(t), yOf(at));
    });
    context.stroke();
    context.setLineDash([]);
    for (const [more, colour] of [[5.5, style.text], [3, style.back]]) {
      context.strokeStyle = colour;
      context.lineWidth = lineWidth(2.4) + more;
      context.beginPath();
      for (const t of messages.filter(inView)) {
        context.moveTo(startOf(t), yOf(t.src));
        context.lineTo(endOf(t), yOf(t.dst));
      }
      context.stroke();
    }
  }

  /// In a program at the corner of the instruction, whose text stays in view.
  function placeOfMark(mark) {
    const aside = 15 * mark.slot;
    if (mark.instruction) return [x(mark.at + 0.05) + 2 + aside, yOf(mark.node) - halfBox()];
    return [x(mark.at) + (mark.inStep ? 9 : 12) + aside, yOf(mark.node)];
  }

  /// A triangle with the finding's number, which is in the list, too.
  function findingMark(context, finding, mark) {
    if (!inRows(mark.node)) return;
    const chosen = state.finding === finding.number, r = chosen ? 11 : 8, [cx, cy] = placeOfMark(mark);
    context.beginPath();
    context.moveTo(cx, cy - r);
    context.lineTo(cx + r, cy + 0.75 * r);
    context.lineTo(cx - r, cy + 0.75 * r);
    context.closePath();
    context.fillStyle = finding.severity === "error" ? style.error : style.warning;
    context.strokeStyle = style.back;
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
    context.fillStyle = style.back;
    context.font = "bold 10px sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(finding.number, cx, cy + 1.5);
  }

  /// A line through the instructions of a finding; those of a deadlock are a circle.
  function findingLine(context, finding) {
    const places = finding.marks.map(mark => [x(mark.at + 0.35), yOf(mark.node)]);
    if (places.length < 2) return;
    context.strokeStyle = style.error;
    context.lineWidth = 2;
    context.setLineDash([7, 4]);
    context.beginPath();
    for (const place of places) context.lineTo(...place);
    if (finding.check === "deadlock") context.closePath();
    context.stroke();
    context.setLineDash([]);
  }

  function drawOver() {
    const context = over.getContext("2d"), step = model.steps[state.step];
    context.clearRect(0, 0, width, height);
    context.save();
    clip(context);
    if (step) {
      const left = x(model.axis.at(step.number)), right = x(model.axis.at(step.number + 1));
      if (model.longest <= 1 && !model.program) {  // nothing but this step's transfers is there
        context.fillStyle = style.back;
        context.fillRect(left, margin.top, right - left, y(rows()) - margin.top);
      }
      context.fillStyle = style.now;
      context.globalAlpha = model.program ? 0.25 : 0.5;
      context.fillRect(left, margin.top, right - left, y(rows()) - margin.top);
      context.globalAlpha = 1;
    }
    if (state.history) lifelines(context);
    const bold = [...(state.followed || [])].filter(inView), now = model.ofStep(step).filter(inView);
    context.globalAlpha = state.follow ? 0.55 : 1;
    strokes(context, now, now.length > 1000 ? 1 : lineWidth(1.8), now.length <= mostMarked);
    context.globalAlpha = 1;
    if (state.follow && state.follow.kind === "path") criticalPath(context);
    strokes(context, bold, bold.length > 3000 ? 1.2 : lineWidth(2.8), bold.length <= mostMarked);
    const strong = state.follow ? bold : now;
    if (strong.length <= mostMarked) for (const t of strong) head(context, t, headSize() + 0.8);
    if (roomForNumbers() && strong.length <= mostLabels) numbers(context, strong, headSize());
    if (state.hover) {
      strokes(context, [state.hover], 4.5, true);
      head(context, state.hover, headSize() + 2.5);
    }
    if (state.hoverBox) {
      const {at, node} = state.hoverBox, half = halfBox();
      context.strokeStyle = style.accent;
      context.lineWidth = 2.5;
      context.strokeRect(x(at + 0.05), yOf(node) - half, x(0.6) - x(0), 2 * half);
    }
    if (state.finding) findingLine(context, model.findings[state.finding - 1]);
    for (const f of model.findings) for (const mark of f.marks) findingMark(context, f, mark);
    context.restore();
    labels(context);
  }

  /// The transfer nearest to a point, or the rank whose number is there.
  function hit(px, py) {
    let best = null, least = 8;
    const at = x.invert(px);
    for (const step of model.steps) {
      const start = model.axis.at(step.number);
      if (start > at + 0.3 || start + model.longest < at - 0.3) continue;
      for (let i = step.first; i < step.end; ++i) {
        const t = model.transfers[i];
        if (!shown(t)) continue;
        const far = distance(px, py, startOf(t), yOf(t.src), endOf(t), yOf(t.dst));
        if (far < least) [best, least] = [t, far];
      }
    }
    return best;
  }
  function distance(px, py, ax, ay, bx, by) {
    const dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy || 1;
    const s = Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length));
    return Math.hypot(px - ax - s * dx, py - ay - s * dy);
  }
  function nodeAt(px, py) {
    const v = Math.floor(y.invert(py)) + state.rows[0];
    return px < margin.left && py > margin.top && inRows(v) ? v : undefined;
  }
  /// The finding whose mark is at a point, and which of its marks.
  function findingAt(px, py) {
    for (const finding of model.findings) {
      const mark = finding.marks.findIndex(m => inRows(m.node) && Math.hypot(px - placeOfMark(m)[0], py - placeOfMark(m)[1]) < 10);
      if (mark >= 0) return {finding, mark};
    }
    return undefined;
  }
  function instructionAt(px, py) {
    const v = Math.floor(y.invert(py)) + state.rows[0], at = x.invert(px);
    if (px < margin.left || !model.program || !inRows(v) || Math.abs(py - yOf(v)) > halfBox()) return undefined;
    return model.ofNode[v].find(i => at >= i.at + 0.05 && at <= i.at + 0.65);
  }
  const under = (px, py) => [findingAt(px, py), instructionAt(px, py), px > margin.left ? hit(px, py) : null, nodeAt(px, py)];

  /// Moves the diagram so that a step is in view.
  function reveal(step) {
    if (!step) return;
    const left = x(model.axis.at(step.number)), right = x(model.axis.at(step.number + 1)), t = zoom.translate();
    if (left >= margin.left && right <= width - margin.right) return drawOver();
    zoom.translate([t[0] + (margin.left + (width - margin.left) / 3 - left), t[1]]);
    draw();
  }
  function enlarge(factor) {
    const k = zoom.scale(), centre = [width / 2, height / 2], t = zoom.translate();
    zoom.scale(k * factor).translate(centre.map((c, i) => c - (c - t[i]) * factor));
    draw();
  }

  let pending = 0;
  zoom.on("zoom", () => { if (!pending) pending = requestAnimationFrame(() => { pending = 0; draw(); }); });
  d3.select(section).call(zoom).on("dblclick.zoom", null);
  section.addEventListener("pointermove", event => {
    const box = section.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    callbacks.hover(under(px, py), px, py);
  });
  section.addEventListener("pointerleave", () => callbacks.hover([undefined, undefined, null, undefined], 0, 0));
  let pressed = [0, 0];
  section.addEventListener("pointerdown", event => { pressed = [event.clientX, event.clientY]; }, true);
  section.addEventListener("click", event => {
    if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
    const box = section.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    callbacks.choose(under(px, py));
  });
  new ResizeObserver(() => {
    if (document.body.classList.contains("printing")) return;
    resize();
    draw();
  }).observe(section);

  /// A point of a transfer, the number of a rank, and the mark of a finding, within the section.
  const pointOf = (t, share) => [startOf(t) + share * (endOf(t) - startOf(t)), yOf(t.src) + share * (yOf(t.dst) - yOf(t.src))];
  const numberOf = v => [margin.left - 12, yOf(v)];
  readStyle();
  return {fit, draw, drawOver, widen, enlarge, reveal, pointOf, numberOf, colour, colours: () => style.used, head,
    readStyle,
    boxOf: i => [x(i.at + 0.5), yOf(i.node)], markOf: (f, mark = 0) => placeOfMark(f.marks[mark])};
}
