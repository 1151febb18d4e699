// The answers: one card for each of the most common questions.

const MOST_CARDS = 6;

function drawCards(section, data) {
  const named = data.choices.filter((c) => c.machine === STATE.machine && c.best);
  const cards = questions(named).map((c) => answerCard(c, data)).filter((card) => card);
  const box = element("div", {class: "cards"}, ...cards);
  section.append(box);
  if (cards.length === 0) box.append(...bestOfFew(data));
}

/** The contests to answer: with uniform keys if there are any, u32 before u64 before pairs, both places in turn. */
function questions(named) {
  const most = Math.max(0, ...named.map((c) => c.threads));
  const isMain = (c) => c.where !== "host" || c.threads === most || c.threads === 1;
  const last = new Map();  // of each contest the range with the largest n
  for (const c of named.filter(isMain)) last.set(`${c.where} ${c.keys} ${c.input} ${c.threads}`, c);
  const rank = (c) =>
      [c.input === "uniform" ? 0 : 1, c.where === "copies" || c.where === "graph" ? 1 : 0,
       c.where === "host" && c.threads < most ? 1 : 0, keyRank(c.keys), c.where, c.input];
  return [...last.values()].sort((a, b) => compareLists(rank(a), rank(b))).slice(0, MOST_CARDS);
}

/** u32, u64, the other types, then values, then descending. */
function keyRank(keys) {
  const types = ["u32", "u64", "f32", "f64", "i32", "i64"];
  const type = types.indexOf(keys.split(/[ ,]/)[0]);
  return (keys.includes("descending") ? 20 : 0) + (keys.includes(" + ") ? 1.5 : 0) + (type < 0 ? 9 : type);
}

function compareLists(x, y) {
  for (let i = 0; i < x.length; ++i)
    if (x[i] !== y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

function pointsOfContest(c, data) {
  const place = c.where === "copies" ? ["host", "copies"] : [c.where];
  return data.points.filter(
      (p) => p.machine === c.machine && place.includes(p.where) && p.keys === c.keys && p.input === c.input &&
          p.threads <= Math.max(c.threads, 0));
}

/** The largest n of a range at which the newest revision measured its winner beside a rival; else its largest n. */
function cardSize(c, points) {
  const hasRival = (n) => points.some((p) => p.n === n && isRival(p.variant) && p.variant !== c.best);
  const sizes = points.filter((p) => p.variant === c.best && !p.isOlder && hasRival(p.n)).map((p) => p.n);
  return sizes.length > 0 ? Math.max(...sizes) : c.nHigh;
}

function answerCard(c, data) {
  const inRange = pointsOfContest(c, data).filter((p) => p.n >= c.nLow && p.n <= c.nHigh);
  const n = cardSize(c, inRange);
  const at = inRange.filter((p) => p.n === n);
  const best = bestOf(at.filter((p) => p.variant === c.best));
  const rival = bestOf(at.filter((p) => isRival(p.variant) && p.variant !== c.best));
  if (!best) return null;
  const where = {host: threadsText(c.threads), device: "data on the GPU", graph: "as a CUDA graph"}[c.where] ||
      "with copies";
  const view = {keys: c.keys, input: c.input, "throughput-where": best.where, at: "throughput"};
  return element(
      "a", {class: "card", href: viewAddress(view)},
      element(
          "span", {class: "question"},
          `${sizeText(n)} ${c.keys}${c.input === "uniform" ? "" : `, ${c.input}`}, ${where}`),
      element("span", {class: "answer"}, swatch(best.variant)), element("span", {class: "figure"}, rateText(best.rate)),
      element("span", {class: "beside"}, [
        rival ? `${gainText(rival.median / best.median)} the best rival, ${shortName(rival.label)}` :
                "no rival was measured",
        c.inDoubt && !isAuto(c.best) ? "the next sort may be as fast" : "", olderWords(best)
      ].filter((t) => t).join("; ")));
}

function olderWords(p) { return p.isOlder ? `measured by an older revision, ${revisionText(p.revision)}` : ""; }

function bestOf(points) { return points.reduce((best, p) => (!best || p.median < best.median ? p : best), null); }

/** For contests without a recommendation: the fastest measured sort, and the missing measurements. */
function bestOfFew(data) {
  const here = data.points.filter((p) => p.machine === STATE.machine);
  const places = mostCommon(here.map((p) => p.where));
  return places.slice(0, 2).map((where) => {
    const points = here.filter((p) => p.where === where);
    const keys = mostCommon(points.map((p) => p.keys))[0];
    const input = mostCommon(points.filter((p) => p.keys === keys).map((p) => p.input))[0];
    const same = points.filter((p) => p.keys === keys && p.input === input);
    const n = sizesOf(same)[0];
    const at = same.filter((p) => p.n === n);
    const best = bestOf(at);
    const choice =
        data.choices
            .filter((c) => c.machine === STATE.machine && c.where === where && c.keys === keys && c.input === input)
            .sort((a, b) => a.lacking.length - b.lacking.length)[0];
    return element(
        "a", {class: "card", href: viewAddress({keys, input, "throughput-where": where, at: "throughput"})},
        element(
            "span", {class: "question"},
            `${sizeText(n)} ${keys}, ${input}: the fastest of ${
                countText(unique(at.map((p) => p.variant)).length, "sort")}`),
        element("span", {class: "answer"}, swatch(best.variant)),
        element("span", {class: "figure"}, rateText(best.rate)), element("span", {class: "beside"}, [
          choice && choice.lacking.length ? `Not a recommendation: not measured are ${choice.lacking.join(", ")}` : "",
          olderWords(best)
        ].filter((t) => t).join("; ")));
  });
}
