// The hover text of a point.

function pointHover(p) {
  const lines = [
    `<b>${plain(p.variant)}</b>`,
    `n = ${sizeText(p.n)} (${p.n.toLocaleString("en")})`,
    `median ${timeText(p.median)}, 95 % interval ${timeText(p.low)} to ${timeText(p.high)}`,
    `${rateText(p.rate)}, ${p.samples} sample${p.samples === 1 ? "" : "s"}`,
  ];
  const how = settingText(p);
  if (how) lines.push(plain(how));
  if (p.isOlder) lines.push(`an older revision: ${plain(revisionText(p.revision))}`);
  return lines.join("<br>");
}

function settingText(p) {
  return [
    p.threads > 0 ? threadsText(p.threads) : "", p.hostMem === "none" ? "" : `${p.hostMem} host memory`, p.setting
  ].filter((text) => text)
      .join(", ");
}

function threadsText(threads) { return threads === 1 ? "1 thread" : `${threads} threads`; }
