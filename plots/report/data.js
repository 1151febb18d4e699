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

// The fields of a row, in order; behind a colon, how a value is read.
const EARLIER = "since source median low high";
const PARTS = "name:name launches ns share";
const POINTS =
    "machine where:where hostMem:name keys:name input:name n variant:name threads setting:name samples median low high " +
    "share keysPerJoule before gain phases source since earlier:earlier";
const CHOICES =
    "machine where:where keys:name input:name threads nLow nHigh best:name bestThreads rateLow rateHigh next:marked " +
    "marginLow marginHigh inDoubt rivals bothSides lacking:names peers:names overPeerLow overPeerHigh";
const CROSSOVERS = "machine where:where keys:name input:name kind:kind n nLow nHigh";
const KERNELS = "machine hostMem:name keys:name input:name n variant:name setting:name parts:parts";
const FAILURES = "machine variant:name status reason configurations nLow nHigh";
const EXHIBITS =
    "exhibit:name source:name table:name row:name column:name unit:name published measured ratio status:name reason:name " +
    "machine:name revision:name";

/** The rows as objects. `readers` has a function of the value and of the row for each way to read a value. */
function readRows(rows, fields, readers) {
  const columns = fields.split(" ").map((field) => field.split(":"));
  const reads = columns.map(([, how]) => readers[how]);
  return rows.map((row) => {
    const object = {};
    for (let i = 0; i < columns.length; ++i) object[columns[i][0]] = reads[i] ? reads[i](row[i], row) : row[i];
    return object;
  });
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

function decode(raw) {
  const name = (i) => raw.names[i];
  const readers = {
    name,
    names: (all) => all.map(name),
    where: (i) => WHERE[i].id,
    kind: (i) => CROSSOVER_KINDS[i],
    earlier: (rows) => readRows(rows, EARLIER, readers),
    parts: (rows) => readRows(rows, PARTS, readers),
    marked: (all, row) => all.map((i) => ({variant: name(i), more: mark(row[0], name(i))})),
  };
  const points = readRows(raw.points, POINTS, readers);
  const sources = raw.sources.map(([csv, revision]) => ({csv, revision}));
  markOlder(points, sources);
  const mark = markOneThread(points);
  for (const p of points) {
    p.rate = p.n / (p.median * 1e-9);
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
    choices: readRows(raw.choices, CHOICES, readers),
    crossovers: readRows(raw.crossovers, CROSSOVERS, readers),
    kernels: readRows(raw.kernels, KERNELS, readers),
    failures: readRows(raw.failures, FAILURES, readers),
    exhibits: readRows(raw.exhibits, EXHIBITS, readers),
  };
}
