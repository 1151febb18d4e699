"use strict";
// Horizontal bars, one row per variant, as in most charts here. On a narrow page the names are above their bars, not
// beside them.

/**
 * rows: [{ label, parts: [{ name, value, color, pattern, hover }], note }]; the parts of a row are stacked, and parts
 * with one name are one series. Bars begin at 0, on a linear axis. words: as in drawFigure. options: { title, legend,
 * order: names of all series, tickformat, line: { at } }.
 */
function drawBars(parent, name, words, rows, options) {
  const narrow = isNarrow();
  const layout = baseLayout();
  const pitch = narrow ? 34 : 24;
  const totals = rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0));
  const present = unique(rows.flatMap((row) => row.parts.map((part) => part.name)));
  const series = options.order ? options.order.filter((name) => present.includes(name)) : present;
  const traces = series.map((s) => seriesOf(s, rows, options));
  layout.barmode = "stack";
  layout.bargap = narrow ? 0.6 : 0.3;
  Object.assign(layout.yaxis, {
    autorange: false,
    range: [rows.length - 0.4, narrow ? -0.9 : -0.6],
    showgrid: false,
    fixedrange: true,
    tickvals: rows.map((_, i) => i),
    ticktext: rows.map((row) => plain(row.label)),
    showticklabels: !narrow,
  });
  Object.assign(
      layout.xaxis, {title: {text: options.title}, fixedrange: true, ...valueAxis(rows, totals, options, narrow)});
  layout.annotations = annotations(rows, totals, narrow);
  if (options.line)
    layout.shapes = [{
      type: "line",
      x0: options.line.at,
      x1: options.line.at,
      yref: "paper",
      y0: 0,
      y1: 1,
      line: {color: theme(isDark()).muted, dash: "dot"}
    }];
  const height = Math.max(3, rows.length) * pitch + 90;
  if (options.legend)
    placeLegend(layout, series.length, height);
  else
    layout.height = height;
  drawFigure(parent, name, words, traces, layout);
}

function seriesOf(series, rows, options) {
  const found =
      rows.flatMap((row, y) => row.parts.filter((part) => part.name === series).map((part) => ({y, ...part})));
  return {
    type: "bar",
    orientation: "h",
    name: plain(series),
    y: found.map((p) => p.y),
    x: found.map((p) => p.value),
    marker: {
      color: found.map((p) => p.color),
      line: {width: 0},
      pattern: {
        shape: found.map((p) => p.pattern || ""),
        fillmode: "overlay",
        fgcolor: theme(isDark()).card,
        size: 7,
        solidity: 0.25
      }
    },
    hovertext: found.map((p) => p.hover),
    hovertemplate: "%{hovertext}<extra></extra>",
  };
}

/** The axis from 0 on, with room for the longest note behind the longest bar. */
function valueAxis(rows, totals, options, narrow) {
  const high = Math.max(...totals, options.line ? options.line.at : 0);
  const longest = Math.max(...rows.map((row) => row.note.length));
  const width = Math.min(1240, document.documentElement.clientWidth) - (narrow ? 60 : 320);  // about that of the bars
  const notes = Math.min(0.7, ((narrow ? 6.4 : 7) * longest + 8) / width);
  return {range: [0, high / (1 - notes)], tickformat: options.tickformat || "~s", nticks: narrow ? 4 : 8};
}

function annotations(rows, totals, narrow) {
  const t = theme(isDark());
  const list = rows.map((row, i) => ({
                          x: totals[i],
                          y: i,
                          text: plain(row.note),
                          showarrow: false,
                          xanchor: "left",
                          xshift: 4,
                          font: {size: narrow ? 10 : 11, color: t.ink}
                        }));
  if (narrow) {
    list.push(...rows.map((row, i) => ({
                            x: 0,
                            y: i,
                            text: plain(row.label),
                            showarrow: false,
                            xanchor: "left",
                            yshift: 13,
                            font: {size: 10, color: t.muted}
                          })));
  }
  return list;
}

/** The look of a bar of one variant. */
function barLook(variant) {
  const style = styleOf(variant, isDark());
  return {color: style.color, pattern: style.onGpu ? "/" : ""};
}
