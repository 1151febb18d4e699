// "Which sort should I use?"

const ALL = "all";

function drawChoices(section, data, redraw) {
  const here = data.choices.filter((c) => c.machine === STATE.machine);
  if (here.length === 0)
    return section.append(nothing("No sort was timed on this machine: there is nothing to choose between."));
  const controls = element("div", {class: "controls"});
  section.append(controls);
  const filter = (rows, title, name, values, text, of) => {
    const value = localChoice(`choices-${name}`, values);
    controls.append(localPicker(title, `choices-${name}`, values.map((v) => ({value: v, text: text(v)})), redraw));
    return value === ALL ? rows : rows.filter((c) => of(c) === value);
  };
  const text = (where) =>
      (where === "copies" ? "data in host memory: host sorts, and GPU sorts with copies" :
                            placeOptions([where])[0].text);
  let rows = filter(here, "Where", "where", mostCommon(here.map((c) => c.where)), text, (c) => c.where);
  const isHost = rows.some((c) => c.threads > 0);
  if (isHost)
    rows = filter(
        rows, "Host threads, at most", "threads", unique(rows.map((c) => c.threads)).sort((a, b) => b - a), String,
        (c) => c.threads);
  rows = filter(rows, "Keys", "keys", [ALL, ...unique(rows.map((c) => c.keys))], String, (c) => c.keys);
  rows = filter(rows, "Distribution", "input", [ALL, ...unique(rows.map((c) => c.input))], String, (c) => c.input);
  section.append(tableOf(
      "Which sort should I use?",
      [
        {title: "keys"}, {title: "distribution"}, {title: "n"}, {title: "fastest"}, {title: "throughput", number: true},
        {title: "margin", number: true}, {title: "over"}, {title: "among", number: true}
      ],
      rows.map(choiceRow)));
  if (rows.some((c) => !c.bothSides))
    section.append(element(
        "p", {class: "metric"}, "* No host sort was measured at this n: the comparison is among GPU sorts alone."));
}

/** Several things in one cell, a line each. */
function linesOf(...things) { return element("div", {}, ...things.map((thing) => element("div", {}, thing))); }

function choiceRow(c) {
  const margin = () => linesOf(rangeText(c.marginLow, c.marginHigh, marginText), ...(c.inDoubt ? ["in doubt"] : []));
  return [
    c.keys, c.input, rangeText(c.nLow, c.nHigh, sizeText) + (c.bothSides ? "" : " *"),
    swatch(c.best, c.bestThreads > 0 && c.threads > 1 ? ` (${threadsText(c.bestThreads)})` : ""),
    rangeText(c.rateLow, c.rateHigh, rateText), c.next.length === 0 ? "" : margin(),
    c.next.length === 0 ? "nothing else was measured" :
                          linesOf(...c.next.map((next) => swatch(next.variant, c.threads > 1 ? next.more : ""))),
    String(c.rivals)
  ];
}
