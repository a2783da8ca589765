// Two runs, topic by topic: who is better where, and where that could still turn.
function topicsNow() {
  return topicRows(measureNow(), chosen.a, chosen.b);
}

const TOPIC_STEP = 11; // Narrower columns have no room for the name of their topic.
const FEW_TOPICS = 15;

function paintTopics(plot, some) {
  const rows = topicsNow().sort((one, other) => other.difference - one.difference);
  if (rows.length > 2 * FEW_TOPICS || (rows.length && (room(plot) - 54) / rows.length < TOPIC_STEP)) {
    paintTopicRows(plot, rows, some.all);
    return;
  }
  const height = 320, top = 14, bottom = 40, left = 46;
  const { svg, width } = picture(plot, height, `${measureNow().name}: ${report.runs[chosen.a]} minus ${report.runs[chosen.b]} on each topic`);
  if (!rows.length) {
    svg.append(words(width / 2, height / 2, "no topic on which both runs have a score", { "text-anchor": "middle" }));
    return;
  }
  const low = Math.min(-0.05, ...rows.map((row) => Math.min(row.difference, row.lower ?? 0)));
  const high = Math.max(0.05, ...rows.map((row) => Math.max(row.difference, row.upper ?? 0)));
  const y = scale(low, high, height - bottom, top);
  for (const tick of ticks(low, high, 6)) {
    svg.append(draw("line", { class: tick === 0 ? "axis" : "grid", x1: left, x2: width - 4, y1: y(tick), y2: y(tick) }), words(left - 6, y(tick) + 4, String(tick), { "text-anchor": "end", class: "faint" }));
  }
  const step = Math.min(40, (width - left - 8) / rows.length);
  rows.forEach((row, at) => {
    const x = left + 4 + at * step, middle = x + step / 2;
    const bar = draw("g");
    const kind = row.open ? "open" : row.difference > 0 ? "up" : "down";
    const begin = Math.min(y(0), y(row.difference));
    // Level is no bar: a thin one would wear a side's colour.
    if (row.open || Math.abs(row.difference) > EQUAL) bar.append(draw("rect", { class: kind, x: x + step * 0.1, y: begin, width: step * 0.8, height: Math.max(1, Math.abs(y(row.difference) - y(0))) }));
    if (row.lower !== null && row.upper - row.lower > EQUAL) bar.append(draw("line", { class: "whisker", x1: middle, x2: middle, y1: y(row.lower), y2: y(row.upper) }));
    // Not by colour alone.
    if (row.open) bar.append(words(middle, top - 2, "?", { "text-anchor": "middle", class: "small" }));
    const range = row.lower === null ? "" : ` [${signed(row.lower)}, ${signed(row.upper)}]`;
    svg.append(hint(bar, `topic ${row.topic} ${row.query}: ${signed(row.difference)}${range}${row.open ? ", its sign could flip" : ""}`));
    if (step >= 11) svg.append(words(middle, height - bottom + 10, clipped(row.topic, 34, 10), { class: "small faint", "text-anchor": "end", transform: `rotate(-60 ${middle.toFixed(1)} ${height - bottom + 10})` }));
  });
}

// A row for each topic: names stay readable for any number of topics, and on a phone.
function paintTopicRows(plot, every, all) {
  // A topic on which runs are level, and stay so, has no bar: such topics are counted instead.
  const differ = every.filter((row) => row.open || Math.abs(row.difference) > EQUAL || (row.lower !== null && row.upper - row.lower > EQUAL));
  const level = all || !differ.length ? 0 : every.length - differ.length;
  const rows = level ? differ : every;
  const shown = all || rows.length <= 2 * FEW_TOPICS ? rows : [...rows.slice(0, FEW_TOPICS), null, ...rows.slice(-FEW_TOPICS)];
  const step = 18, top = 26;
  const { svg, width, height } = picture(plot, top + (shown.length + (level ? 1 : 0)) * step + 6, `${measureNow().name}: ${report.runs[chosen.a]} minus ${report.runs[chosen.b]} on each topic`);
  const named = (row) => (row.query ? `${row.topic} ${row.query}` : row.topic);
  const left = Math.min(Math.max(...shown.filter(Boolean).map((row) => textWidth(named(row)))) + 16, width * 0.42);
  const low = Math.min(-0.05, ...rows.map((row) => Math.min(row.difference, row.lower ?? 0)));
  const high = Math.max(0.05, ...rows.map((row) => Math.max(row.difference, row.upper ?? 0)));
  const x = scale(low, high, left + 4, width - 22);
  for (const tick of ticks(low, high, width > 600 ? 8 : 4)) {
    svg.append(draw("line", { class: tick === 0 ? "axis" : "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - 6 - (level ? step : 0) }), words(x(tick), top - 6, String(tick), { "text-anchor": "middle", class: "faint" }));
  }
  shown.forEach((row, at) => {
    const y = top + at * step, middle = y + step / 2;
    if (!row) {
      svg.append(words(left + 8, middle + 4, `${rows.length - 2 * FEW_TOPICS} topics between these`, { class: "faint" }));
      return;
    }
    const bar = draw("g");
    const kind = row.open ? "open" : row.difference > 0 ? "up" : "down";
    bar.append(words(left - 6, middle + 4, clipped(named(row), left - 10), { "text-anchor": "end" }));
    if (row.open || Math.abs(row.difference) > EQUAL) bar.append(draw("rect", { class: kind, x: Math.min(x(0), x(row.difference)), y: y + 3, width: Math.max(1, Math.abs(x(row.difference) - x(0))), height: step - 6 }));
    if (row.lower !== null && row.upper - row.lower > EQUAL) bar.append(draw("line", { class: "whisker", x1: x(row.lower), x2: x(row.upper), y1: middle, y2: middle }));
    if (row.open) bar.append(words(width - 12, middle + 4, "?", { "text-anchor": "middle", class: "small" }));
    const range = row.lower === null ? "" : ` [${signed(row.lower)}, ${signed(row.upper)}]`;
    svg.append(hint(bar, `topic ${row.topic} ${row.query}: ${signed(row.difference)}${range}${row.open ? ", its sign could flip" : ""}`));
  });
  if (level) svg.append(words(left + 8, top + shown.length * step + step / 2 + 4, `and ${level} topic${level > 1 ? "s" : ""} without a difference`, { class: "faint" }));
}

function topicCsv() {
  const head = ["topic", "run_a", "run_b", "measure", "score_a", "score_b", "difference", "lower", "upper", "could_flip"];
  const fixed = (x) => (x === null ? "" : +x.toFixed(6));
  return [head, ...topicsNow().map((row) => [row.topic, report.runs[chosen.a], report.runs[chosen.b], measureNow().name, row.a, row.b, fixed(row.difference), fixed(row.lower), fixed(row.upper), row.open])];
}

function fillTopics() {
  const table = document.getElementById("topics-table");
  if (!table) return;
  const cell = (x, text = number(x)) => ({ text, value: x, csv: x === null ? "" : +x.toFixed(6) });
  const rows = topicsNow().sort((one, other) => other.difference - one.difference), queried = report.queries.some(Boolean);
  fill(table, rows.map((row) => {
    const cells = [{ text: row.topic }, ...(queried ? [{ text: row.query }] : []), cell(row.a), cell(row.b), cell(row.difference, signed(row.difference)), cell(row.lower, signed(row.lower)), cell(row.upper, signed(row.upper)), { text: row.open ? "could flip" : "" }];
    cells.open = row.open;
    return cells;
  }));
  const better = rows.filter((row) => row.difference > EQUAL).length, worse = rows.filter((row) => row.difference < -EQUAL).length;
  const open = rows.filter((row) => row.open).length;
  const a = report.runs[chosen.a], b = report.runs[chosen.b];
  const known = rows.some((row) => row.lower !== null);
  const flips = known ? ` On ${open} of ${rows.length} topics the sign could still flip.` : " This measure has no interval, so it cannot be told which signs could flip.";
  document.getElementById("topics-words").textContent = `By ${measureNow().name}, ${a} is better on ${better} topics, ${b} on ${worse}, and they are level on ${rows.length - better - worse}.${flips}`;
}
