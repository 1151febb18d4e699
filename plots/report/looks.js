// One colour and marker per variant, by the rule of plots/style.py from the same data: the algorithm gives the hue, the
// rung gives the marker, which is hollow for gpu/. Rivals have dotted lines.

const LOOKS = JSON.parse(document.getElementById("looks").textContent);

function ladderOf(variant) { return variant.slice(0, Math.max(0, variant.lastIndexOf("/"))) || variant; }

function algorithmOf(variant) { return variant.includes("/") ? variant.split("/")[1] : variant; }

/** Another project's sort: a baseline, std::sort or a plug-in's. */
function isRival(variant) { return /^plugin\/|^[cg]pu\/(baselines|std_sort)\//.test(variant); }

function isAuto(variant) { return variant === "cpu/auto/auto" || variant === "gpu/auto/auto"; }

/** The group of a variant: its ladder; each rival is its own group. */
function familyOf(variant) { return isRival(variant) ? variant : ladderOf(variant); }

/** A name for the end of a line: "radix/simd", "auto", "vqsort". */
function shortName(variant) {
  return variant.replace(/^[cg]pu\/auto\/auto/, "auto").replace(/^([cg]pu|plugin)\/(baselines\/)?/, "");
}

function crc32(text) {
  let crc = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

function rungsOf(variant) { return LOOKS.ladders[ladderOf(variant)] || LOOKS.rungs; }

function isKnown(variant) { return rungsOf(variant).includes(variant.slice(variant.lastIndexOf("/") + 1)); }

/** A rung's place on its ladder; unknown rungs are above the known ones. */
function stepOf(variant) {
  const rungs = rungsOf(variant);
  const at = rungs.indexOf(variant.slice(variant.lastIndexOf("/") + 1));
  return at >= 0 ? at : rungs.length + (crc32(variant) % LOOKS.markers.length);
}

const BASELINE_TONES = [...LOOKS.baseline_tones, LOOKS.hues.other];
// For sorts that are not in the tree: the hues of ladders come last.
const COLORS = [LOOKS.hues.other, ...[...LOOKS.baseline_tones].reverse(), ...Object.values(LOOKS.hues).reverse()];

/** When the markers are used up, the next colour follows. */
function colorsAndStep(variant) {
  const algorithm = algorithmOf(variant);
  if (algorithm === "baselines") return [BASELINE_TONES, stepOf(variant)];
  if (variant.startsWith("plugin/")) return [[LOOKS.hues.plugin], crc32(variant)];
  const [name, first] = LOOKS.same_hue[algorithm] ?? [algorithm, 0];
  const hue = LOOKS.hues[name];
  if (hue) return [[hue, LOOKS.hues.other], first + stepOf(variant)];
  return [[LOOKS.hues.other], stepOf(variant) + crc32(algorithm)];
}

/** [colours of a light and a dark page, number of the marker], which depend only on the id. */
function baseLook(variant) {
  const [colors, step] = colorsAndStep(variant);
  const count = LOOKS.markers.length;
  return [colors[Math.floor(step / count) % colors.length], step % count];
}

/**
 * The styles of all variants. If the style of a variant outside of the source tree is taken, it gets the next marker.
 */
function looksOf(variants) {
  const looks = new Map();
  const taken = new Set();
  const side = (variant) => (variant.startsWith("gpu/") ? "gpu" : "cpu");
  const known = unique(variants).filter(isKnown).sort();
  const others = unique(variants).filter((v) => !isKnown(v)).sort();
  for (const variant of [...known, ...others]) {
    const [hue, marker] = baseLook(variant);
    const count = LOOKS.markers.length;
    const free =
        isKnown(variant) ? [] : [hue, ...COLORS].flatMap((h) => LOOKS.markers.map((_, i) => [h, (marker + i) % count]));
    const key = ([h, m]) => `${side(variant)} ${h[0]} ${m}`;
    const look = free.find((one) => !taken.has(key(one))) || [hue, marker];
    taken.add(key(look));
    looks.set(variant, look);
  }
  return looks;
}

let ALL_LOOKS = new Map();

/** To be called once, with all variants of the page. */
function setLooks(variants) { ALL_LOOKS = looksOf(variants); }

function styleOf(variant, dark) {
  const [hue, marker] = ALL_LOOKS.get(variant) || baseLook(variant);
  const onGpu = variant.startsWith("gpu/");
  return {
    color: hue[dark ? 1 : 0],
    symbol: LOOKS.markers[marker].plotly + (onGpu ? "-open" : ""),
    dash: isRival(variant) ? "dot" : "solid",
    onGpu,
  };
}

/** Colours of parts other than variants, the same in all charts, and as distinct as those of variants. */
function partColor(i) {
  const names = ["bitonic", "std_sort", "merge", "radix", "quick", "other", "plugin", "auto"];
  return i < names.length ? LOOKS.hues[names[i]][isDark() ? 1 : 0] : LOOKS.baseline_tones[1][isDark() ? 1 : 0];
}

function channels(color) { return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)); }

function blend(color, other, share) {
  const [a, b] = [channels(color), channels(other)];
  return "#" + a.map((v, i) => Math.round((1 - share) * v + share * b[i]).toString(16).padStart(2, "0")).join("");
}

function luminance(color) {
  const [r, g, b] =
      channels(color).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** The order of rows: by algorithm, rivals last, a ladder from its first rung on. */
function inOrder(variants) {
  const place = (v) => [isRival(v) ? 1 : 0, algorithmOf(v), ladderOf(v), stepOf(v), v];
  const compare = (a, b) => {
    const [x, y] = [place(a), place(b)];
    for (let i = 0; i < x.length; ++i) {
      if (x[i] !== y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
  };
  return unique(variants).sort(compare);
}
