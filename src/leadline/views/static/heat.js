// How much was judged, by run and rank: the darker, the more.
function stretch(at) {
  const { first, last } = report.judged;
  return first[at] === last[at] ? String(first[at]) : `${first[at]}\u2013${last[at]}`;
}

function paintHeat(plot, some) {
  const order = some.all ? measureNow().order : measureNow().order.slice(0, FEW);
  const columns = report.judged.first.length;
  const row = 15, top = 58;
  const { svg, width } = picture(plot, top + order.length * row + 4, "Share judged of each run by rank");
  // A label leans to the right by a good half of its length.
  const lean = 0.58 * textWidth(columns ? stretch(columns - 1) : "", 10);
  const left = labelWidth(width), cell = (width - left - lean) / Math.max(1, columns);
  // As many labels as have room beside each other: a line of text apart.
  const every = Math.ceil(14 / cell);
  for (let column = 0; column < columns; column += 1) {
    if ((columns - 1 - column) % every) continue;
    const x = left + (column + 0.5) * cell;
    svg.append(words(x, top - 6, stretch(column), { class: "small faint", transform: `rotate(-55 ${x.toFixed(1)} ${top - 6})` }));
  }
  order.forEach((run, at) => {
    const y = top + at * row;
    svg.append(words(left - 8, y + 11, clipped(report.runs[run], left - 12, 11), { "text-anchor": "end", class: "small" }));
    for (let column = 0; column < columns; column += 1) {
      const share = report.judged.share[run][column];
      if (share === null) continue;
      const box = { x: left + column * cell, y, width: cell - 1, height: row - 1 };
      svg.append(draw("rect", { class: "none", ...box }));
      const filled = draw("rect", { class: "heat", "fill-opacity": share, ...box });
      svg.append(hint(filled, `${report.runs[run]}, ranks ${stretch(column)}: ${(100 * share).toFixed(0)}% judged`));
    }
  });
}

function heatRows() {
  const rows = [["run", "first_rank", "last_rank", "judged"]];
  for (const run of measureNow().order) {
    report.judged.share[run].forEach((share, at) => rows.push([report.runs[run], report.judged.first[at], report.judged.last[at], share]));
  }
  return rows;
}
