// Each algorithm's ladder, and what each rung gained over the one below it.

function drawLadders(section, data, redraw) {
  const points = chosenPoints(data);
  if (points.length === 0) return section.append(nothing(`No time was measured for ${contextText()} on this machine.`));
  const shown = narrowDown(section, "ladders", points, redraw);
  if (!shown.some((p) => p.before))
    section.append(nothing("No two rungs of one ladder were measured here, so there is no gain to tell."));
  const rows = inOrder(shown.map((p) => p.variant)).map((v) => ladderRow(shown.find((p) => p.variant === v)));
  drawBars(
      section, "ladders", `The ladders at n = ${sizeText(shown[0].n)}, ${contextText()}`,
      `Keys per second of each rung, a bar a rung, logarithmic; ${rows.length} bars.`, rows,
      {log: true, title: "keys per second (logarithmic)"});
}

function ladderRow(p) {
  const gain = p.before ? `  ${gainText(p.gain)}` : "";
  const over = p.before ? `<br>${gainText(p.gain)} as fast as ${plain(p.before.variant)}` : "";
  return {
    label: p.label,
    note: shortRate(p.rate) + gain,
    parts: [{name: "rate", value: p.rate, ...barLook(p.variant), hover: pointHover(p) + over}]
  };
}
