// A figure: a title, a chart, buttons that save it, and its numbers as a table for those who can't see it.

const FIGURES = new Map();  // by name: { chart: its element, title }
const TITLE_HEIGHT = 44;
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
 * The legend above the chart when it is short, else beside it, or below it where the page is narrow; sets
 * the height of the whole. Plotly gives a legend below no more than half of that.
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

function logTicks(sizes) {
  const all = unique(sizes).sort((a, b) => a - b);
  const step = Math.ceil(all.length / (isNarrow() ? 5 : 10));
  const shown = all.filter((_, i) => (all.length - 1 - i) % step === 0);
  return {
    type: "log",
    tickvals: shown,
    ticktext: shown.map(sizeText),
    tickangle: 0,
    title: {text: "n, the number of keys"}
  };
}

function logRates(rates) {
  const decades = Math.log10(Math.max(...rates) / Math.min(...rates));
  return {
    type: "log",
    tickformat: "~s",
    dtick: decades > 5 ? 1 :
        decades > 0.7  ? "D2" :
                         "D1",
    title: {text: "keys per second"}
  };
}

/**
 * Draws a chart below `parent`. `name` names its file and must be unique; `label` says in words what is
 * seen. The text of a point's hover is in the trace's `text` or `hovertext`.
 */
function drawFigure(parent, name, title, label, traces, layout) {
  const chart = element("div", {class: "chart", role: "group", "aria-label": label});
  const save = (format) => element(
      "button", {
        type: "button",
        "aria-label": `Save "${title}" as ${format.toUpperCase()}`,
        click: () => Plotly.downloadImage(withTitle(chart, title), {...imageSize(chart), format, filename: name})
      },
      format.toUpperCase());
  parent.append(element(
      "figure", {id: `figure-${name}`},
      element("figcaption", {}, element("strong", {}, title), save("png"), save("svg")), chart,
      numbersOf(title, traces)));
  FIGURES.set(name, {chart, title});
  Plotly.newPlot(chart, traces, layout, {responsive: true, displayModeBar: false, scrollZoom: false});
  chart.on("plotly_afterplot", () => makeLegendReachable(chart));
  makeLegendReachable(chart);
}

function imageSize(chart) {
  return {width: Math.max(900, chart.clientWidth), height: chart.clientHeight + TITLE_HEIGHT, scale: 2};
}

/** An image stands alone, so its title is in it. */
function withTitle(chart, title) {
  const {margin, ...layout} = chart.layout;
  return {
    data: chart.data,
    layout: {
      ...layout,
      width: undefined,
      height: undefined,
      title: {
        text: `<b>${plain(title)}</b>`,
        x: 0,
        xanchor: "left",
        yref: "container",
        y: 1,
        yanchor: "top",
        pad: {l: 12, t: 14},
        font: {size: 16}
      },
      margin: {...margin, t: margin.t + TITLE_HEIGHT}
    }
  };
}

function figureImage(name, format) {
  const {chart, title} = FIGURES.get(name);
  return Plotly.toImage(withTitle(chart, title), {...imageSize(chart), format});
}

/** Filled in when it is opened: few readers do. */
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

/** Plotly's legend answers to the mouse alone; here it can be tabbed to, and Enter or Space toggles. */
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
