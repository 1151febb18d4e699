// Draws each algorithm's ladder, and the gain of each rung over the one below it.

function drawLadders(section, data, redraw) {
  const points = chosenPoints(data).filter((p) => !isRival(p.variant) && algorithmOf(p.variant) !== "auto");
  if (points.length === 0)
    return section.append(nothing(`No rung of a ladder was measured for ${contextText()} on this machine.`));
  const shown = narrowDown(section, "ladders", points, redraw);
  if (!shown.some((p) => p.before))
    section.append(nothing("No two rungs of one ladder were measured here, so there is no gain to tell."));
  const rows = inOrder(shown.map((p) => p.variant)).map((v) => ladderRow(shown.find((p) => p.variant === v)));
  drawBars(
      section, "ladders", {
        title: laddersFinding(shown),
        sub: `keys per second, and the gain over the rung named; n = ${sizeText(shown[0].n)}, ${contextText()}; ${
            placeText(shown[0].where)}; ${machineText()}`,
        label: `Keys per second of each rung, a bar a rung; ${rows.length} bars.`,
        source: sourceText(shown),
        older: acrossText(shown)
      },
      rows, {title: "keys per second"});
}

/** The gains between rungs of different revisions, which may have other causes, too. */
function acrossText(shown) {
  const across = shown.filter((p) => p.before && p.before.revision !== p.revision);
  const text = (p) => `${p.variant} (${revisionText(p.revision)}) over ${p.before.variant.split("/").pop()} (${
      revisionText(p.before.revision)})`;
  const more = across.length - MOST_SOURCES;
  return across.length === 0 ?
      "" :
      `Gains between different revisions: ${across.slice(0, MOST_SOURCES).map(text).join(", ")}${
          more > 0 ? `, and ${countText(more, "more rung")}` : ""}`;
}

/** The ladder with the largest gain over its first rung. */
function laddersFinding(shown) {
  const climbs = unique(shown.map((p) => ladderOf(p.variant))).map((ladder) => {
    const rungs = shown.filter((p) => ladderOf(p.variant) === ladder);
    const first = rungs.find((p) => p.variant.endsWith("/naive"));
    return {best: bestOf(rungs), first};
  });
  const climb = climbs.filter((c) => c.first && c.best !== c.first)
                    .sort((a, b) => b.first.median / b.best.median - a.first.median / a.best.median)[0];
  if (!climb) return `${bestOf(shown).variant} is the fastest rung`;
  return `${climb.best.variant} is ${
      gainText(climb.first.median / climb.best.median)} as fast as its ladder's naive rung`;
}

function ladderRow(p) {
  const gain = p.before ? `  ${gainText(p.gain)} ${p.before.variant.split("/").pop()}` : "";
  const over = p.before ? `<br>${gainText(p.gain)} as fast as ${plain(p.before.variant)}` : "";
  return {
    label: p.label,
    note: shortRate(p.rate) + gain,
    parts: [{name: "rate", value: p.rate, ...barLook(p.variant), hover: pointHover(p) + over}]
  };
}
