// Throughput against n, a line a variant.

function drawThroughput(section, data, redraw) {
  const points = chosenPoints(data);
  if (points.length === 0) return section.append(nothing(`No time was measured for ${contextText()} on this machine.`));
  const shown = narrowDown(section, "throughput", points, redraw, false);
  const variants = inOrder(shown.map((p) => p.variant));
  const layout = baseLayout();
  Object.assign(layout.xaxis, logTicks(shown.map((p) => p.n)), {fixedrange: true});
  Object.assign(layout.yaxis, logRates(shown.map((p) => p.rate)), {fixedrange: true});
  placeLegend(layout, variants.length, isNarrow() ? 320 : 460);
  drawFigure(
      section, "throughput", `Throughput against n, ${contextText()}`,
      `Keys per second against n, both axes logarithmic, for ${variants.length} ${placeText(shown[0].where)}.`,
      variants.map((v) => lineOf(v, shown.filter((p) => p.variant === v))), layout);
}

function lineOf(variant, points) {
  const style = styleOf(variant, isDark());
  const line = [...points].sort((a, b) => a.n - b.n);
  return {
    type: "scatter",
    mode: "lines+markers",
    name: plain(points[0].label),
    x: line.map((p) => p.n),
    y: line.map((p) => p.rate),
    line: {color: style.color, dash: style.dash, width: 1.6},
    marker: {color: style.color, symbol: style.symbol, size: 7},
    error_y: {
      type: "data",
      symmetric: false,
      array: line.map((p) => p.n / (p.low * 1e-9) - p.rate),
      arrayminus: line.map((p) => p.rate - p.n / (p.high * 1e-9)),
      color: style.color,
      thickness: 1,
      width: 2
    },
    hovertext: line.map(pointHover),
    hovertemplate: "%{hovertext}<extra></extra>",
  };
}
