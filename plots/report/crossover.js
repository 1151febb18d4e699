// CPU against GPU: the best of each side at each n, and where they cross.

const SIDES = [
  {id: "host", text: "best host sort", dash: "solid", of: (p) => p.where === "host"},
  {id: "device", text: "best GPU sort, data on the GPU", dash: "dash", of: (p) => p.where === "device"},
  {
    id: "pinned",
    text: "best GPU sort with copies, pinned memory",
    dash: "dot",
    of: (p) => p.where === "copies" && p.hostMem === "pinned"
  },
  {
    id: "pageable",
    text: "best GPU sort with copies, pageable memory",
    dash: "dashdot",
    of: (p) => p.where === "copies" && p.hostMem === "pageable"
  },
  {
    id: "staged",
    text: "best GPU sort with copies, pageable memory staged by several threads",
    dash: "longdash",
    of: (p) => p.where === "copies" && p.hostMem === "staged"
  },
];

function drawCrossover(section, data) {
  const points = chosenPoints(data);
  const sides = SIDES.map((side) => ({...side, best: bestAtEach(points.filter((p) => side.of(p) && !p.isOlder))}))
                    .filter((s) => s.best.length > 0);
  const hasNewer = (p) => sides.some((side) => side.of(p) && side.best.some((q) => q.n === p.n));
  const older = SIDES.flatMap((side) => bestAtEach(points.filter((p) => side.of(p) && !hasNewer(p))));
  const drawn = [...sides.flatMap((s) => s.best), ...older];
  const onGpu = points.some((p) => p.where !== "host");
  if (!onGpu)
    return section.append(nothing(
        `No GPU sort was measured for ${contextText()} on this machine: nothing to hold against its host sorts.`));
  if (!sides.some((s) => s.id === "host"))
    return section.append(nothing(
        `No host sort was measured for ${contextText()} on this machine: nothing to hold against its GPU sorts.`));
  for (const text of crossoverTexts(data).slice(1)) section.append(element("p", {}, text));
  const layout = baseLayout();
  Object.assign(layout.xaxis, sizeAxis(drawn.map((p) => p.n)));
  Object.assign(layout.yaxis, rateAxis(drawn.map((p) => p.rate), true));
  layout.shapes = crossoversHere(data)
                      .filter((c) => c.kind === "at")
                      .map((c) => ({
                             type: "line",
                             x0: c.n,
                             x1: c.n,
                             yref: "paper",
                             y0: 0,
                             y1: 1,
                             line: {color: theme(isDark()).muted, dash: "dot", width: 1}
                           }));
  placeLegend(layout, sides.length, 360);
  drawFigure(
      section, "crossover", {
        title: crossoverTexts(data)[0] || "No crossover can be told",
        sub: `keys per second of the best sort of each side over n (both logarithmic); ${contextText()}; ${
            machineText()}`,
        label: `Keys per second of the best sort of each side against n. ${crossoverTexts(data).join(" ")}`,
        source: sourceText(drawn),
        older: olderText(older, "Small and grey: n that only older revisions measured")
      },
      [...(older.length > 0 ? [olderMarkers(older)] : []), ...sides.map(sideLine)], layout);
}

function bestAtEach(points) {
  const best = new Map();
  for (const p of points)
    if (!best.has(p.n) || p.median < best.get(p.n).median) best.set(p.n, p);
  return [...best.values()].sort((a, b) => a.n - b.n);
}

function olderMarkers(older) {
  return {
    type: "scatter",
    mode: "markers",
    name: "older revisions",
    showlegend: false,
    x: older.map((p) => p.n),
    y: older.map((p) => p.rate),
    marker: {color: GREY[isDark()], size: 4},
    hovertext: older.map(pointHover),
    hovertemplate: "%{hovertext}<extra></extra>",
  };
}

function sideLine(side) {
  const styles = side.best.map((p) => styleOf(p.variant, isDark()));
  return {
    type: "scatter",
    mode: "lines+markers",
    name: side.text,
    x: side.best.map((p) => p.n),
    y: side.best.map((p) => p.rate),
    line: {color: theme(isDark()).muted, dash: side.dash, width: 1.6},
    marker: {
      color: styles.map((s, i) => (side.best[i].isOlder ? GREY[isDark()] : s.color)),
      symbol: styles.map((s) => s.symbol),
      size: 9
    },
    hovertext: side.best.map(pointHover),
    hovertemplate: "%{hovertext}<extra></extra>",
  };
}

function crossoversHere(data) {
  return data.crossovers.filter((c) => c.machine === STATE.machine && c.keys === STATE.keys && c.input === STATE.input);
}

function crossoverTexts(data) {
  return crossoversHere(data).map((c) => {
    const what = c.where === "copies" ? "With the copies there and back" : "With the data on the GPU";
    const range = c.nLow === c.nHigh ? `at n = ${sizeText(c.nLow)}, the only n measured on both sides` :
                                       `at every n from ${sizeText(c.nLow)} to ${sizeText(c.nHigh)}`;
    switch (c.kind) {
      case "at":
        return `${what}, the GPU is ahead of the best host sort from n = ${aboutText(c.n)} on.`;
      case "always_gpu":
        return `${what}, the GPU is ahead ${range}.`;
      case "always_cpu":
        return `${what}, the best host sort is ahead at n = ${
            sizeText(c.nHigh)}, the largest n measured on both sides: no crossover seen.`;
      default:
        return `${what}, no n was measured on both sides, so no crossover can be told.`;
    }
  });
}
