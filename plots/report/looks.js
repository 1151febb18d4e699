// One colour, marker and line for a variant, by the rule of plots/style.py from the same data.
// On a dark page the tones run the other way, so that a ladder's top stands out there too; and a colour that
// its background would swallow is moved away from it, its hue kept.

const LOOKS = JSON.parse(document.getElementById("looks").textContent);
const LEAST_CONTRAST = 3;  // WCAG's for graphics

function ladderOf(variant) { return variant.slice(0, Math.max(0, variant.lastIndexOf("/"))) || variant; }

function algorithmOf(variant) { return variant.includes("/") ? variant.split("/")[1] : variant; }

function crc32(text) {
  let crc = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

function rungsOf(variant) { return LOOKS.ladders[ladderOf(variant)] || LOOKS.rungs; }

/** A rung's place on its ladder; unknown ones stand above the known. */
function stepOf(variant) {
  const rungs = rungsOf(variant);
  const at = rungs.indexOf(variant.slice(variant.lastIndexOf("/") + 1));
  return at >= 0 ? at : rungs.length + (crc32(variant) % LOOKS.markers.length);
}

function channels(color) { return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)); }

function blend(color, other, share) {
  const [a, b] = [channels(color), channels(other)];
  return "#" + a.map((v, i) => Math.round((1 - share) * v + share * b[i]).toString(16).padStart(2, "0")).join("");
}

/** From a pale foot (0) over the pure hue half way to a dark top (1). */
function toneOf(hue, height) {
  return height < 0.5 ? blend(hue, "#ffffff", 0.9 * (0.5 - height)) : blend(hue, "#000000", 0.9 * (height - 0.5));
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

function visibleOn(background, color) {
  const away = luminance(background) > 0.5 ? "#000000" : "#ffffff";
  for (let share = 0; share < 1; share += 0.05) {
    const moved = blend(color, away, share);
    if (contrast(moved, background) >= LEAST_CONTRAST) return moved;
  }
  return away;
}

/** The same hue, as much lighter as it was darker. */
function mirrored(color) {
  const rgb = channels(color);
  const shift = 255 - Math.max(...rgb) - Math.min(...rgb);
  return "#" + rgb.map((v) => (v + shift).toString(16).padStart(2, "0")).join("");
}

/** Before any look at the background; on a light page it is what plots/style.py draws. */
function baseColor(variant, dark) {
  const algorithm = algorithmOf(variant);
  const step = stepOf(variant);
  if (algorithm === "baselines") {
    const tone = LOOKS.baseline_tones[step % LOOKS.baseline_tones.length].toLowerCase();
    return dark ? mirrored(tone) : tone;
  }
  const hue = LOOKS.hues[algorithm] || LOOKS.other_hues[crc32(algorithm) % LOOKS.other_hues.length];
  const last = rungsOf(variant).length - 1;
  const height = last ? Math.min(1, step / last) : step ? 1 : 0.5;  // half way where there is one rung
  return toneOf(hue, dark ? 1 - height : height);
}

function styleOf(variant, dark) {
  const onGpu = variant.startsWith("gpu/");
  const step = stepOf(variant);
  const count = LOOKS.markers.length;
  const marker = LOOKS.markers[(step + Math.floor(step / count)) % count];
  return {
    color: visibleOn(theme(dark).card, baseColor(variant, dark)),
    symbol: marker.plotly + (onGpu ? "-open" : ""),
    dash: algorithmOf(variant) === "baselines" ? "dot" :
        onGpu                                  ? "dash" :
                                                 "solid",
    onGpu,
  };
}

/** The order of legends and rows: by algorithm, baselines last, a ladder from its foot. */
function inOrder(variants) {
  const place = (v) => [algorithmOf(v) === "baselines" ? 1 : 0, algorithmOf(v), ladderOf(v), stepOf(v), v];
  const compare = (a, b) => {
    const [x, y] = [place(a), place(b)];
    for (let i = 0; i < x.length; ++i) {
      if (x[i] !== y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
  };
  return unique(variants).sort(compare);
}
