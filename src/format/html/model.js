// The schedule as the page uses it: transfers, the axis of time, findings, and what ranks hold of a packet.
"use strict";

function makeModel(data) {
  const steps = [], transfers = [];
  for (const [number, rounds, rows] of data.steps) {
    const step = {index: steps.length, number, rounds, first: transfers.length};
    for (const [src, dst, first, count, mode, line, arrival, from, to] of rows)
      transfers.push({id: transfers.length, step, src, dst, first, count, mode, reduce: mode === 1, waits: mode >= 2, line, arrival, from, to});
    step.end = transfers.length;
    steps.push(step);
  }
  const axis = timeAxis(steps, transfers, data.unit === "cycle" ? 12 : 2);
  const model = {data, steps, transfers, axis};
  model.longest = d3.max(transfers, t => axis.at(t.arrival) - axis.at(t.step.number)) || 1;
  model.stepOf = new Map(steps.map(step => [step.number, step]));
  model.ofStep = step => step ? transfers.slice(step.first, step.end) : [];
  // Programs for GPUs: nodes are threadblocks, which execute instructions, and memories of GPUs.
  model.program = data.tracks !== undefined;
  model.ofNode = (data.tracks || []).map(() => []);
  model.instructions = (data.instructions || []).map(([node, time, text, detail, line]) => {
    const instruction = {node, time, at: axis.at(time), text, detail, line, number: model.ofNode[node].length, findings: []};
    model.ofNode[node].push(instruction);
    return instruction;
  });
  model.gpuOf = v => data.tracks[v][0];
  model.gpus = model.program ? 1 + (d3.max(data.tracks, track => track[0]) || 0) : 0;
  model.findings = placedFindings(model);
  model.nodeName = v => model.program ? trackName(data.tracks[v]) : v < data.ranks ? "rank " + v
    : data.network && data.network.routers && data.network.routers[v - data.ranks] || "node " + v;
  model.carries = (t, chunk) => t.first <= chunk && chunk < t.first + t.count;
  model.history = chunk => packetHistory(model, chunk);
  model.path = criticalPath(model);
  return model;
}

/// Positions of times: equal distances for consecutive ones, longer pauses cut short.
function timeAxis(steps, transfers, longestGap) {
  const times = new Set();
  for (const step of steps) times.add(step.number).add(step.number + 1);
  for (const t of transfers) times.add(t.arrival);
  const sorted = times.size ? [...times].sort((a, b) => a - b) : [0, 1];
  const at = new Map();
  let position = 0;
  sorted.forEach((time, i) => {
    if (i > 0) position += Math.min(time - sorted[i - 1], longestGap);
    at.set(time, position);
  });
  return {at: time => at.get(time), end: position, times: sorted};
}

const trackName = ([gpu, block]) => block === null ? `GPU ${gpu} memory` : `GPU ${gpu} tb ${block}`;

/// Findings with their marks, each a node and a time: of a program all instructions that one names; a missing delivery is at the
/// end of its rank. Marks at the same place have slots beside each other.
function placedFindings({data, steps, axis, stepOf, instructions, program}) {
  const found = data.report ? data.report.findings : [], taken = new Map();
  const marksOf = (finding, i) => {
    if (program) return data.places[i].map(place => typeof place === "number" ? {...instructions[place], instruction: instructions[place], inStep: stepOf.get(instructions[place].time)}
      : {node: place[0], at: axis.end});
    const inStep = stepOf.get(finding.step), node = finding.src ?? finding.rank ?? finding.dst;
    return node === undefined ? [] : [{node, at: inStep ? axis.at(inStep.number) : axis.end, inStep}];
  };
  return found.map((finding, i) => {
    const marks = marksOf(finding, i);
    for (const mark of marks) {
      const place = mark.node + " " + mark.at;
      mark.slot = taken.get(place) || 0;
      taken.set(place, mark.slot + 1);
      if (mark.instruction) mark.instruction.findings.push(i + 1);
    }
    return {...finding, number: i + 1, marks, inStep: stepOf.get(finding.step), chunk: program ? undefined : finding.chunk};
  });
}

/// The critical path of a page of costs: its messages {src, dst, start, end, transfers}, in order; null if there is none.
function criticalPath({data, ofStep, stepOf}) {
  if (!data.cost || !data.cost.path) return null;
  const messages = data.cost.path.map(([step, src, dst, start, end]) => ({src, dst, start, end,
    transfers: ofStep(stepOf.get(step)).filter(t => t.src === src && t.dst === dst)}));
  return messages.filter(m => m.transfers.length);  // others are not in the part that is shown
}

/// Of a packet: by node the values that it had, [{time, value}], value being how often each rank contributes.
function packetHistory(model, chunk) {
  const {data, steps, transfers} = model;
  const history = Array.from({length: data.nodes}, () => []);
  const value = node => history[node].length ? history[node][history[node].length - 1].value : null;
  for (const [rank, first, count] of data.start)
    if (first <= chunk && chunk < first + count) history[rank].push({time: -1, value: new Map([[rank, 1]])});
  let flying = [];
  const arrive = time => {
    for (const f of flying.filter(f => f.arrival <= time)) {
      const sum = f.reduce && value(f.dst) ? new Map(value(f.dst)) : new Map();
      for (const [rank, times] of f.value) sum.set(rank, (sum.get(rank) || 0) + times);
      history[f.dst].push({time: f.arrival, value: sum});
    }
    flying = flying.filter(f => f.arrival > time);
  };
  for (const step of steps) {
    arrive(step.number);
    for (let i = step.first; i < step.end; ++i) {
      const t = transfers[i];
      if (!model.carries(t, chunk) || !(history[t.src] && history[t.dst]) || !value(t.src)) continue;
      flying.push({arrival: t.arrival, dst: t.dst, reduce: t.reduce, value: value(t.src)});
    }
  }
  flying.sort((a, b) => a.arrival - b.arrival);
  for (const time of new Set(flying.map(f => f.arrival))) arrive(time);
  return history;
}

/// What a node holds at a time: the last value that came by then.
function valueAt(history, node, time) {
  let result = null;
  for (const event of history[node] || []) if (event.time <= time) result = event.value;
  return result;
}

/// "0-3, 5 (twice: 1)".
function contributionsText(value) {
  const ranks = [...value.keys()].sort((a, b) => a - b), runs = [];
  for (const rank of ranks) {
    const last = runs[runs.length - 1];
    if (last && last[1] === rank - 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  const twice = ranks.filter(rank => value.get(rank) > 1);
  return runs.map(([a, b]) => a === b ? a : a + "-" + b).join(", ") + (twice.length ? ` (twice: ${twice.join(", ")})` : "");
}

function chunksText(t) {
  return t.count === 1 ? "" + t.first : t.first + "-" + (t.first + t.count - 1);
}
