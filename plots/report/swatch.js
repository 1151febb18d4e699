// A variant's name behind its marker, which is the same as in the charts.

const SWATCH = 12;  // pixels

/** Corners around the middle, clockwise: [turn from the top as a share of a circle, distance in pixels]. */
function swatchCorners(corners) {
  return corners
      .map(([turn, distance]) => {
        const angle = 2 * Math.PI * turn;
        return `${SWATCH / 2 + distance * Math.sin(angle)},${SWATCH / 2 - distance * Math.cos(angle)}`;
      })
      .join(" ");
}

const evenCorners = (count, first = 0) => Array.from({length: count}, (_, i) => [first + i / count, 5]);
/** Four arms: two corners at the end of each, one between it and the next. */
const armCorners = (first) => [0, 1, 2, 3].flatMap(
    (arm) => [-0.05, 0.05, 0.125].map((turn) => [first + arm / 4 + turn, turn === 0.125 ? 2.2 : 5]));

const SWATCH_CORNERS = {
  square: evenCorners(4, 1 / 8),
  diamond: evenCorners(4),
  "triangle-up": evenCorners(3),
  "triangle-down": evenCorners(3, 1 / 2),
  cross: armCorners(0),
  x: armCorners(1 / 8),
  star: Array.from({length: 10}, (_, i) => [i / 10, i % 2 === 0 ? 5.5 : 2.4]),
};

function svgNode(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function swatch(variant, more = "") {
  const style = styleOf(variant, isDark());
  const look = {stroke: style.color, "stroke-width": 1.5, fill: style.onGpu ? "none" : style.color};
  const corners = SWATCH_CORNERS[style.symbol.replace("-open", "")];
  const svg = svgNode("svg", {width: SWATCH, height: SWATCH, "aria-hidden": "true"});
  svg.append(
      corners ? svgNode("polygon", {points: swatchCorners(corners), ...look}) :
                svgNode("circle", {cx: SWATCH / 2, cy: SWATCH / 2, r: 4.5, ...look}));
  const parts = (variant + more).split(/(?<=\/)/);  // where lines may be wrapped, an id breaks after a slash
  return element(
      "span", {class: "swatch"}, svg, ...parts.flatMap((part, i) => i > 0 ? [element("wbr"), part] : [part]));
}
