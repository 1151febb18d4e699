// Draws many lines readably: six in colour with their names at their ends, the rest thin and grey, until the pointer or
// the search box selects them.

const MOST_LINES = 6;
const RIVAL_LINES = 2;
const LABEL_HEIGHT = 15;  // pixels between two names
const EARLY = 0.6;        // of the chart's width: a line that ends before has its name there
const FEW_POINTS = 40;    // a line of more has no markers of its own for each

const GREY = {
  false: "#c3c9d1",
  true: "#454d59"
};

/** The largest x at which nearly as many variants ran as at any other. */
function headlineOf(points, xOf) {
  const counts = new Map();
  for (const p of points) counts.set(xOf(p), (counts.get(xOf(p)) || 0) + 1);
  const most = Math.max(...counts.values());
  return Math.max(...[...counts.keys()].filter((x) => counts.get(x) >= 0.7 * most));
}

/** How near each variant comes to the fastest, over all x that any was measured at: 1 is the fastest everywhere. */
function nearness(points, xOf) {
  const best = new Map();
  for (const p of points) best.set(xOf(p), Math.max(best.get(xOf(p)) || 0, p.rate));
  const sums = new Map();
  for (const p of points) sums.set(p.variant, (sums.get(p.variant) || 0) + p.rate / best.get(xOf(p)));
  return new Map([...sums].map(([variant, sum]) => [variant, sum / best.size]));
}

/**
 * The best, auto, the best of each other family and two rivals: at most six. The best is the fastest at the headline's
 * x; if there are few families, the variants nearest to the fastest over all x follow.
 */
function mainVariants(points, xOf) {
  const last = headlineOf(points, xOf);
  const rateThere = new Map();
  for (const p of points)
    if (xOf(p) === last) rateThere.set(p.variant, Math.max(rateThere.get(p.variant) || 0, p.rate));
  const near = nearness(points, xOf);
  const byNearness = [...near.keys()].sort((a, b) => near.get(b) - near.get(a));
  const order = [...byNearness].sort((a, b) => (rateThere.get(b) || 0) - (rateThere.get(a) || 0));
  const rivals = order.filter(isRival);
  const own = order.filter((v) => !isRival(v));
  const places = MOST_LINES - Math.min(RIVAL_LINES, rivals.length);
  const chosen = own.slice(0, 1);
  for (const v of [...own.filter(isAuto), ...own])
    if (chosen.length < places && !chosen.some((c) => familyOf(c) === familyOf(v))) chosen.push(v);
  chosen.push(...byNearness.filter((v) => own.includes(v) && !chosen.includes(v)).slice(0, places - chosen.length));
  return [...chosen, ...rivals.slice(0, MOST_LINES - chosen.length)];
}

function isFound(variant, words) {
  return words.trim() !== "" &&
      words.trim().toLowerCase().split(/\s+/).every((word) => variant.toLowerCase().includes(word));
}

/** A search box above a chart; the typed text selects lines. */
function searchBox(name, variants, redraw) {
  const list = `${name}-variants`;
  const box = element("input", {
    type: "search",
    "aria-label": "Find a sort",
    placeholder: `one of ${variants.length}`,
    list,
    input: () => {
      chooseLocal(name, box.value);
      redraw();
    }
  });
  box.value = STATE.local[name] || "";
  return element(
      "label", {}, "Find a sort", box,
      element("datalist", {id: list}, ...inOrder(variants).map((v) => element("option", {value: v}))));
}

/** Names one above another: the wanted places in pixels, moved as little as possible to keep them apart and inside. */
function spread(wanted, gap, lowest, highest) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const places = [...wanted];
  let floor = lowest;
  for (const i of order) {
    places[i] = Math.max(places[i], floor);
    floor = places[i] + gap;
  }
  let ceiling = highest;
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i], ceiling);
    ceiling = places[i] - gap;
  }
  return places;
}

/**
 * Draws lines. lines: [{variant, name, x, y, errors: [low, high] or null, hovertext, isMain, isAside: has no name at
 * its end, hasMarkers: though it is not main}], x as numbers.
 * axes: {x, y}, each with its range. Returns the chart.
 */
function drawLines(parent, name, words, lines, axes, height) {
  const layout = baseLayout();
  Object.assign(layout.xaxis, axes.x);
  Object.assign(layout.yaxis, axes.y);
  const main = lines.filter((line) => line.isMain);
  const named = main.filter((line) => !line.isAside);
  const size = isNarrow() ? 10 : 12;
  const widest = Math.max(0, ...named.map((line) => shortName(line.name).length));
  layout.margin = {l: isNarrow() ? 44 : 60, r: 24 + 0.62 * size * widest, t: 10, b: 46};
  layout.xaxis.automargin = layout.yaxis.automargin = false;
  if (isNarrow()) layout.yaxis.title = undefined;  // the line below the heading says it
  layout.height = height;
  layout.annotations = [...(axes.annotations || []), ...endLabels(named, layout, size)];
  layout.shapes = axes.shapes || [];
  // Grey lines first, so that they are below the others.
  const traces = [...lines.filter((line) => !line.isMain), ...main].map(lineTrace);
  const chart = drawFigure(parent, name, words, traces, layout);
  colourOnHover(chart, lines.length - main.length);
  return chart;
}

function lineTrace(line) {
  const style = styleOf(line.variant, isDark());
  const trace = {
    type: "scatter",
    mode: "lines",
    name: plain(line.name),
    x: line.x,
    y: line.y,
    line: {color: GREY[isDark()], width: 1},
    marker: {color: style.color, symbol: style.symbol, size: 7, maxdisplayed: FEW_POINTS},
    meta: {color: style.color, dash: style.dash},
    hovertext: line.hovertext,
    hovertemplate: "%{hovertext}<extra></extra>",
  };
  if (!line.isMain) {
    trace.marker = {...trace.marker, color: GREY[isDark()], size: line.hasMarkers ? 5 : 7};
    trace.mode = line.x.length === 1 ? "markers" : line.hasMarkers ? "lines+markers" : "lines";
    return trace;
  }
  trace.mode = "lines+markers";
  trace.line = {color: style.color, dash: style.dash, width: 2};
  if (line.errors && line.x.length <= FEW_POINTS)
    trace.error_y = {
      type: "data",
      symmetric: false,
      arrayminus: line.errors.map(([low]) => low),
      array: line.errors.map(([, high]) => high),
      color: style.color,
      thickness: 1,
      width: 2
    };
  return trace;
}

/** Puts each name at the right edge, or at its line's early end, with a stroke from the end. */
function endLabels(lines, layout, size) {
  const within = (axis, value) => (axis.type === "log" ? Math.log10(value) : value);
  const share = (axis, value) => (within(axis, value) - axis.range[0]) / (axis.range[1] - axis.range[0]);
  const at = (axis, part) => axis.range[0] + part * (axis.range[1] - axis.range[0]);
  const pixels = layout.height - layout.margin.t - layout.margin.b;
  const gap = (LABEL_HEIGHT * (size / 12)) / pixels;
  const ends = lines.map((line) => {
    const [x, y] = [line.x[line.x.length - 1], line.y[line.y.length - 1]];
    return {
      line,
      x: within(layout.xaxis, x),
      y: within(layout.yaxis, y),
      across: share(layout.xaxis, x),
      up: share(layout.yaxis, y)
    };
  });
  const isEarly = (end) => end.across < EARLY;
  const labels = (group) => {
    const places = spread(group.map((end) => end.up), gap, gap / 2, 1 - gap / 2);
    return group.map((end, i) => {
      const {color} = styleOf(end.line.variant, isDark());
      return {
        x: end.x,
        y: end.y,
        axref: "x",
        ayref: "y",
        ax: at(layout.xaxis, 0.015 + (isEarly(end) ? end.across : 1)),
        ay: at(layout.yaxis, places[i]),
        text: plain(shortName(end.line.name)),
        name: "end",
        xanchor: "left",
        showarrow: true,
        arrowhead: 0,
        arrowwidth: 0.8,
        arrowcolor: color,
        standoff: 5,
        bgcolor: isEarly(end) ? theme(isDark()).card + "b0" : "rgba(0,0,0,0)",
        font: {size, color}
      };
    });
  };
  return [...labels(ends.filter(isEarly)), ...labels(ends.filter((end) => !isEarly(end)))];
}

/** The first `grey` traces have their colours while the pointer is on them. */
function colourOnHover(chart, grey) {
  const paint = (at, isOn) => {
    const {color, dash} = chart.data[at].meta;
    const to = isOn ? color : GREY[isDark()];
    Plotly.restyle(
        chart, {"line.color": to, "line.width": isOn ? 2.5 : 1, "line.dash": isOn ? dash : "solid", "marker.color": to},
        [at]);
  };
  chart.on("plotly_hover", (event) => {
    const at = event.points[0].curveNumber;
    if (at < grey) paint(at, true);
  });
  chart.on("plotly_unhover", (event) => {
    const at = event.points[0].curveNumber;
    if (at < grey) paint(at, false);
  });
}
