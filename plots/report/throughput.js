// Draws throughput against n: in keys per second, or as a ratio to the best rival.

const SCALES = [
  {value: "rate", text: "keys per second"},
  {value: "relative", text: "times the best rival"},
  {value: "log", text: "keys per second, logarithmic"},
];

function drawThroughput(section, data, redraw) {
  const points = chosenPoints(data);
  if (points.length === 0) return section.append(nothing(`No time was measured for ${contextText()} on this machine.`));
  const left = narrowDown(section, "throughput", points, redraw, false, bestChart(points, data).where);
  const rivals = bestRivals(left);
  const scales = SCALES.filter((s) => s.value !== "relative" || rivals.size > 0);
  const scale = localChoice("scale", scales.map((s) => s.value));
  section.querySelector(".controls")
      .append(
          localPicker("Scale", "scale", scales, redraw), searchBox("find", unique(left.map((p) => p.variant)), redraw));
  const shown = scale === "relative" ? left.filter((p) => rivals.has(p.n)) : left;
  const value = (p) => (scale === "relative" ? p.rate / rivals.get(p.n).rate : p.rate);
  const current = shown.filter((p) => !p.isOlder);
  const newest = current.length > 0 ? current : shown;
  const main = mainVariants(newest, (p) => p.n);
  const find = STATE.local.find || "";
  const found = unique(shown.map((p) => p.variant)).filter((v) => isFound(v, find)).slice(0, 2 * MOST_LINES);
  const isNamed = (variant) => (found.length > 0 ? found : main).includes(variant);
  const variants = inOrder(shown.map((p) => p.variant));
  const lines = variants.flatMap((variant) => {
    const points = shown.filter((p) => p.variant === variant).sort((a, b) => a.n - b.n);
    const ofLine = mostCommon(points.filter((p) => !p.isOlder).map((p) => p.revision))[0];
    return unique(points.map((p) => p.revision)).map((revision) => {
      const line = points.filter((p) => p.revision === revision);
      const {label, isOlder} = line[0];
      return {
        variant,
        name: revision === ofLine ? label : `${label}, ${revisionText(revision)}`,
        isMain: isNamed(variant) && !isOlder,
        hasMarkers: isNamed(variant),
        isAside: revision !== ofLine,
        x: line.map((p) => p.n),
        y: line.map(value),
        errors: line.map((p) => [value(p) * (1 - p.median / p.high), value(p) * (p.median / p.low - 1)]),
        hovertext: line.map((p) => pointHover(p) + overRival(p, rivals))
      };
    });
  });
  const grey = variants.filter((variant) => !isNamed(variant)).length;
  const values = lines.flatMap((line) => line.y);
  drawLines(
      section, "throughput", {
        title: throughputFinding(newest, rivals),
        sub: `${SCALES.find((s) => s.value === scale).text} over n (logarithmic); ${contextText()}; ${
            placeText(shown[0].where)}; ${machineText()}${grey ? `; grey: ${countText(grey, "other sort")}` : ""}`,
        label: `${scale === "relative" ? "Times the best rival" : "Keys per second"} against n for ${
            variants.length} sorts; ${variants.length - grey} of them named.`,
        source: sourceText(shown),
        older: olderText(
            shown.filter((p) => isNamed(p.variant)),
            "Each line is of the last revision that measured this sort at two n or more; thin grey, older ones")
      },
      lines, {
        x: sizeAxis(shown.map((p) => p.n)),
        y: scale === "relative" ? ratioAxis(values) : rateAxis(values, scale === "log"),
        shapes: scale === "relative" ? [lineAtOne()] : []
      },
      isNarrow() ? 340 : 460);
}

/**
 * The fastest rival at each n. An n counts only if it has the rival that is the fastest at the nearest n with many
 * rivals.
 */
function bestRivals(points) {
  const rivals = points.filter((p) => isRival(p.variant));
  const at = new Map();
  for (const p of rivals) at.set(p.n, [...(at.get(p.n) || []), p]);
  const most = Math.max(0, ...[...at.values()].map((list) => list.length));
  const full = bestAtEach(rivals).filter((p) => 2 * at.get(p.n).length >= most);
  const distance = (p, n) => Math.abs(Math.log(p.n / n));
  const expected = (n) => full.reduce((nearest, p) => (distance(p, n) < distance(nearest, n) ? p : nearest)).variant;
  return new Map(
      bestAtEach(rivals).filter((p) => at.get(p.n).some((q) => q.variant === expected(p.n))).map((p) => [p.n, p]));
}

function overRival(p, rivals) {
  const rival = rivals.get(p.n);
  return rival ? `<br>${gainText(p.rate / rival.rate)} the best rival, ${plain(rival.label)}` : "";
}

function ratioAxis(values) {
  return {
    type: "linear",
    autorange: false,
    fixedrange: true,
    range: [0, 1.06 * Math.max(1, ...values)],
    nticks: 8,
    ticksuffix: "x",
    title: {text: "times the best rival"}
  };
}

function lineAtOne() {
  return {
    type: "line",
    xref: "paper",
    x0: 0,
    x1: 1,
    y0: 1,
    y1: 1,
    layer: "below",
    line: {color: theme(isDark()).ink, width: 3}
  };
}

/** The finding: the fastest sort at the largest n, and its lead. */
function throughputFinding(points, rivals) {
  const held = points.filter((p) => rivals.has(p.n));
  const n = sizesOf(held.length > 0 ? held : points)[0];
  const fastest = bestAtEach(points.filter((p) => p.n === n))[0];
  const auto = points.find((p) => p.n === n && isAuto(p.variant) && p.low <= fastest.high);
  const best = auto || fastest;
  const rival = rivals.get(n);
  const start = `${best.variant} sorts ${rateText(best.rate)} at n = ${sizeText(n)}`;
  if (!rival) return start;
  return rival === best ? `${start}, the fastest here` :
                          `${start}: ${gainText(best.rate / rival.rate)} the best rival, ${rival.variant}`;
}
