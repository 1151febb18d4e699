// Draws every variant on every distribution, the worst one for us first, as a ratio to the best rival there.

const WIDEST = 4;  // times as fast or slow: beyond, colours stay the same, and the numbers tell
// Purple is slower, white equal, green faster; both ends are distinguishable with any colour vision.
const SLOWER = "#7b3294";
const EVEN = "#f7f7f7";
const FASTER = "#00682f";

/** share: -1 is WIDEST times slower, 1 as much faster. */
function heatColor(share) { return blend(EVEN, share < 0 ? SLOWER : FASTER, Math.min(1, Math.abs(share))); }

function heatShare(ratio) { return Math.max(-1, Math.min(1, Math.log2(ratio) / Math.log2(WIDEST))); }

/** Black or white, whichever has more contrast. */
function inkOn(color) { return contrast("#000000", color) > contrast("#ffffff", color) ? "#000000" : "#ffffff"; }

function ratioText(ratio) {
  return ratio < 0.095 ? String(Number(ratio.toPrecision(1))) : ratio.toFixed(ratio < 9.95 ? 1 : 0);
}

function drawHeatmap(section, data, redraw) {
  const points = data.points.filter((p) => p.machine === STATE.machine && p.keys === STATE.keys);
  if (points.length === 0)
    return section.append(nothing(`No time was measured for ${STATE.keys} keys on this machine.`));
  const shown = narrowDown(section, "heatmap", points, redraw);
  const rivals = new Map();
  for (const p of shown)
    if (isRival(p.variant) && !(rivals.get(p.input)?.rate > p.rate)) rivals.set(p.input, p);
  const held = shown.filter((p) => rivals.has(p.input));
  if (held.length === 0)
    return section.append(nothing("No rival was measured at this n: there is nothing to be relative to."));
  const ratio = (p) => p.rate / rivals.get(p.input).rate;
  // The worst first: those on which the best sort of the suite gains the least.
  const gain = (input) => Math.max(0, ...held.filter((p) => p.input === input && !isRival(p.variant)).map(ratio));
  const inputs = unique(held.map((p) => p.input)).sort((a, b) => gain(a) - gain(b));
  if (inputs.length < 2) section.append(nothing(`Only one distribution was measured here with a rival, ${inputs[0]}.`));
  const best = inputs.map((i) => bestOf(held.filter((p) => p.input === i)));
  const ahead = best.filter((p) => !isRival(p.variant));
  const words = {
    title: `A sort of the suite is ahead of all rivals on ${ahead.length} of ${
        countText(inputs.length, "input")} at n = ${sizeText(held[0].n)}`,
    sub: `keys per second over those of the best rival on the same input; ${STATE.keys} keys; ${
        placeText(held[0].where)}; ${machineText()}`,
    source: sourceText(held),
    older: olderText(held, OLDER)
  };
  if (isNarrow())
    drawInputList(section, words, best, held, rivals, ratio);
  else
    drawMap(section, words, inputs, held, ratio);
}

/** On a phone: the fastest sort of each input, and its ratio to the best rival. */
function drawInputList(section, words, best, held, rivals, ratio) {
  section.append(
      element("p", {}, element("strong", {}, words.title)), element("p", {class: "sub"}, words.sub),
      tableOf(
          "The fastest sort of each input",
          [{title: "distribution"}, {title: "fastest"}, {title: "ratio", number: true}],
          best.map(
              (p) =>
                  [p.input, swatch(p.variant, ` (best rival: ${shortName(rivals.get(p.input).label)})`),
                   gainText(ratio(p))])),
      element("p", {class: "source"}, words.source), words.older ? element("p", {class: "source"}, words.older) : "");
}

// Variants measured on most inputs first, and among these the fastest first.
function mapRows(inputs, held, ratio) {
  const isWide = (v) => 2 * held.filter((p) => p.variant === v).length >= inputs.length;
  const mean = (v) => {
    const logs = held.filter((p) => p.variant === v).map((p) => Math.log(ratio(p)));
    return logs.reduce((sum, log) => sum + log, 0) / logs.length;
  };
  return unique(held.map((p) => p.variant)).sort((a, b) => isWide(b) - isWide(a) || mean(b) - mean(a));
}
function mapLayout(variants, inputs, held, ratio) {
  const layout = baseLayout();
  const longest = Math.max(...inputs.map((i) => i.length));
  layout.height = variants.length * 24 + 40 + 6.5 * longest;
  layout.margin = {l: 10, r: 10, t: 20 + 6.5 * longest, b: 10};
  Object.assign(layout.xaxis, {
    showgrid: false,
    side: "top",
    tickangle: -90,
    fixedrange: true,
    automargin: false,
    tickvals: inputs.map((_, i) => i),
    ticktext: inputs.map(plain),
    tickfont: {size: 12}
  });
  Object.assign(layout.yaxis, {
    showgrid: false,
    autorange: "reversed",
    fixedrange: true,
    tickvals: variants.map((_, i) => i),
    ticktext: variants.map((v) => plain(held.find((p) => p.variant === v).label))
  });
  layout.annotations =
      held.map((p) => ({
                 x: inputs.indexOf(p.input),
                 y: variants.indexOf(p.variant),
                 text: ratioText(ratio(p)),
                 showarrow: false,
                 captureevents: false,
                 font: {size: inputs.length > 24 ? 9 : 11, color: inkOn(heatColor(heatShare(ratio(p))))}
               }));
  return layout;
}
function drawMap(section, words, inputs, held, ratio) {
  const variants = mapRows(inputs, held, ratio);
  const cell = (v, i) => held.find((p) => p.variant === v && p.input === i);
  const grid = (value) => variants.map((v) => inputs.map((i) => (cell(v, i) ? value(cell(v, i)) : null)));
  drawFigure(
      section, "heatmap", {
        ...words,
        label: `A map of ${variants.length} variants by ${
            inputs.length} distributions: ratios to the best rival, green above 1, purple below.`
      },
      [{
        type: "heatmap",
        x: inputs.map((_, i) => i),
        y: variants.map((_, i) => i),
        z: grid((p) => heatShare(ratio(p))),
        zmin: -1,
        zmax: 1,
        hovertext: grid((p) => `${pointHover(p)}<br>${plain(p.input)}<br>${gainText(ratio(p))} the best rival`),
        hovertemplate: "%{hovertext}<extra></extra>",
        colorscale: [[0, SLOWER], [0.5, EVEN], [1, FASTER]],
        showscale: false,
        xgap: 1,
        ygap: 1,
        hoverongaps: false
      }],
      mapLayout(variants, inputs, held, ratio));
}
