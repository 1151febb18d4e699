// The reader's selection: for all sections (machine, keys, input), and within single sections.

const STATE = {
  machine: 0,
  keys: "",
  input: "",
  local: {}
};

function mostCommon(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  return [...counts.entries()].sort((a, b) => b[1] - a[1]).map(([value]) => value);
}

/** Everything with keys and an input on the selected machine. */
function contextsOfMachine(data) {
  return [...data.points, ...data.kernels].filter((p) => p.machine === STATE.machine);
}

/**
 * The machine to open with: one with results of CPU and GPU, if there is any. Among those with at least half as many
 * results as the one with the most, the one that was measured last.
 */
function openingMachine(data) {
  const machines = data.machines.map((_, machine) => {
    const points = data.points.filter((p) => p.machine === machine);
    const onHost = points.filter((p) => p.where === "host").length;
    return {
      machine,
      results: points.length,
      hasBoth: onHost > 0 && onHost < points.length,
      last: points.reduce((last, p) => (p.since > last ? p.since : last), "")
    };
  });
  const both = machines.filter((m) => m.hasBoth);
  const candidates = both.length > 0 ? both : machines;
  const most = Math.max(0, ...candidates.map((m) => m.results));
  const newest = candidates.filter((m) => 2 * m.results >= most).sort((a, b) => compareLists([b.last], [a.last]))[0];
  return newest ? newest.machine : 0;
}

/**
 * The keys, input and place with the best chart of throughput against n: the suite's choice (auto) has a line in it,
 * the question which sort to use is answered, and it has the most points in lines. Only the newest revision of a sort
 * counts. Empty texts if there is no point.
 */
function bestChart(points, data) {
  const chartOf = (p) => [p.where, p.keys, p.input].join("|");
  const lines = new Map();  // by chart, then by sort: its points
  for (const p of points.filter((p) => !p.isOlder)) {
    if (!lines.has(chartOf(p))) lines.set(chartOf(p), new Map());
    const ofChart = lines.get(chartOf(p));
    ofChart.set(p.variant, [...(ofChart.get(p.variant) || []), p]);
  }
  const answered = new Set(data.choices.filter((c) => c.machine === STATE.machine && c.best).map(chartOf));
  const rank = ([chart, ofChart]) => {
    const long = [...ofChart.values()].filter((line) => unique(line.map((p) => p.n)).length > 1);
    const hasAuto = long.some((line) => isAuto(line[0].variant));
    return [hasAuto, answered.has(chart), long.flat().length].map((value) => -value);
  };
  const best = [...lines].map((chart) => ({chart, rank: rank(chart)})).sort((a, b) => compareLists(a.rank, b.rank))[0];
  return best ? [...best.chart[1].values()][0][0] : {where: "", keys: "", input: ""};
}

/** Limits the selection to existing data. */
function settleState(data) {
  const here = contextsOfMachine(data);
  const points = here.filter((p) => p.where);
  const keys = mostCommon(here.map((p) => p.keys));
  if (!keys.includes(STATE.keys)) STATE.keys = bestChart(points, data).keys || keys[0] || "";
  const inputs = mostCommon(here.filter((p) => p.keys === STATE.keys).map((p) => p.input));
  if (!inputs.includes(STATE.input))
    STATE.input = bestChart(points.filter((p) => p.keys === STATE.keys), data).input || inputs[0] || "";
  return {keys, inputs};
}

function drawFilters(data, onChange) {
  const {keys, inputs} = settleState(data);
  const bar = document.getElementById("filters");
  const focused = [...bar.querySelectorAll("select")].indexOf(document.activeElement);
  const options = (list) => list.map((value) => ({value, text: value}));
  const set = (name) => (value) => {
    chooseGlobal(name, value);
    onChange();
  };
  bar.replaceChildren(
      picker("Machine", data.machines.map((m, value) => ({value, text: m.name})), STATE.machine, set("machine")),
      picker("Keys", options(keys), STATE.keys, set("keys")),
      picker("Distribution", options(inputs), STATE.input, set("input")));
  if (focused >= 0) bar.querySelectorAll("select")[focused].focus();
}

/** The points of the selection. */
function chosenPoints(data) {
  return data.points.filter((p) => p.machine === STATE.machine && p.keys === STATE.keys && p.input === STATE.input);
}

function contextText() { return `${STATE.keys} keys, ${STATE.input}`; }

/** A selection within one section: kept while it is among `values`, else the first of them. */
function localChoice(name, values) {
  const chosen = values.findIndex((value) => String(value) === String(STATE.local[name]));
  STATE.local[name] = values[Math.max(0, chosen)];
  return STATE.local[name];
}

function localPicker(title, name, options, redraw) {
  return picker(title, options, STATE.local[name], (value) => {
    chooseLocal(name, value);
    redraw();
  });
}

/** The machine, and the threads of its host sorts if it has any. */
function machineText() { return STATE.machine < DATA.machines.length ? DATA.machines[STATE.machine].name : ""; }

/** The places that have points, the one with the most first. */
function placesOf(points) { return mostCommon(points.map((p) => p.where)); }

function placeOptions(places) {
  return WHERE.filter((w) => places.includes(w.id)).map((w) => ({value: w.id, text: w.text}));
}

function placeText(where) { return WHERE.find((w) => w.id === where).long; }

/** Among points with copies, only those of one kind of host memory are comparable. */
function memoriesOf(points) { return mostCommon(points.map((p) => p.hostMem)); }

/** Sizes, first the largest at which nearly as many variants ran as at any other. */
function sizesOf(points) {
  const counts = new Map();
  for (const p of points) counts.set(p.n, (counts.get(p.n) || 0) + 1);
  const most = Math.max(...counts.values());
  const sizes = [...counts.keys()].sort((a, b) => b - a);
  const first = sizes.find((n) => counts.get(n) >= 0.7 * most);
  return [first, ...sizes.filter((n) => n !== first)];
}

function sizeOptions(sizes) {
  return [...sizes].sort((a, b) => a - b).map((value) => ({value, text: sizeText(value)}));
}

/**
 * Drop-down lists of place, host memory and size above a chart; returns the selected points. `first`: the default
 * place.
 */
function narrowDown(section, name, points, redraw, withSize = true, first = "") {
  const controls = element("div", {class: "controls"});
  section.append(controls);
  const places = placesOf(points).sort((a, b) => (b === first) - (a === first));
  const where = localChoice(`${name}-where`, places);
  controls.append(localPicker("Where", `${name}-where`, placeOptions(places), redraw));
  let left = points.filter((p) => p.where === where);
  if (where === "copies") {
    const memory = localChoice(`${name}-memory`, memoriesOf(left));
    controls.append(
        localPicker("Host memory", `${name}-memory`, memoriesOf(left).map((value) => ({value, text: value})), redraw));
    left = left.filter((p) => p.hostMem === memory);
  }
  if (!withSize) return left;
  const n = localChoice(`${name}-n`, sizesOf(left));
  controls.append(localPicker("n", `${name}-n`, sizeOptions(sizesOf(left)), redraw));
  return left.filter((p) => p.n === n);
}
