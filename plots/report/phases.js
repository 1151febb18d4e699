// Draws the parts of a sort's time: phases of the harness, then kernels by name.

const PHASE_COLORS = [8, 5, 0, 1, 2];  // numbers of partColor(), by phase
const RANKED = 6;                      // kernels with a colour of their own: those that take longest
const PART_NAMES = [
  "copy to the GPU",
  ...Array.from({length: RANKED}, (_, rank) => (rank === 0 ? "longest kernel" : `kernel no. ${rank + 1}`)),
  "further kernels", "copy to the host"
];

function drawPhases(section, data, redraw) {
  const points = chosenPoints(data).filter((p) => p.phases.some((ns) => ns !== null));
  if (points.length === 0)
    return section.append(nothing(`No phases were measured for ${contextText()} on this machine.`));
  const shown = narrowDown(section, "phases", points, redraw, true, "copies");
  const rows = inOrder(shown.map((p) => p.variant)).map((v) => phaseRow(shown.find((p) => p.variant === v)));
  if (rows.every((row) => row.parts.length < 2))
    section.append(nothing("Here each sort has one phase; those with copies, or on the host, may have more."));
  drawBars(
      section, "phases", {
        title: phasesFinding(shown),
        sub: `milliseconds of each phase; n = ${sizeText(shown[0].n)}, ${contextText()}; ${
            placeText(shown[0].where)}; ${machineText()}`,
        label: `Milliseconds of each phase, stacked, a bar a variant; ${rows.length} bars.`,
        source: sourceText(shown)
      },
      rows, {title: "milliseconds", legend: true, order: PHASES, tickformat: "~g"});
}

/** The largest part of the fastest sort's time. */
function phasesFinding(shown) {
  const best = bestOf(shown);
  const longest = best.phases.reduce((most, ns, i) => (ns > (best.phases[most] || 0) ? i : most), 0);
  const total = best.phases.reduce((sum, ns) => sum + (ns || 0), 0);
  return `${best.variant}, the fastest, spends ${percentText(best.phases[longest] / total)} of its time on: ${
      PHASES[longest]}`;
}

function phaseRow(p) {
  const parts =
      p.phases.map((ns, i) => ({ns, name: PHASES[i], color: partColor(PHASE_COLORS[i])})).filter((part) => part.ns > 0);
  const total = parts.reduce((sum, part) => sum + part.ns, 0);
  return {
    label: p.label,
    note: timeText(total),
    parts: parts.map((part) => ({
                       ...part,
                       value: part.ns * 1e-6,
                       hover: `<b>${plain(p.variant)}</b><br>${part.name}: ${timeText(part.ns)}, ${
                           percentText(part.ns / total)}<br>${plain(settingText(p))}`
                     }))
  };
}

function drawKernels(section, data, redraw) {
  const here =
      data.kernels.filter((k) => k.machine === STATE.machine && k.keys === STATE.keys && k.input === STATE.input);
  if (here.length === 0)
    return section.append(nothing(
        `No kernel was timed for ${contextText()} on this machine (sortlab run --breakdown does it, for GPU sorts).`));
  const places = unique(here.map((k) => `${k.n} ${k.hostMem}`)).sort((a, b) => parseInt(b) - parseInt(a));
  const place = localChoice("kernels-place", places);
  const text = (value) => {
    const [n, memory] = value.split(" ");
    return `n = ${sizeText(Number(n))}, ${memory === "none" ? "data on the GPU" : `copied, ${memory} memory`}`;
  };
  section.append(element(
      "div", {class: "controls"},
      localPicker("Size and place", "kernels-place", places.map((value) => ({value, text: text(value)})), redraw)));
  const shown = here.filter((k) => `${k.n} ${k.hostMem}` === place);
  const rows = inOrder(shown.map((k) => k.variant)).map((v) => kernelRow(shown.find((k) => k.variant === v)));
  drawBars(
      section, "kernels", {
        title: kernelsFinding(shown),
        sub: `milliseconds of each kernel and copy of one sort; ${text(place)}, ${contextText()}; ${machineText()}`,
        label: `Milliseconds of each kernel and copy of one sort, stacked, a bar a variant; ${rows.length} bars.`,
        source: "Data: the .breakdown.csv files"
      },
      rows, {title: "milliseconds on the device", legend: true, order: PART_NAMES, tickformat: "~g"});
}

/** The kernel with the largest part of the shortest stack. */
function kernelsFinding(shown) {
  const total = (k) => k.parts.reduce((sum, part) => sum + part.ns, 0);
  const best = shown.reduce((a, b) => (total(b) < total(a) ? b : a));
  const longest = best.parts.reduce((a, b) => (b.ns > a.ns ? b : a));
  return `${best.variant} takes ${timeText(total(best))}, ${percentText(longest.ns / total(best))} of it in one kernel`;
}

/** Colours for the longest kernels by rank, and fixed ones for copies; the hover has the names. */
function kernelRow(k) {
  const look = (part, rank) => {
    if (part.name === "copy to the device") return {name: "copy to the GPU", color: partColor(PHASE_COLORS[1])};
    if (part.name === "copy to the host") return {name: "copy to the host", color: partColor(PHASE_COLORS[4])};
    if (rank >= RANKED) return {name: "further kernels", color: partColor(8)};
    return {name: PART_NAMES[rank + 1], color: partColor([0, 1, 3, 4, 6, 7][rank])};
  };
  let rank = 0;
  const parts = [...k.parts]
                    .sort((a, b) => b.ns - a.ns)
                    .map((part) => ({part, ...look(part, part.name.startsWith("copy to") ? 0 : rank++)}));
  const total = k.parts.reduce((sum, part) => sum + part.ns, 0);
  return {
    label: k.variant,
    note: timeText(total),
    parts: parts.map(({part, name, color}) => ({
                       name,
                       color,
                       value: part.ns * 1e-6,
                       hover: `<b>${plain(k.variant)}</b><br>${plain(part.name)}<br>${timeText(part.ns)}, ${
                           percentText(part.share)}, ${threeDigits(part.launches)} launches<br>${plain(k.setting)}`
                     }))
  };
}
