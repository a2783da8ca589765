// The leaderboard as a chart: a bar from the lowest to the highest score still possible.
function paintRanges(plot, some) {
  const measure = measureNow();
  const order = some.all ? measure.order : measure.order.slice(0, FEW);
  const adjusted = new Map((measure.adjusted ?? []).map(([run, ...made]) => [run, made]));
  const ends = order.flatMap((run) => [measure.mean[run], measure.lower[run], measure.upper[run], ...(adjusted.get(run) ?? [])]).filter((end) => end !== null);
  const from = some.zero || !ends.length ? Math.min(0, ...ends) : Math.min(...ends), high = Math.max(from + 1e-9, ...ends);
  const row = 18, top = 34;
  const { svg, width, height } = picture(plot, top + order.length * row + 8, `${measure.name}: score and interval of each run`);
  const left = labelWidth(width), right = measure.tiers ? 100 : 12;
  const x = scale(from, high, left + 4, width - right);
  if (measure.tiers) {
    paintTiers(svg, measure, order, width - 66, top, row, "significance", "by test");
    paintTiers(svg, measure, order, width - 22, top, row, "certainty", "certain");
  }
  for (const tick of ticks(from, high, width > 600 ? 8 : 4)) {
    svg.append(draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - 8 }), words(x(tick), top - 6, String(tick), { "text-anchor": "middle", class: "faint" }));
  }
  order.forEach((run, at) => {
    const y = top + at * row;
    const low = measure.lower[run], upper = measure.upper[run], mean = measure.mean[run];
    const line = draw("g");
    const unpooled = report.unpooled[run];
    line.append(words(left - 8, y + 13, clipped(`${unpooled ? "\u25cb " : ""}${report.runs[run]}`, left - 12), { "text-anchor": "end" }));
    line.append(...intervalBar(draw, x, y, { lower: low, value: mean, upper }));
    const made = adjusted.get(run);
    if (made) line.append(...adjustedMark(x, y, made));
    const group = report.groups[run] === report.runs[run] ? "" : `, group ${report.groups[run]}`;
    const told = made ? `; adjusted ${number(made[0])}${made[1] === null ? "" : ` [${number(made[1])}, ${number(made[2])}]`}` : "";
    svg.append(hint(line, `${report.runs[run]}${unpooled ? " (unpooled)" : ""}${group}: ${number(mean)}${low === null ? "" : ` [${number(low)}, ${number(upper)}]`}${told}`));
  });
}

// The adjusted score of an unpooled run, a diamond on the line of its prediction interval.
function adjustedMark(x, y, [value, lower, upper]) {
  const middle = y + 9, at = x(value);
  const parts = [];
  if (lower !== null) parts.push(draw("line", { class: "adj-line", x1: x(lower), x2: x(upper), y1: middle, y2: middle }));
  parts.push(draw("path", { class: "adj", d: `M${at} ${middle - 5}L${at + 5} ${middle}L${at} ${middle + 5}L${at - 5} ${middle}Z` }));
  return parts;
}

function paintTiers(svg, measure, order, x, top, row, kind, title) {
  const tiers = measure.tiers[kind];
  svg.append(words(x, top - 18, title, { "text-anchor": "middle", class: "small faint" }));
  let begin = 0;
  order.forEach((run, at) => {
    if (at + 1 < order.length && tiers[order[at + 1]] === tiers[run]) return;
    const y1 = top + begin * row + 3, y2 = top + (at + 1) * row - 3;
    svg.append(draw("rect", { class: "tier", x: x - 9, y: y1, width: 3, height: y2 - y1 }), words(x - 2, (y1 + y2) / 2 + 4, String(tiers[run]), { class: "small" }));
    begin = at + 1;
  });
}

function rangeRows() {
  const rows = [["run", "group", "unpooled", "measure", "value", "lower", "upper", "adjusted", "pred_lower", "pred_upper", "tier_significance", "tier_certainty"]];
  const measure = measureNow();
  const adjusted = new Map((measure.adjusted ?? []).map(([run, ...made]) => [run, made]));
  for (const run of measure.order) {
    const tiers = measure.tiers ? [measure.tiers.significance[run], measure.tiers.certainty[run]] : ["", ""];
    rows.push([report.runs[run], report.groups[run], report.unpooled[run], measure.name, measure.mean[run], measure.lower[run], measure.upper[run], ...(adjusted.get(run) ?? ["", "", ""]), ...tiers]);
  }
  return rows;
}
