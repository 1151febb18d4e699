// "Which sort should I use?"

const ALL = "all";
const MERGED = "merged";
const FEW_ROWS = 5;  // that a phone shows at once

function drawChoices(section, data, redraw) {
  const here = data.choices.filter((c) => c.machine === STATE.machine);
  if (here.length === 0)
    return section.append(nothing("No sort was timed on this machine: there is nothing to choose between."));
  const controls = element("div", {class: "controls"});
  section.append(controls);
  const filter = (rows, title, name, values, text, of) => {
    const value = localChoice(`choices-${name}`, values);
    controls.append(localPicker(title, `choices-${name}`, values.map((v) => ({value: v, text: text(v)})), redraw));
    return value === ALL || value === MERGED ? rows : rows.filter((c) => of(c) === value);
  };
  const text = (where) =>
      (where === "copies" ? "data in host memory: host sorts, and GPU sorts with copies" :
                            placeOptions([where])[0].text);
  const places = mostCommon([...here.filter((c) => c.best), ...here].map((c) => c.where));
  let rows = filter(here, "Where", "where", places, text, (c) => c.where);
  if (rows.some((c) => c.threads > 0))
    rows = filter(
        rows, "Host threads, at most", "threads", unique(rows.map((c) => c.threads)).sort((a, b) => b - a), String,
        (c) => c.threads);
  rows = [...rows].sort((a, b) => compareLists(choiceRank(a), choiceRank(b)));
  rows = filter(rows, "Keys", "keys", [ALL, ...unique(rows.map((c) => c.keys))], String, (c) => c.keys);
  const words = {[MERGED]: "those alike in one line", [ALL]: "one by one"};
  rows = filter(
      rows, "Distribution", "input", [MERGED, ALL, ...unique(rows.map((c) => c.input))], (v) => words[v] || v,
      (c) => c.input);
  const named = rows.filter((c) => c.best).map((c) => ({...c, isOlder: isOfOlder(c, data)}));
  drawNamed(
      section, STATE.local["choices-input"] === MERGED ? merged(named) : named.map((c) => ({...c, inputs: [c.input]})));
  drawUnnamed(section, rows.filter((c) => !c.best));
}

/** Whether only older revisions measured the winner in this range. */
function isOfOlder(c, data) {
  const points = pointsOfContest(c, data).filter((p) => p.variant === c.best && p.n >= c.nLow && p.n <= c.nHigh);
  return points.length > 0 && points.every((p) => p.isOlder);
}

/** u32 and u64 first, uniform keys first among their inputs. */
function choiceRank(c) { return [keyRank(c.keys), c.input === "uniform" ? 0 : 1, c.input, c.nLow]; }

/** The ranges of uniform keys in full; those of other inputs share one line if keys and winner are the same. */
function merged(rows) {
  const groups = new Map();
  for (const c of rows) {
    const key = c.input === "uniform" ? c : `${c.keys} ${c.best} ${c.bestThreads} ${c.bothSides}`;
    groups.set(key, [...(groups.get(key) || []), c]);
  }
  const least = (group, of) => Math.min(...group.map(of));
  const most = (group, of) => Math.max(...group.map(of));
  return [...groups.values()].map((group) => ({
                                    ...group[0],
                                    inputs: unique(group.map((c) => c.input)),
                                    nLow: least(group, (c) => c.nLow),
                                    nHigh: most(group, (c) => c.nHigh),
                                    rateLow: least(group, (c) => c.rateLow),
                                    rateHigh: most(group, (c) => c.rateHigh),
                                    marginLow: least(group, (c) => c.marginLow),
                                    marginHigh: most(group, (c) => c.marginHigh),
                                    overPeerLow: least(group, (c) => c.overPeerLow),
                                    overPeerHigh: most(group, (c) => c.overPeerHigh),
                                    inDoubt: group.some((c) => c.inDoubt),
                                    isOlder: group.some((c) => c.isOlder),
                                    rivals: least(group, (c) => c.rivals),
                                    next: firstOfEach(group.flatMap((c) => c.next)),
                                    peers: unique(group.flatMap((c) => c.peers))
                                  }));
}

function firstOfEach(next) {
  return next.filter((one, i) => next.findIndex((other) => other.variant === one.variant) === i);
}

function drawNamed(section, rows) {
  if (rows.length === 0) return section.append(nothing("No range can be answered from these results."));
  const table = (part) => tableOf(
      "Which sort should I use?",
      [
        {title: "keys"}, {title: "distribution"}, {title: "n"}, {title: "fastest"}, {title: "throughput", number: true},
        {title: "times the best rival", number: true}, {title: "the next is slower by", number: true},
        {title: "among", number: true}
      ],
      part.map(choiceRow));
  const few = isNarrow() ? FEW_ROWS : rows.length;
  section.append(table(rows.slice(0, few)));
  if (rows.length > few)
    section.append(element(
        "details", {}, element("summary", {}, countText(rows.length - few, "more range")), table(rows.slice(few))));
  if (rows.some((c) => !c.bothSides))
    section.append(element(
        "p", {class: "metric"}, "* No host sort was measured at this n: the comparison is among GPU sorts alone."));
  if (rows.some((c) => c.isOlder))
    section.append(element(
        "p", {class: "metric"}, "† The fastest sort was measured in this range by older revisions than elsewhere."));
}

/** The unanswered contests, and the missing measurements. */
function drawUnnamed(section, rows) {
  if (rows.length === 0) return;
  section.append(element(
      "details", {},
      element("summary", {}, `Not measured well enough for an answer: ${countText(rows.length, "input")}`),
      tableOf(
          "Not measured well enough", [{title: "keys"}, {title: "distribution"}, {title: "n"}, {title: "not measured"}],
          rows.map((c) => [c.keys, c.input, rangeText(c.nLow, c.nHigh, sizeText), c.lacking.join(", ")]))));
}

/** Several texts in one cell, one line each. */
function linesOf(...things) { return element("div", {}, ...things.map((thing) => element("div", {}, thing))); }

const MOST_NAMES = 3;

function namesOf(names) {
  const more = names.length - MOST_NAMES;
  return [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`and ${more} more`] : [])];
}

function choiceRow(c) {
  const margin = () => linesOf(
      rangeText(Math.max(0, c.marginLow), Math.max(0, c.marginHigh), marginText), ...(c.inDoubt ? ["in doubt"] : []),
      ...namesOf(c.next.map((next) => shortName(next.variant) + (c.threads > 1 ? next.more : ""))));
  const peers = () => linesOf(rangeText(c.overPeerLow, c.overPeerHigh, gainText), ...namesOf(c.peers.map(shortName)));
  return [
    c.keys,
    c.inputs.length === 1 ? c.inputs[0] :
                            element("span", {title: c.inputs.join(", ")}, countText(c.inputs.length, "input")),
    rangeText(c.nLow, c.nHigh, sizeText) + (c.bothSides ? "" : " *") + (c.isOlder ? " †" : ""),
    swatch(c.best, c.bestThreads > 0 && c.threads > 1 ? ` (${threadsText(c.bestThreads)})` : ""),
    rangeText(c.rateLow, c.rateHigh, rateText), c.peers.length === 0 ? "no rival" : peers(),
    c.next.length === 0 ? "nothing else" : margin(), String(c.rivals)
  ];
}
