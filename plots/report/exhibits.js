// Published tables beside our measurements.

const MOST_ROWS = 80;
const LONGEST_LABEL = 44;
const LEAST_SIZES = 3;  // of a figure over n
const IN_MS = {
  s: 1e3,
  ms: 1,
  us: 1e-3
};

function drawExhibits(section, data, redraw) {
  if (data.exhibits.length === 0)
    return section.append(nothing("No exhibit is among these results (sortlab reproduce makes them)."));
  drawClaims(section, data.exhibits.filter((c) => c.column === "verdict"));
  const names = unique(data.exhibits.map((c) => c.exhibit));
  const measured = data.exhibits.filter((c) => Number(c.measured) > 0).map((c) => c.exhibit);
  if (!STATE.local.exhibit && measured.length > 0) STATE.local.exhibit = measured[0];
  const name = localChoice("exhibit", names);
  section.append(element(
      "div", {class: "controls"},
      localPicker("Exhibit", "exhibit", names.map((value) => ({value, text: value})), redraw)));
  const cells = data.exhibits.filter((c) => c.exhibit === name && c.column !== "verdict");
  if (cells.length === 0) return section.append(nothing("This exhibit is a claim without a figure."));
  section.append(element(
      "p", {},
      `${unique(cells.map((c) => c.source)).join("; ")}. Measured on ${
          unique(cells.map((c) => c.machine).filter((m) => m)).join("; ") || "no machine"}.`));
  section.append(tableOf(
      `Exhibit ${name}`,
      [
        {title: "table"}, {title: "row"}, {title: "column"}, {title: "unit"}, {title: "published", number: true},
        {title: "measured", number: true}, {title: "ratio", number: true}, {title: "status"}
      ],
      cells.map(
          (c) =>
              [c.table, c.row, c.column, c.unit, numberText(c.published), numberText(c.measured), numberText(c.ratio),
               [c.status, c.reason].filter((t) => t).join(": ")])));
  const curves = curvesOf(cells);
  if (curves.length > 0) return drawOverN(section, name, curves);
  const groups = unique(cells.map((c) => `${c.table}\n${c.unit}`));
  groups.forEach(
      (group, i) => drawExhibitTable(section, name, i, cells.filter((c) => `${c.table}\n${c.unit}` === group)));
}

/** The claims of the papers with our verdicts; the figures behind a verdict are in its exhibit. */
function drawClaims(section, claims) {
  if (claims.length === 0) return;
  const tally = (source, own) =>
      [source,
       ...["confirmed", "refuted", "can't tell here"].map((v) => String(own.filter((c) => c.status === v).length)),
       String(own.length)];
  section.append(
      element("h3", {}, "The claims"),
      tableOf(
          "Verdicts by source",
          [
            {title: "source"}, {title: "confirmed", number: true}, {title: "refuted", number: true},
            {title: "can't tell here", number: true}, {title: "claims", number: true}
          ],
          [
            ...unique(claims.map((c) => c.source)).map((s) => tally(s, claims.filter((c) => c.source === s))),
            tally("all", claims)
          ]),
      tableOf(
          "The claims of the papers",
          [{title: "verdict"}, {title: "claim"}, {title: "source"}, {title: "why"}, {title: "machine"}],
          claims.map((c) => [element("strong", {}, c.status), c.row, `${c.source}, ${c.table}`, c.reason, c.machine])),
      element("h3", {}, "The tables and figures"));
}

/** The n that a row's name tells: k = 20, 2^20, 16K; 0 if it tells none. */
function sizeOf(row) {
  const power = /^(?:k = |2\^)(\d+)$/.exec(row);
  if (power) return 2 ** Number(power[1]);
  const count = /^(\d+)([KMG])$/.exec(row);
  return count ? Number(count[1]) * {K: 2 ** 10, M: 2 ** 20, G: 2 ** 30}[count[2]] : 0;
}

/** The cells of a paper's figure of times over n, with n and both times in ms; none for another exhibit. */
function curvesOf(cells) {
  if (!cells.every((c) => /figure/i.test(c.table) && sizeOf(c.row) > 0 && c.unit in IN_MS)) return [];
  const ofThatSize = (c) => !c.reason.includes("in place of");
  const curves = cells.map((c) => ({
                             ...c,
                             n: sizeOf(c.row),
                             publishedMs: Number(c.published) * IN_MS[c.unit],
                             measuredMs: ofThatSize(c) ? Number(c.measured) * IN_MS[c.unit] : 0
                           }));
  return unique(curves.filter((c) => c.measuredMs > 0).map((c) => c.n)).length < LEAST_SIZES ? [] : curves;
}

/** Time over n on two logarithmic axes, as the papers draw it: what was measured, and dotted what was published. */
function drawOverN(section, name, cells) {
  const columns = unique(cells.map((c) => c.column));
  const line = (column, which, look) => {
    const points = cells.filter((c) => c.column === column && c[which] > 0);
    return {
      type: "scatter",
      mode: "lines+markers",
      name: `${plain(column)}, ${which === "measuredMs" ? "here" : "published"}`,
      x: points.map((c) => c.n),
      y: points.map((c) => c[which]),
      ...look
    };
  };
  const layout = baseLayout();
  Object.assign(layout.xaxis, sizeAxis(cells.map((c) => c.n)));
  Object.assign(layout.yaxis, {type: "log", fixedrange: true, title: {text: "ms (logarithmic)"}});
  placeLegend(layout, 2 * columns.length, 420);
  const series =
      columns
          .flatMap(
              (column, i) =>
                  [line(column, "measuredMs", {line: {color: partColor(i)}, marker: {symbol: "diamond", size: 7}}),
                   line(
                       column, "publishedMs",
                       {line: {color: partColor(i), dash: "dot"}, marker: {symbol: "circle-open", size: 7}})])
          .filter((one) => one.x.length > 0);
  drawFigure(
      section, `exhibit-${name}-over-n`, {
        title: `${cells[0].table}: time over the number of keys`,
        sub: `${cells[0].source}; measured on ${unique(cells.map((c) => c.machine).filter((m) => m)).join("; ")}`,
        label: `Published and measured times of ${columns.length} sorts over the number of keys, logarithmic.`,
        source: `Data: ${name}.csv`
      },
      series, layout);
}

/** Long figures are cut to four digits; text stays unchanged. */
function numberText(text) {
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? text : String(Number(value.toPrecision(4)));
}

function exhibitFinding(table, pairs) {
  const ratios = pairs.map((c) => Number(c.ratio)).sort((a, b) => a - b);
  return `${table}: measured is ${threeDigits(ratios[Math.floor(ratios.length / 2)])} of published in the median of ${
      countText(pairs.length, "cell")}`;
}

/** Only cells with a ratio are drawn; without a ratio, the two values are for different sizes. */
function exhibitLayout(unit, labels) {
  const layout = baseLayout();
  const narrow = isNarrow();
  Object.assign(layout.xaxis, {
    type: "log",
    tickformat: "~s",
    title: {text: `${plain(unit)} (logarithmic)`},
    fixedrange: true,
    nticks: narrow ? 4 : 10
  });
  Object.assign(layout.yaxis, {
    autorange: false,
    range: [labels.length - 0.4, -0.9],
    tickvals: labels.map((_, i) => i),
    ticktext: labels.map(plain),
    fixedrange: true,
    showticklabels: !narrow
  });
  if (narrow)
    layout.annotations = labels.map((text, i) => ({
                                      xref: "paper",
                                      x: 0,
                                      y: i,
                                      text: plain(text),
                                      showarrow: false,
                                      xanchor: "left",
                                      yshift: 11,
                                      font: {size: 10, color: theme(isDark()).muted}
                                    }));
  placeLegend(layout, 2, labels.length * (narrow ? 32 : 22) + 90);
  return layout;
}
function exhibitSeries(which, pairs, labels, marker) {
  return {
    type: "scatter",
    mode: "markers",
    name: which,
    x: pairs.map((c) => Number(c[which])),
    y: pairs.map((_, i) => i),
    marker: {size: 9, ...marker},
    hovertemplate: "%{hovertext}<extra></extra>",
    hovertext: pairs.map(
        (c, i) => `<b>${plain(labels[i])}</b><br>published ${plain(c.published)} ${plain(c.unit)}<br>measured ${
            plain(numberText(c.measured))} ${plain(c.unit)}, ratio ${plain(numberText(c.ratio))}`)
  };
}
function drawExhibitTable(section, name, number, cells) {
  const pairs = cells.filter((c) => Number(c.published) > 0 && Number(c.measured) > 0 && Number(c.ratio) > 0);
  if (pairs.length < 2) return;
  const {table, unit} = pairs[0];
  if (pairs.length > MOST_ROWS)
    return section.append(
        nothing(`${table}: ${pairs.length} cells are too many for a chart; the table above has them.`));
  const labels = pairs.map((c) => [c.row, c.column].filter((t) => t).join(", "))
                     .map((t) => (t.length > LONGEST_LABEL ? `${t.slice(0, LONGEST_LABEL - 1)}…` : t));
  drawFigure(
      section, `exhibit-${name}-${number + 1}`, {
        title: exhibitFinding(table, pairs),
        sub: `${unit} (logarithmic); ${pairs[0].source}; measured on ${unique(pairs.map((c) => c.machine)).join("; ")}`,
        label: `Published and measured values of ${pairs.length} cells in ${unit}, logarithmic.`,
        source: `Data: ${name}.csv${pairs[0].revision ? ` (${unique(pairs.map((c) => c.revision)).join(", ")})` : ""}`
      },
      [
        exhibitSeries(
            "published", pairs, labels, {symbol: "circle-open", color: theme(isDark()).muted, line: {width: 2}}),
        exhibitSeries("measured", pairs, labels, {symbol: "diamond", color: partColor(0)})
      ],
      exhibitLayout(unit, labels));
}
