// Reads the numbers of the page, which tool/report/data_json.cpp writes, and turns rows into objects.

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
const PHASES = ["allocation", "copy to the GPU", "kernels", "host work", "copy to the host"];

/**
 * The rows of a table as objects, as Tables of data_json.cpp packs them: texts of columns with a $ are numbers of
 * names.
 */
function unpack(table, names) {
  if (!table.rows) return table;
  const nameOf = (value) => (Array.isArray(value) ? value.map(nameOf) : names[value]);
  const read = (value, isText) => (isText ? nameOf(value) : value && value.rows ? unpack(value, names) : value);
  const columns = table.columns.map((column) => [column.replace("$", ""), column.startsWith("$")]);
  return table.rows.map((row) => Object.fromEntries(columns.map(([name, isText], i) => [name, read(row[i], isText)])));
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
  const {tables, names, ...data} = raw;
  for (const [name, table] of Object.entries(tables)) data[name] = unpack(table, names);
  markOlder(data.points, data.sources);
  const mark = markOneThread(data.points);
  for (const p of data.points) {
    p.rate = p.n / (p.median * 1e-9);
    p.before = p.before === null ? null : data.points[p.before];
    p.label = p.variant + mark(p.machine, p.variant);
  }
  for (const c of data.choices) c.next = c.next.map((variant) => ({variant, more: mark(c.machine, variant)}));
  return data;
}
