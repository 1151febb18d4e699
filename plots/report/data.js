// Reads the numbers of the page, which common/tool/report/data_json.cpp writes, and turns rows into objects.

const WHERE = [
  {id: "host", text: "host sorts", long: "host sorts, data in host memory"},
  {id: "device", text: "GPU sorts, data on the GPU", long: "GPU sorts of data that is on the GPU"},
  {
    id: "graph",
    text: "GPU sorts, replayed as a CUDA graph",
    long: "GPU sorts of data on the GPU, replayed as a CUDA graph"
  },
  {
    id: "copies",
    text: "host to host, GPU sorts with their copies",
    long: "GPU sorts of data in host memory, copied there and back"
  },
];
const CROSSOVER_KINDS = ["at", "always_gpu", "always_cpu", "no_common_n"];
const PHASES = ["allocation", "copy to the GPU", "kernels", "host work", "copy to the host"];

function decodePoint(p, name, where) {
  return {
    machine: p[0],
    where: where(p[1]),
    hostMem: name(p[2]),
    keys: name(p[3]),
    input: name(p[4]),
    n: p[5],
    variant: name(p[6]),
    threads: p[7],
    setting: name(p[8]),
    samples: p[9],
    median: p[10],
    low: p[11],
    high: p[12],
    share: p[13],
    keysPerJoule: p[14],
    before: p[15],
    gain: p[16],
    phases: p[17],
    source: p[18],
    since: p[19],
    earlier: p[20].map((e) => ({since: e[0], source: e[1], median: e[2], low: e[3], high: e[4]})),
    rate: p[5] / (p[10] * 1e-9),
  };
}

/** " (1 thread)" behind a sort that has only one, on a machine on which others have more. */
function markOneThread(points) {
  const most = new Map();
  const raise = (key, threads) => most.set(key, Math.max(most.get(key) || 0, threads));
  for (const p of points) {
    raise(p.machine, p.threads);
    raise(`${p.machine} ${p.variant}`, p.threads);
  }
  return (machine, variant) =>
             most.get(machine) > 1 && most.get(`${machine} ${variant}`) === 1 ? ` (${threadsText(1)})` : "";
}

/**
 * A line, one sort under the same conditions over n, is of one revision: the last that measured two n or more, or else
 * the last. Marks the points of older ones. A later one that measured a single n is no line, but it is not older.
 */
function markOlder(points, sources) {
  const lines = new Map();  // by line, then by revision: its points
  for (const p of points) {
    p.revision = sources[p.source].revision;
    const key = [p.machine, p.where, p.hostMem, p.keys, p.input, p.variant].join("|");
    if (!lines.has(key)) lines.set(key, new Map());
    const line = lines.get(key);
    line.set(p.revision, [...(line.get(p.revision) || []), p]);
  }
  const last = (points) => points.reduce((last, p) => (p.since > last ? p.since : last), "");
  for (const line of lines.values()) {
    const revisions = [...line.values()].sort((a, b) => (last(a) < last(b) ? 1 : -1));
    const ofLine = revisions.findIndex((points) => points.length > 1);
    revisions.forEach((points, i) => points.forEach((p) => (p.isOlder = ofLine >= 0 ? i > ofLine : i > 0)));
  }
}

function decodeChoice(c, name, where, mark) {
  return {
    machine: c[0],
    where: where(c[1]),
    keys: name(c[2]),
    input: name(c[3]),
    threads: c[4],
    nLow: c[5],
    nHigh: c[6],
    best: name(c[7]),
    bestThreads: c[8],
    rateLow: c[9],
    rateHigh: c[10],
    next: c[11].map((i) => ({variant: name(i), more: mark(c[0], name(i))})),
    marginLow: c[12],
    marginHigh: c[13],
    inDoubt: c[14],
    rivals: c[15],
    bothSides: c[16],
    lacking: c[17].map(name),
    peers: c[18].map(name),
    overPeerLow: c[19],
    overPeerHigh: c[20],
  };
}
function decodeCrossover(c, name, where) {
  return {
    machine: c[0],
    where: where(c[1]),
    keys: name(c[2]),
    input: name(c[3]),
    kind: CROSSOVER_KINDS[c[4]],
    n: c[5],
    nLow: c[6],
    nHigh: c[7],
  };
}
function decodeKernels(k, name) {
  return {
    machine: k[0],
    hostMem: name(k[1]),
    keys: name(k[2]),
    input: name(k[3]),
    n: k[4],
    variant: name(k[5]),
    setting: name(k[6]),
    parts: k[7].map((p) => ({name: name(p[0]), launches: p[1], ns: p[2], share: p[3]})),
  };
}
function decodeFailure(f, name) {
  return {
    machine: f[0],
    variant: name(f[1]),
    status: f[2],
    reason: f[3],
    configurations: f[4],
    nLow: f[5],
    nHigh: f[6],
  };
}
function decodeExhibit(e, name) {
  return {
    exhibit: name(e[0]),
    source: name(e[1]),
    table: name(e[2]),
    row: name(e[3]),
    column: name(e[4]),
    unit: name(e[5]),
    published: e[6],
    measured: e[7],
    ratio: e[8],
    status: name(e[9]),
    reason: name(e[10]),
    machine: name(e[11]),
    revision: name(e[12]),
  };
}
function decode(raw) {
  const name = (i) => raw.names[i];
  const where = (i) => WHERE[i].id;
  const points = raw.points.map((p) => decodePoint(p, name, where));
  const sources = raw.sources.map(([csv, revision]) => ({csv, revision}));
  markOlder(points, sources);
  const mark = markOneThread(points);
  for (const p of points) {
    p.before = p.before === null ? null : points[p.before];
    p.label = p.variant + mark(p.machine, p.variant);
  }
  return {
    made: raw.made,
    revision: raw.revision,
    configurations: raw.configurations,
    machines: raw.machines,
    sources,
    points,
    choices: raw.choices.map((c) => decodeChoice(c, name, where, mark)),
    crossovers: raw.crossovers.map((c) => decodeCrossover(c, name, where)),
    kernels: raw.kernels.map((k) => decodeKernels(k, name)),
    failures: raw.failures.map((f) => decodeFailure(f, name)),
    exhibits: raw.exhibits.map((e) => decodeExhibit(e, name)),
  };
}
