// A figure: its finding as the title, units and machine below it, a chart, its source files, buttons that save it, and
// its numbers as a table for readers who can't see it.

const FIGURES = new Map();  // by name: { chart: its element, words }
const TITLE_HEIGHT = 64;
const SOURCE_HEIGHT = 24;
const MOST_SOURCES = 3;
const isNarrow = () => document.documentElement.clientWidth < 640;

function baseLayout() {
  const t = theme(isDark());
  const axis =
      {gridcolor: t.grid, linecolor: t.grid, zeroline: false, tickfont: {size: isNarrow() ? 10 : 12}, automargin: true};
  return {
    paper_bgcolor: t.card,
    plot_bgcolor: t.card,
    font: {family: "system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif", size: 12, color: t.ink},
    margin: {l: 10, r: 10, t: 10, b: 10},
    xaxis: {...axis},
    yaxis: {...axis},
    hoverlabel: {bgcolor: t.card, bordercolor: t.muted, font: {color: t.ink, size: 12}, align: "left", namelength: -1},
    hovermode: "closest",
    dragmode: false,
    showlegend: false,
  };
}

const FEW_ENTRIES = 8;
const ENTRY_HEIGHT = 19;  // of the legend, in pixels

/**
 * Puts the legend above the chart if it is short, else beside it, or below it on a narrow page; sets the height of the
 * figure. Plotly gives a legend below no more than half of that.
 */
function placeLegend(layout, entries, chartHeight) {
  const look = {bgcolor: "rgba(0,0,0,0)", traceorder: "normal", font: {size: isNarrow() ? 10 : 11}};
  const legendHeight = ENTRY_HEIGHT * entries + 30;
  layout.showlegend = true;
  if (entries <= FEW_ENTRIES) {
    const above = isNarrow() ? legendHeight : 40;
    layout.legend = {...look, orientation: isNarrow() ? "v" : "h", x: 0, y: 1 + 8 / chartHeight, yanchor: "bottom"};
    layout.margin.t = above;
    layout.height = chartHeight + above;
  } else if (isNarrow()) {
    const plotHeight = Math.max(chartHeight, legendHeight);
    layout.legend = {...look, x: 0, y: -70 / plotHeight, yanchor: "top"};
    layout.margin.b = 80 + legendHeight;
    layout.height = plotHeight + layout.margin.b + 10;
  } else {
    layout.legend = {...look, x: 1.01, y: 1};
    layout.height = Math.max(chartHeight, ENTRY_HEIGHT * entries + 110);
  }
}

/** The axis of n, whose sizes span orders of magnitude: ticks at powers of two, far enough apart not to overlap. */
function sizeAxis(sizes) {
  const low = Math.log2(Math.min(...sizes));
  const high = Math.log2(Math.max(...sizes));
  const step = Math.max(1, Math.ceil((high - low) / (isNarrow() ? 4 : 10)));
  const ticks = [];
  for (let power = Math.ceil(low / step) * step; power <= high + 1e-9; power += step) ticks.push(2 ** power);
  if (ticks.length < 2) ticks.splice(0, ticks.length, ...unique([Math.min(...sizes), Math.max(...sizes)]));
  const log10 = Math.log10(2);
  return {
    type: "log",
    autorange: false,
    range: [low * log10 - 0.08, high * log10 + 0.03],
    tickvals: ticks,
    ticktext: ticks.map(sizeText),
    tickangle: 0,
    title: {text: "n, the number of keys (logarithmic)"},
    fixedrange: true
  };
}

/** The axis of rates: from 0 on, or logarithmic, which its title says. */
function rateAxis(rates, isLog) {
  const high = Math.max(...rates);
  const axis = {type: isLog ? "log" : "linear", autorange: false, fixedrange: true, tickformat: "~s"};
  if (!isLog) return {...axis, range: [0, 1.06 * high], nticks: 8, title: {text: "keys per second"}};
  const low = Math.min(...rates);
  const decades = Math.log10(high / low);
  return {
    ...axis,
    range: [Math.log10(low) - 0.05, Math.log10(high) + 0.05],
    dtick: decades > 5 ? 1 :
        decades > 0.7  ? "D2" :
                         "D1",
    title: {text: "keys per second (logarithmic)"}
  };
}

function revisionText(revision) {
  return revision ? revision.replace(/^([0-9a-f]{7})[0-9a-f]+/, "$1") : "an unknown revision";
}

/** The source files of points, and the revisions that made them. */
function sourceText(points) {
  const sources = mostCommon(points.map((p) => p.source)).map((i) => DATA.sources[i]);
  const text = (s) => s.csv + (s.revision ? ` (${revisionText(s.revision)})` : "");
  const more = sources.length - MOST_SOURCES;
  return `Data: ${sources.slice(0, MOST_SOURCES).map(text).join(", ")}${
      more > 0 ? `, and ${countText(more, "more file")}` : ""}`;
}

const OLDER = "Measured here by an older revision than elsewhere";

/** "`what`: cpu/auto/auto (ef1e88f, 94b13cb with changes)": the sorts with points of older revisions; or "". */
function olderText(points, what) {
  const older = points.filter((p) => p.isOlder);
  const text = (variant) => {
    const revisions = unique(older.filter((p) => p.variant === variant).map((p) => revisionText(p.revision)));
    return `${variant} (${revisions.join(", ")})`;
  };
  const variants = mostCommon(older.map((p) => p.variant));
  const more = variants.length - MOST_SOURCES;
  return variants.length === 0 ? "" :
                                 `${what}: ${variants.slice(0, MOST_SOURCES).map(text).join(", ")}${
                                     more > 0 ? `, and ${countText(more, "more sort")}` : ""}`;
}

/**
 * Draws a chart below `parent`. `name` names its file and must be unique. words: {title: the finding, sub: units and
 * machine, label: a description of the chart, source: files and revisions, older: the points of older revisions}. The
 * text of a point's hover is in the trace's `hovertext`.
 */
function drawFigure(parent, name, words, traces, layout) {
  const {title, sub, label, source, older} = words;
  const chart = element("div", {class: "chart", role: "group", "aria-label": label});
  const save = (format) => element(
      "button", {
        type: "button",
        "aria-label": `Save "${title}" as ${format.toUpperCase()}`,
        click: () => Plotly.downloadImage(withWords(chart, words), {...imageSize(chart, words), format, filename: name})
      },
      format.toUpperCase());
  parent.append(element(
      "figure", {id: `figure-${name}`},
      element(
          "figcaption", {}, element("strong", {}, title), save("png"), save("svg"), element("p", {class: "sub"}, sub)),
      chart, element("p", {class: "source"}, source), older ? element("p", {class: "source"}, older) : null,
      numbersOf(title, traces)));
  FIGURES.set(name, {chart, words});
  Plotly.newPlot(chart, traces, layout, {responsive: true, displayModeBar: false, scrollZoom: false});
  chart.on("plotly_afterplot", () => makeLegendReachable(chart));
  makeLegendReachable(chart);
  return chart;
}

const sourceHeight = (words) => SOURCE_HEIGHT * (words.older ? 2 : 1);

function imageSize(chart, words) {
  return {
    width: Math.max(900, chart.clientWidth),
    height: chart.clientHeight + TITLE_HEIGHT + sourceHeight(words),
    scale: 2
  };
}

/** An image is used without the page, so it contains its texts. */
function withWords(chart, words) {
  const {title, sub, source, older} = words;
  const {margin, ...layout} = chart.layout;
  const small = (text) => `<span style="font-size:12px">${plain(text)}</span>`;
  return {
    data: chart.data,
    layout: {
      ...layout,
      width: undefined,
      height: undefined,
      title: {
        text: `<b>${plain(title)}</b><br>${small(sub)}`,
        x: 0,
        xanchor: "left",
        yref: "container",
        y: 1,
        yanchor: "top",
        pad: {l: 12, t: 14},
        font: {size: 16}
      },
      annotations: [
        ...(layout.annotations || []), {
          text: [source, older].filter((text) => text).map(plain).join("<br>"),
          align: "left",
          xref: "paper",
          yref: "paper",
          x: 0,
          y: 0,
          xanchor: "left",
          yanchor: "bottom",
          yshift: -(margin.b + sourceHeight(words) + (layout.xaxis.automargin ? 34 : -6)),
          showarrow: false,
          font: {size: 11, color: theme(isDark()).muted}
        }
      ],
      margin: {...margin, t: margin.t + TITLE_HEIGHT, b: margin.b + sourceHeight(words)}
    }
  };
}

function figureImage(name, format) {
  const {chart, words} = FIGURES.get(name);
  return Plotly.toImage(withWords(chart, words), {...imageSize(chart, words), format});
}

/** The table is filled in when it is opened, because few readers open it. */
function numbersOf(title, traces) {
  const details = element("details", {}, element("summary", {}, "Numbers"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1)
      details.append(tableOf(`Numbers of ${title}`, [{title: "series"}, {title: "point"}], numberRows(traces)));
  });
  return details;
}

function numberRows(traces) {
  const words = (text) => String(text)
                              .replace(/<br>/g, ", ")
                              .replace(/<[^>]*>/g, "")
                              .replace(/&lt;/g, "<")
                              .replace(/&gt;/g, ">")
                              .replace(/&amp;/g, "&");
  const rows = [];
  for (const trace of traces) {
    for (const text of [trace.hovertext].flat(2)) {
      if (text) rows.push([trace.name || "", words(text)]);
    }
  }
  return rows;
}

/** Plotly's legend reacts only to the mouse; this makes it reachable by Tab, and Enter or Space toggles entries. */
function makeLegendReachable(chart) {
  chart.querySelectorAll(".legend .traces").forEach((entry, i) => {
    if (entry.getAttribute("tabindex") !== null) return;
    const name = entry.textContent;
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("role", "button");
    entry.setAttribute("aria-label", `Show or hide ${name}`);
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      const at = chart.data.findIndex((trace) => trace.name === name);
      const visible = chart.data[at].visible === "legendonly" ? true : "legendonly";
      Plotly.restyle(chart, {visible}, [at]).then(() => {
        const again = chart.querySelectorAll(".legend .traces")[i];
        if (again) again.focus();
      });
    });
  });
}
