// Configurations that were measured more than once: their throughput from run to run.

function drawHistory(section, data, redraw) {
  const points = chosenPoints(data).filter((p) => p.earlier.length > 0);
  if (points.length === 0)
    return section.append(nothing(`Nothing was measured twice for ${
        contextText()} on this machine. Give \`sortlab report\` the CSVs of several runs.`));
  const shown = narrowDown(section, "history", points, redraw);
  const all =
      shown.map((p) => [...p.earlier, {since: p.since, source: p.source, median: p.median, low: p.low, high: p.high}]);
  const runs = unique(all.flat().map(runOf)).sort();
  const rate = (p, ns) => p.n / (ns * 1e-9);
  const main = mainVariants(shown, () => 0);
  const lines = shown.map((p, i) => {
    const times = all[i].filter((m, at) => all[i].findLastIndex((other) => runOf(other) === runOf(m)) === at);
    return {
      variant: p.variant,
      name: p.label,
      isMain: main.includes(p.variant),
      x: times.map((m) => runs.indexOf(runOf(m))),
      y: times.map((m) => rate(p, m.median)),
      errors: times.map((m) => [rate(p, m.median) - rate(p, m.high), rate(p, m.low) - rate(p, m.median)]),
      hovertext: times.map(
          (m) => `<b>${plain(p.variant)}</b><br>${plain(runOf(m))}<br>${timeText(m.median)}, 95 % interval ${
              timeText(m.low)} to ${timeText(m.high)}<br>${rateText(rate(p, m.median))}`)
    };
  });
  const changed = lines.filter((line) => line.y.length > 1)
                      .map((line) => ({name: line.name, ratio: line.y[line.y.length - 1] / line.y[0]}))
                      .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  drawLines(
      section, "history", {
        title: changed.length ? `${changed[0].name} is now ${changeText(changed[0].ratio)} at n = ${
                                    sizeText(shown[0].n)}, the largest change of ${countText(changed.length, "sort")}` :
                                "Only one run has each sort",
        sub: `keys per second from run to run; ${contextText()}; ${placeText(shown[0].where)}; ${machineText()}`,
        label: `Keys per second of ${countText(lines.length, "sort")} in ${countText(runs.length, "run")}.`,
        source: sourceText(all.flat())
      },
      lines, {x: runAxis(runs), y: rateAxis(lines.flatMap((line) => line.y), false)}, 340);
}

/** "2026-11-22, ef1e88f": runs of one revision on one day are one. */
function runOf(measurement) {
  const {revision, csv} = DATA.sources[measurement.source];
  return `${measurement.since.slice(0, 10)}, ${revision ? revision.slice(0, 7) : csv}`;
}

function runAxis(runs) {
  const step = Math.ceil(runs.length / (isNarrow() ? 2 : 6));
  const shown = runs.map((_, i) => i).filter((i) => (runs.length - 1 - i) % step === 0);
  return {
    type: "linear",
    autorange: false,
    fixedrange: true,
    range: [-0.3, runs.length - 0.8],
    tickvals: shown,
    ticktext: shown.map((i) => plain(runs[i])),
    title: {text: "day and revision"}
  };
}

function changeText(ratio) {
  return Math.abs(ratio - 1) < 0.005 ? "as fast as before" :
      ratio > 1                      ? `${gainText(ratio)} as fast as at first` :
                                       `${gainText(1 / ratio)} slower than at first`;
}
