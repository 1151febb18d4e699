// Formats numbers for people.

function threeDigits(value) { return String(Number(value.toPrecision(3))); }

function withUnit(value, units) {
  const [unit, size] = units.find(([, s]) => value >= s * 0.9995) || units[units.length - 1];
  return threeDigits(value / size) + unit;
}

/** Sizes as the command line writes them: K, M, G are powers of 1024. */
function sizeText(n) {
  for (const [unit, size] of [["G", 2 ** 30], ["M", 2 ** 20], ["K", 2 ** 10]]) {
    if (n >= size) return Number((n / size).toPrecision(4)) + unit;
  }
  return String(Math.round(n));
}

/** A computed size, not a measured one: "about 7.8K". */
function aboutText(n) {
  const [unit, size] = [["G", 2 ** 30], ["M", 2 ** 20], ["K", 2 ** 10], ["", 1]].find(([, s]) => n >= s) || ["", 1];
  return `about ${Number((n / size).toPrecision(2))}${unit}`;
}

const rateText = (rate) => withUnit(rate, [[" Gkeys/s", 1e9], [" Mkeys/s", 1e6], [" kkeys/s", 1e3], [" keys/s", 1]]);
const shortRate = (rate) => withUnit(rate, [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]]);
const timeText = (ns) => withUnit(ns, [[" s", 1e9], [" ms", 1e6], [" µs", 1e3], [" ns", 1]]);
const percentText = (share) => threeDigits(share * 100) + " %";
/** How much longer the next one takes, to a hundredth of a per cent at most, because no interval here is narrower. */
function marginText(share) {
  const percent = share * 100;
  return percent.toFixed(percent < 1 ? 2 : percent < 10 ? 1 : 0) + " %";
}
const gainText = (gain) => gain.toFixed(gain < 10 ? 2 : 1) + "x";

/** "1K to 4K"; a unit that both ends share is written once: "12.6 to 46.4 Gkeys/s". */
function rangeText(low, high, text) {
  const [a, b] = [text(low), text(high)];
  if (a === b) return a;
  const unit = b.includes(" ") ? b.slice(b.lastIndexOf(" ")) : "";
  return `${unit && a.endsWith(unit) ? a.slice(0, -unit.length) : a} to ${b}`;
}

/** Escapes names, because Plotly interprets some HTML in its labels. */
function plain(text) { return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }

function unique(values) { return [...new Set(values)]; }
