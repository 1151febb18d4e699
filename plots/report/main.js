// The sections in the order a reader looks at them, each with the sentence that explains its metric.

const DATA = decode(JSON.parse(document.getElementById("data").textContent));

const SECTIONS = [
  [
    "machine", "The machines",
    "Everything below was measured on these; copy bandwidth is what a plain copy of memory reaches, bytes read and written together.",
    drawMachines
  ],
  [
    "choice", "Which sort should I use?",
    "The fastest variant for each range of measured n; the margin is how much longer the next one takes, and \"in doubt\" means that somewhere in the range the two 95 % intervals overlap.",
    drawChoices
  ],
  [
    "throughput", "Throughput against n",
    "Throughput is n over the median time of a sort, each point the fastest setting of its variant; bars show the median's 95 % interval. Click a name in the legend to hide it.",
    drawThroughput
  ],
  [
    "ladders", "The ladders",
    "Each algorithm climbs from its naive rung; the factor is a rung's gain, the time of the rung below it over its own.",
    drawLadders
  ],
  [
    "crossover", "CPU against GPU",
    "At each n the best host sort stands against the best GPU sort, without and with the copies there and back; the crossover is the n from which the GPU stays ahead. Markers show which variant is the best.",
    drawCrossover
  ],
  [
    "phases", "Phases",
    "The median time of each phase: allocation lies outside the sort's own time, copies and kernels are the GPU's, host work is the CPU's.",
    drawPhases
  ],
  [
    "kernels", "Kernels",
    "The time of each kernel and copy within one sort, taken under a profiler, apart from the timed samples.",
    drawKernels
  ],
  [
    "heatmap", "Distributions",
    "Keys per second on each distribution of keys: brighter is faster, an empty cell was not measured.", drawHeatmap
  ],
  [
    "roofline", "Share of copy bandwidth",
    "A sort must read each item once and write it once; this is how fast it does so, as a share of what a plain copy reaches on the same memory.",
    drawRoofline
  ],
  [
    "energy", "Energy",
    "Keys per joule: n over the energy that the GPU (for GPU sorts) or the CPU (for host sorts) took for one sort.",
    drawEnergy
  ],
  [
    "machines", "Machines side by side",
    "Keys per second of the same variant at the same n on each machine; the colour is the variant's, the hatching is the machine's.",
    drawSideBySide
  ],
  [
    "exhibits", "What the papers said", "Published values beside those measured; the ratio is measured over published.",
    drawExhibits
  ],
  [
    "failures", "Skips and failures", "Configurations without a time, and the reason; none of them counts above.",
    drawFailures
  ],
];

function drawSection([id, , , draw]) {
  const body = document.getElementById(`${id}-body`);
  for (const chart of body.querySelectorAll(".chart")) Plotly.purge(chart);
  for (const [name, {chart}] of FIGURES)
    if (body.contains(chart)) FIGURES.delete(name);
  const focused = [...body.querySelectorAll("select")].indexOf(document.activeElement);
  body.replaceChildren();
  draw(body, DATA, () => drawSection(SECTIONS.find((s) => s[0] === id)));
  if (focused >= 0 && body.querySelectorAll("select")[focused]) body.querySelectorAll("select")[focused].focus();
}

function drawAll() {
  drawFilters(DATA, drawAll);
  SECTIONS.forEach(drawSection);
}

function start() {
  document.getElementById("about").textContent = `${DATA.points.length} results of ${DATA.machines.length} machine${
      DATA.machines.length === 1 ? "" : "s"}, put together ${DATA.made} by sortlab ${DATA.revision}`;
  document.getElementById("footer").textContent =
      "Times are medians. GPU sorts of data on the GPU are timed by their kernels; with copies, from the first byte sent to the last received.";
  const main = document.getElementById("main");
  main.append(element(
      "nav", {"aria-label": "Sections"}, ...SECTIONS.map(([id, title]) => element("a", {href: `#${id}`}, title))));
  for (const [id, title, metric] of SECTIONS) {
    main.append(element(
        "section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title),
        element("p", {class: "metric"}, metric), element("div", {id: `${id}-body`})));
  }
  startTheme(drawAll);
  drawAll();
  let wasNarrow = isNarrow();
  addEventListener("resize", () => {
    if (isNarrow() !== wasNarrow) {
      wasNarrow = isNarrow();
      drawAll();
    }
  });
}

/** For programs that save or check the figures. */
window.sortlabReport = {
  figures: () => [...FIGURES.keys()],
  image: figureImage,
  baseColor,
  styleOf,
  state: STATE,
  redraw: drawAll,
};

start();
