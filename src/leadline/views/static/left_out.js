// Each group's best run, with its group in the pool and without.
function paintLeftOut(plot) {
  const rows = leftOutNow();
  const row = 20, top = 26;
  const { svg, width, height } = picture(plot, top + rows.length * row + 6, `${measureNow().name}: each group's best run, its group in the pool (full) or not (empty)`);
  if (!rows.length) return;
  const left = Math.min(Math.max(...rows.map((row) => textWidth(row.group))) + 14, width * 0.36);
  const ends = rows.flatMap((each) => [each.value, each.without]);
  const low = Math.min(...ends), high = Math.max(...ends);
  const x = scale(low, high, left + 8, width - 14);
  for (const tick of ticks(low, high, width > 600 ? 7 : 4)) {
    svg.append(draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - 6 }), words(x(tick), top - 8, String(tick), { "text-anchor": "middle", class: "faint" }));
  }
  rows.forEach((each, at) => {
    const y = top + at * row + row / 2;
    const line = draw("g");
    line.append(
      words(left - 4, y + 4, clipped(each.group, left - 8), { "text-anchor": "end" }),
      draw("line", { class: "link", x1: x(each.without), x2: x(each.value), y1: y, y2: y }),
      draw("circle", { class: "full", cx: x(each.value), cy: y, r: 4.5 }),
      draw("circle", { class: "dot", cx: x(each.without), cy: y, r: 3.5 }),
    );
    svg.append(hint(line, `${each.group} (${each.run}): ${number(each.value)}, without the group in the pool ${number(each.without)}`));
  });
}

function leftOutNow() {
  const found = measureNow().left_out;
  return found ? found.filter((each) => each.value !== null && each.without !== null) : [];
}

function leftOutRows() {
  const rows = [["group", "run", "measure", "value", "without", "place", "place_without"]];
  for (const each of leftOutNow()) rows.push([each.group, each.run, measureNow().name, each.value, each.without, each.place, each.place_without]);
  return rows;
}
