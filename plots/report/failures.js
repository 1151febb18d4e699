// The configurations without a time, with their reasons.

function drawFailures(section, data) {
  const here = data.failures.filter((f) => f.machine === STATE.machine);
  if (here.length === 0) return section.append(nothing("Every configuration on this machine gave a time."));
  section.append(tableOf(
      "Skips and failures",
      [{title: "variant"}, {title: "status"}, {title: "n"}, {title: "configurations", number: true}, {title: "reason"}],
      here.map(
          (f) =>
              [swatch(f.variant), f.status, rangeText(f.nLow, f.nHigh, sizeText), String(f.configurations),
               f.reason])));
}
