// Draws the sorts' share of the memory bandwidth, and their energy.

function drawRoofline(section, data, redraw) {
  const points = chosenPoints(data).filter((p) => p.share > 0);
  if (points.length === 0)
    return section.append(nothing(
        `No copy bandwidth is known of this machine, or no time was measured for ${contextText()}: no share to tell.`));
  const shown = narrowDown(section, "roofline", points, redraw);
  const rows = inOrder(shown.map((p) => p.variant))
                   .map((v) => shown.find((p) => p.variant === v))
                   .map((p) => ({
                          label: p.label,
                          note: percentText(p.share),
                          parts: [{
                            name: "share",
                            value: p.share * 100,
                            ...barLook(p.variant),
                            hover: `${pointHover(p)}<br>${percentText(p.share)} of copy bandwidth`
                          }]
                        }));
  drawBars(
      section, "roofline", {
        title:
            `${bestOf(shown).variant} reaches ${percentText(bestOf(shown).share)} of what a copy of the keys reaches`,
        sub: `per cent of copy bandwidth; n = ${sizeText(shown[0].n)}, ${contextText()}; ${
            placeText(shown[0].where)}; ${machineText()}`,
        label: `Per cent of copy bandwidth, a bar a variant; ${rows.length} bars. The dotted line is 100 per cent.`,
        source: sourceText(shown)
      },
      rows, {title: "per cent of copy bandwidth (dotted: all of it)", tickformat: "~g", line: {at: 100}});
}

function drawEnergy(section, data, redraw) {
  const points = chosenPoints(data).filter((p) => p.keysPerJoule > 0);
  if (points.length === 0)
    return section.append(
        nothing(`No energy was measured for ${contextText()} on this machine (sortlab run --energy does it).`));
  const shown = narrowDown(section, "energy", points, redraw);
  const rows = inOrder(shown.map((p) => p.variant))
                   .map((v) => shown.find((p) => p.variant === v))
                   .map((p) => ({
                          label: p.label,
                          note: `${shortRate(p.keysPerJoule)} keys/J`,
                          parts: [{
                            name: "energy",
                            value: p.keysPerJoule,
                            ...barLook(p.variant),
                            hover: `${pointHover(p)}<br>${shortRate(p.keysPerJoule)} keys per joule, ${
                                threeDigits(p.n / p.keysPerJoule)} J a sort`
                          }]
                        }));
  const thrifty = shown.reduce((a, b) => (b.keysPerJoule > a.keysPerJoule ? b : a));
  drawBars(
      section, "energy", {
        title: `${thrifty.variant} sorts the most keys per joule: ${shortRate(thrifty.keysPerJoule)}`,
        sub: `keys per joule; n = ${sizeText(shown[0].n)}, ${contextText()}; ${placeText(shown[0].where)}; ${
            machineText()}`,
        label: `Keys sorted per joule, a bar a variant; ${rows.length} bars.`,
        source: sourceText(shown)
      },
      rows, {title: "keys per joule"});
}
