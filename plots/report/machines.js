// The machines, and the same sorts on several of them.

const MACHINE_PATTERNS = ["", "/", "x", ".", "\\", "+"];

function drawMachines(section, data) {
  section.append(element(
      "div", {class: "machines"},
      ...data.machines.map(
          (machine) => element(
              "div", {}, element("h3", {}, machine.name),
              element(
                  "dl", {},
                  ...[...machine.facts, ["Results", machine.files.join(", ")]].flatMap(
                      ([name, value]) => [element("dt", {}, name), element("dd", {}, value)]))))));
}

function drawSideBySide(section, data, redraw) {
  const points = data.points.filter((p) => p.keys === STATE.keys && p.input === STATE.input);
  const key = (p) => `${p.variant} ${p.where} ${p.hostMem} ${p.n}`;
  const machinesAt = new Map();
  for (const p of points) machinesAt.set(key(p), (machinesAt.get(key(p)) || new Set()).add(p.machine));
  const common = points.filter((p) => machinesAt.get(key(p)).size > 1);
  if (data.machines.length < 2)
    return section.append(nothing("These are results of one machine: nothing to set beside it."));
  if (common.length === 0)
    return section.append(nothing(`No variant was measured at the same n on two machines for ${contextText()}.`));
  const shown = narrowDown(section, "machines", common, redraw);
  const machines = unique(shown.map((p) => p.machine)).sort();
  const rows = inOrder(shown.map((p) => p.variant))
                   .flatMap(
                       (v) => machines.map((m) => shown.find((p) => p.variant === v && p.machine === m))
                                  .filter((p) => p)
                                  .map((p, i) => sideRow(p, i === 0, machines.indexOf(p.machine), data)));
  drawBars(
      section, "machines", {
        title: sideFinding(shown, data),
        sub: `keys per second; n = ${sizeText(shown[0].n)}, ${contextText()}; ${placeText(shown[0].where)}`,
        label: `Keys per second of each variant on ${machines.length} machines; ${rows.length} bars.`,
        source: sourceText(shown),
        older: olderText(shown, OLDER)
      },
      rows, {title: "keys per second", legend: true});
}

function sideFinding(shown, data) {
  const best = bestOf(shown);
  return `${best.variant} on ${data.machines[best.machine].name} is the fastest: ${rateText(best.rate)}`;
}

function sideRow(p, isFirst, number, data) {
  const machine = data.machines[p.machine].name;
  return {
    label: isFirst ? p.label : "",
    note: shortRate(p.rate),
    parts: [{
      name: machine,
      value: p.rate,
      color: styleOf(p.variant, isDark()).color,
      pattern: MACHINE_PATTERNS[number % MACHINE_PATTERNS.length],
      hover: `${pointHover(p)}<br>${plain(machine)}`
    }]
  };
}
