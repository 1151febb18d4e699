// Draws the sorts' share of the memory bandwidth, and their energy.

function drawRoofline(section, data, redraw) {
  drawFigures(section, redraw, "roofline", chosenPoints(data).filter((p) => p.share > 0), {
    none: `No copy bandwidth is known of this machine, or no time was measured for ${contextText()}: no share to tell.`,
    value: (p) => p.share * 100,
    note: (p) => percentText(p.share),
    hover: (p) => `${percentText(p.share)} of copy bandwidth`,
    title: (shown) =>
        `${bestOf(shown).variant} reaches ${percentText(bestOf(shown).share)} of what a copy of the keys reaches`,
    sub: "per cent of copy bandwidth",
    label: "Per cent of copy bandwidth",
    more: " The dotted line is 100 per cent.",
    axis: {title: "per cent of copy bandwidth (dotted: all of it)", tickformat: "~g", line: {at: 100}}
  });
}

function drawEnergy(section, data, redraw) {
  drawFigures(section, redraw, "energy", chosenPoints(data).filter((p) => p.keysPerJoule > 0), {
    none: `No energy was measured for ${contextText()} on this machine (sortlab run --energy does it).`,
    value: (p) => p.keysPerJoule,
    note: (p) => `${shortRate(p.keysPerJoule)} keys/J`,
    hover: (p) => `${shortRate(p.keysPerJoule)} keys per joule, ${threeDigits(p.n / p.keysPerJoule)} J a sort`,
    title: (shown) => {
      const thrifty = shown.reduce((a, b) => (b.keysPerJoule > a.keysPerJoule ? b : a));
      return `${thrifty.variant} sorts the most keys per joule: ${shortRate(thrifty.keysPerJoule)}`;
    },
    sub: "keys per joule",
    label: "Keys sorted per joule",
    more: "",
    axis: {title: "keys per joule"}
  });
}

/** A bar a variant. `figure` says what is drawn of each point, and in which words. */
function drawFigures(section, redraw, name, points, figure) {
  if (points.length === 0) return section.append(nothing(figure.none));
  const shown = narrowDown(section, name, points, redraw);
  const rows =
      inOrder(shown.map((p) => p.variant))
          .map((v) => shown.find((p) => p.variant === v))
          .map(
              (p) => ({
                label: p.label,
                note: figure.note(p),
                parts: [
                  {name, value: figure.value(p), ...barLook(p.variant), hover: `${pointHover(p)}<br>${figure.hover(p)}`}
                ]
              }));
  drawBars(
      section, name, {
        title: figure.title(shown),
        sub: `${figure.sub}; n = ${sizeText(shown[0].n)}, ${contextText()}; ${placeText(shown[0].where)}; ${
            machineText()}`,
        label: `${figure.label}, a bar a variant; ${rows.length} bars.${figure.more}`,
        source: sourceText(shown)
      },
      rows, figure.axis);
}
