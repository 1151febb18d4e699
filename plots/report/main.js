// The sections in reading order, each with a sentence that explains its metric.

const DATA = decode(JSON.parse(document.getElementById("data").textContent));

const SECTIONS = [
  ["cards", "The answers", "", drawCards],
  [
    "throughput", "Throughput against n",
    "Throughput is n over the median time of a sort, each point the fastest setting of its variant. Six lines have colours and names; the others are grey: point at one, or search for it.",
    drawThroughput
  ],
  [
    "choice", "Which sort should I use?",
    "The fastest variant for each range of n, where the main candidates were measured: the suite's own choice (auto), each ladder's best and at least three rivals. Auto is named where its 95 % interval overlaps the fastest's. Measurements for the papers' exhibits do not count.",
    drawChoices
  ],
  [
    "ladders", "The ladders",
    "Each algorithm climbs from its naive rung; the factor is a rung's gain over the rung that it names, the nearest measured one below it.",
    drawLadders
  ],
  [
    "crossover", "CPU against GPU",
    "At each n the best host sort stands against the best GPU sort, without and with the copies there and back; the crossover is the n from which the GPU stays ahead. Markers show which variant is the best.",
    drawCrossover
  ],
  [
    "heatmap", "Distributions",
    "Keys per second over those of the best rival on the same input: 2 is twice as fast, 0.5 half as fast.", drawHeatmap
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
    "history", "History",
    "The same configurations, measured several times on this machine: by another revision, or again.", drawHistory
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
  [
    "machine", "Machines and files",
    "Where the results come from. Copy bandwidth is what a plain copy of memory reaches, bytes read and written together.",
    drawMachines
  ],
];
const FOLDED = ["failures", "machine"];

function drawSection([id, , , draw]) {
  const body = document.getElementById(`${id}-body`);
  for (const chart of body.querySelectorAll(".chart")) Plotly.purge(chart);
  for (const [name, {chart}] of FIGURES)
    if (body.contains(chart)) FIGURES.delete(name);
  const controls = () => [...body.querySelectorAll("select, input")];
  const focused = controls().indexOf(document.activeElement);
  body.replaceChildren();
  draw(body, DATA, () => drawSection(SECTIONS.find((s) => s[0] === id)));
  const again = controls()[focused];
  if (!again) return;
  again.focus();
  if (again.type === "search") again.setSelectionRange(again.value.length, again.value.length);
}

function drawAll() {
  drawFilters(DATA, drawAll);
  SECTIONS.forEach(drawSection);
}

function countText(count, noun) { return `${count} ${noun}${count === 1 ? "" : "s"}`; }

function addSections(main) {
  const others = SECTIONS.slice(1);
  main.append(
      element("section", {id: "cards", "aria-label": "The answers"}, element("div", {id: "cards-body"})),
      element(
          "nav", {"aria-label": "Sections"},
          ...others.map(
              ([id, title]) => element(
                  "a", {
                    href: `#at=${id}`,
                    click: (event) => {
                      event.preventDefault();
                      history.replaceState(null, "", viewAddress({at: id}));
                      document.getElementById(id).scrollIntoView();
                    }
                  },
                  title))));
  for (const [id, title, metric] of others) {
    const head = element("h2", {id: `${id}-title`}, title);
    const rest = [element("p", {class: "metric"}, metric), element("div", {id: `${id}-body`})];
    main.append(element(
        "section", {id, "aria-labelledby": `${id}-title`},
        ...(FOLDED.includes(id) ? [element("details", {class: "folded"}, element("summary", {}, head), ...rest)] :
                                  [head, ...rest])));
  }
}

function start() {
  document.getElementById("about").textContent = `${countText(DATA.configurations, "configuration")} of ${
      countText(DATA.machines.length, "machine")}, put together ${DATA.made.slice(0, 10)} by sortlab ${DATA.revision}`;
  document.getElementById("footer").textContent =
      "Times are medians. GPU sorts of data on the GPU are timed by their kernels; with copies, from the first byte sent to the last received.";
  setLooks([...DATA.points, ...DATA.kernels, ...DATA.failures].map((p) => p.variant));
  addSections(document.getElementById("main"));
  startTheme(drawAll);
  startView(drawAll);
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
  baseLook,
  looksOf,
  styleOf,
  state: STATE,
  redraw: drawAll,
};

start();
