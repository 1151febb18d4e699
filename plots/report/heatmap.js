// Every variant on every distribution.

// Cividis, which readers with any colour vision see as dark to bright.
const HEAT = ["#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#fee838"];

function heatColor(share) {
  const at = share * (HEAT.length - 1);
  const i = Math.min(HEAT.length - 2, Math.floor(at));
  return blend(HEAT[i], HEAT[i + 1], at - i);
}

/** Black or white, whichever stands out more. */
function inkOn(color) { return contrast("#000000", color) > contrast("#ffffff", color) ? "#000000" : "#ffffff"; }

/** Plotly's own texts in a map keep too little contrast in the middle of the scale. */
function cellTexts(points, variants, inputs, size) {
  const logs = points.map((p) => Math.log10(p.rate));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  return points.map((p, i) => ({
                      x: inputs.indexOf(p.input),
                      y: variants.indexOf(p.variant),
                      text: shortRate(p.rate),
                      showarrow: false,
                      captureevents: false,
                      font: {size, color: inkOn(heatColor(high > low ? (logs[i] - low) / (high - low) : 0.5))}
                    }));
}

function drawHeatmap(section, data, redraw) {
  const points = data.points.filter((p) => p.machine === STATE.machine && p.keys === STATE.keys);
  if (points.length === 0)
    return section.append(nothing(`No time was measured for ${STATE.keys} keys on this machine.`));
  const shown = narrowDown(section, "heatmap", points, redraw);
  const inputs = unique(shown.map((p) => p.input));
  const variants = inOrder(shown.map((p) => p.variant));
  if (inputs.length < 2)
    section.append(nothing(`Only one distribution was measured here, ${inputs[0]}: the map has one column.`));
  const label = (v) => shown.find((p) => p.variant === v).label;
  const cell = (v, i) => shown.find((p) => p.variant === v && p.input === i);
  const grid = (value) => variants.map((v) => inputs.map((i) => (cell(v, i) ? value(cell(v, i)) : null)));
  const narrow = isNarrow();
  const layout = baseLayout();
  layout.height = variants.length * 24 + 110;
  if (narrow) layout.width = Math.max(document.documentElement.clientWidth - 40, 160 + 46 * inputs.length);
  Object.assign(
      layout.xaxis, {type: "category", showgrid: false, side: "top", tickangle: narrow ? -60 : 0, fixedrange: true});
  Object.assign(
      layout.yaxis,
      {type: "category", showgrid: false, autorange: "reversed", fixedrange: true, tickfont: {size: narrow ? 9 : 12}});
  if (narrow)
    Object.assign(layout.yaxis, {
      tickvals: variants.map((_, i) => i),
      ticktext: variants.map((v) => plain(label(v).split("/").slice(1).join("/")))
    });
  layout.annotations = cellTexts(shown, variants, inputs, narrow ? 9 : 11);
  drawFigure(
      section, "heatmap", `Keys per second by distribution at n = ${sizeText(shown[0].n)}, ${STATE.keys} keys`,
      `A map of ${variants.length} variants by ${inputs.length} distributions; brighter is faster.`, [{
        type: "heatmap",
        x: inputs.map(plain),
        y: variants.map((v) => plain(label(v))),
        z: grid((p) => Math.log10(p.rate)),
        hovertext: grid((p) => `${pointHover(p)}<br>${plain(p.input)}`),
        hovertemplate: "%{hovertext}<extra></extra>",
        colorscale: HEAT.map((color, i) => [i / (HEAT.length - 1), color]),
        showscale: false,
        xgap: 1,
        ygap: 1,
        hoverongaps: false
      }],
      layout);
}
