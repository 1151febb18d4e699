// Where a sort's time goes: phases of the harness, then kernels by name.

const PHASE_COLORS = ["#8a8f98", "#56b4e9", "#0072b2", "#d99a00", "#009e73"];
const PART_COLORS = ["#0072b2", "#d55e00", "#b5539a", "#6b8e23", "#7a5cc9", "#a0522d", "#5b7553"];
const PART_NAMES = [
  "copy to the GPU", ...PART_COLORS.map((_, rank) => (rank === 0 ? "longest kernel" : `kernel no. ${rank + 1}`)),
  "further kernels", "copy to the host"
];

function onCard(color) { return visibleOn(theme(isDark()).card, color); }

function drawPhases(section, data, redraw) {
  const points = chosenPoints(data).filter((p) => p.phases.some((ns) => ns !== null));
  if (points.length === 0)
    return section.append(nothing(`No phases were measured for ${contextText()} on this machine.`));
  const shown = narrowDown(section, "phases", points, redraw);
  const rows = inOrder(shown.map((p) => p.variant)).map((v) => phaseRow(shown.find((p) => p.variant === v)));
  drawBars(
      section, "phases", `Phases at n = ${sizeText(shown[0].n)}, ${contextText()}`,
      `Milliseconds of each phase, stacked, a bar a variant; ${rows.length} bars.`, rows,
      {title: "milliseconds", legend: true, order: PHASES, tickformat: "~g"});
}

function phaseRow(p) {
  const parts =
      p.phases.map((ns, i) => ({ns, name: PHASES[i], color: onCard(PHASE_COLORS[i])})).filter((part) => part.ns > 0);
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
      section, "kernels", `Kernels and copies, ${text(place)}, ${contextText()}`,
      `Milliseconds of each kernel and copy of one sort, stacked, a bar a variant; ${rows.length} bars.`, rows,
      {title: "milliseconds on the device", legend: true, order: PART_NAMES, tickformat: "~g"});
}

/** The longest kernels by rank, copies always alike; names are told by the hover. */
function kernelRow(k) {
  const look = (part, rank) => {
    if (part.name === "copy to the device") return {name: "copy to the GPU", color: PHASE_COLORS[1]};
    if (part.name === "copy to the host") return {name: "copy to the host", color: PHASE_COLORS[4]};
    if (rank >= PART_COLORS.length) return {name: "further kernels", color: "#8a8f98"};
    return {name: PART_NAMES[rank + 1], color: PART_COLORS[rank]};
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
                       color: onCard(color),
                       value: part.ns * 1e-6,
                       hover: `<b>${plain(k.variant)}</b><br>${plain(part.name)}<br>${timeText(part.ns)}, ${
                           percentText(part.share)}, ${threeDigits(part.launches)} launches<br>${plain(k.setting)}`
                     }))
  };
}
