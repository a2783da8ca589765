// Where each run stands under each estimator, best on top.
function paintOrderings(plot, some) {
  const measure = measureNow(), columns = measure.orderings || [];
  const shown = some.all ? measure.order : measure.order.slice(0, FEW);
  const last = Math.max(shown.length, ...columns.flatMap((each) => shown.map((run) => each.place[run] ?? 0)));
  const row = some.all ? 12 : 16, top = 40;
  const { svg, width } = picture(plot, top + last * row + 8, `${measure.name}: place of each run under each estimator`);
  if (!columns.length) return;
  const left = labelWidth(width), right = Math.min(90, left);
  const x = scale(0, Math.max(1, columns.length - 1), left + 8, width - right);
  const y = (place) => top + (place - 0.5) * row;
  columns.forEach((each, at) => {
    svg.append(draw("line", { class: "grid", x1: x(at), x2: x(at), y1: top, y2: y(last) }), words(x(at), top - 14 - (at % 2) * 13, clipped(each.name, 160), { "text-anchor": "middle" }));
  });
  shown.forEach((run, at) => {
    const points = columns.map((each, column) => (each.place[run] === null ? null : `${x(column).toFixed(1)} ${y(each.place[run]).toFixed(1)}`)).filter(Boolean);
    const line = draw("path", { class: `line ${at < 6 ? `strong c${at}` : ""}`, d: `M${points.join("L")}` });
    svg.append(hint(line, `${report.runs[run]}: ${columns.map((each) => `${each.name} ${each.place[run] ?? "none"}`).join(", ")}`));
    if (columns[0].place[run] !== null) svg.append(words(left, y(columns[0].place[run]) + 4, clipped(report.runs[run], left - 4, 11), { "text-anchor": "end", class: "small" }));
  });
}

function orderingRows() {
  const rows = [["run", "measure", "estimator", "value", "place"]];
  const measure = measureNow();
  for (const each of measure.orderings || []) {
    for (const run of measure.order) rows.push([report.runs[run], measure.name, each.name, each.value[run], each.place[run]]);
  }
  return rows;
}
