// Lines that stay readable among many: six in colour with their names at their ends, the rest thin and grey, until the
// pointer or the search box finds them.

const MOST_LINES = 6;
const RIVAL_LINES = 2;
const LABEL_HEIGHT = 15;  // pixels between two names
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
 * The best, auto, the best of each other family and two rivals: at most six. Of the rivals, the best one at the largest
 * x comes first, which titles name.
 */
function mainVariants(points, xOf) {
  const near = nearness(points, xOf);
  const order = [...near.keys()].sort((a, b) => near.get(b) - near.get(a));
  const last = headlineOf(points, xOf);
  const named = bestOf(points.filter((p) => xOf(p) === last && isRival(p.variant)));
  const rivals = order.filter(isRival).sort((a, b) => (b === named?.variant) - (a === named?.variant));
  const own = order.filter((v) => !isRival(v));
  const places = MOST_LINES - Math.min(RIVAL_LINES, rivals.length);
  const chosen = own.slice(0, 1);
  const add = (v) => {
    if (v && !chosen.includes(v) && chosen.length < places) chosen.push(v);
  };
  own.filter(isAuto).forEach(add);
  for (const v of own)
    if (!chosen.some((c) => familyOf(c) === familyOf(v))) add(v);
  const all = [...chosen, ...rivals.slice(0, MOST_LINES - chosen.length)];
  return [...all, ...own.filter((v) => !all.includes(v))].slice(0, MOST_LINES);
}

function isFound(variant, words) {
  return words.trim() !== "" &&
      words.trim().toLowerCase().split(/\s+/).every((word) => variant.toLowerCase().includes(word));
}

/** A box above a chart; what is typed finds lines. */
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

/** Names one above another: the wanted places in pixels, moved as little as keeps them apart and inside. */
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
 * Draws lines. lines: [{variant, name, x, y, errors: [low, high] or null, hovertext, isMain}], x as numbers.
 * axes: {x, y}, each with its range. Returns the chart.
 */
function drawLines(parent, name, words, lines, axes, height) {
  const layout = baseLayout();
  Object.assign(layout.xaxis, axes.x);
  Object.assign(layout.yaxis, axes.y);
  const main = lines.filter((line) => line.isMain);
  const size = isNarrow() ? 10 : 12;
  const widest = Math.max(0, ...main.map((line) => shortName(line.name).length));
  layout.margin = {l: isNarrow() ? 44 : 60, r: 24 + 0.62 * size * widest, t: 10, b: 46};
  layout.xaxis.automargin = layout.yaxis.automargin = false;
  if (isNarrow()) layout.yaxis.title = undefined;  // the line below the heading says it
  layout.height = height;
  layout.annotations = [...(axes.annotations || []), ...endLabels(main, layout, size)];
  layout.shapes = axes.shapes || [];
  // Grey ones first, so that they lie below the others.
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
  if (!line.isMain)
    return line.x.length > 1 ? trace : {...trace, mode: "markers", marker: {...trace.marker, color: GREY[isDark()]}};
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

/** Each name at the right edge, with a stroke from the end of its line. */
function endLabels(lines, layout, size) {
  const isLog = (axis) => axis.type === "log";
  const within = (axis, value) => (isLog(axis) ? Math.log10(value) : value);
  const [low, high] = layout.yaxis.range;
  const pixels = layout.height - layout.margin.t - layout.margin.b;
  const toPixels = (y) => ((within(layout.yaxis, y) - low) / (high - low)) * pixels;
  const ends = lines.map((line) => ({x: line.x[line.x.length - 1], y: line.y[line.y.length - 1]}));
  const gap = LABEL_HEIGHT * (size / 12);
  const places = spread(ends.map((end) => toPixels(end.y)), gap, gap / 2, pixels - gap / 2);
  return lines.map((line, i) => {
    const {color} = styleOf(line.variant, isDark());
    const at = low + (places[i] / pixels) * (high - low);
    return {
      x: within(layout.xaxis, ends[i].x),
      y: within(layout.yaxis, ends[i].y),
      axref: "x",
      ayref: "y",
      ax: layout.xaxis.range[1] + 0.015 * (layout.xaxis.range[1] - layout.xaxis.range[0]),
      ay: at,
      text: plain(shortName(line.name)),
      name: "end",
      xanchor: "left",
      showarrow: true,
      arrowhead: 0,
      arrowwidth: 0.8,
      arrowcolor: color,
      standoff: 5,
      font: {size, color}
    };
  });
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
