// Who is better than whom by the test, one cell for each pair.
const SIGNS = { better: "up", worse: "down" };

function paintMatrix(plot, some) {
  const measure = measureNow();
  const order = some.all ? measure.order : measure.order.slice(0, FEW);
  const n = order.length, labelled = n <= 60;
  const wide = room(plot);
  const left = labelled ? labelWidth(wide) : 8, slope = labelled ? left / 2 : 4;
  // Names must not run into each other; without names the cells may be small.
  const cell = Math.min(30, Math.max((wide - left - slope) / n, labelled ? 12 : 2));
  const top = labelled ? left * 0.85 : 8;
  const label = `${measure.name}: significance of the difference of each pair of runs`;
  const { svg } = picture(plot, top + n * cell + 6, label, Math.max(wide, left + n * cell + slope));
  if (!measure.pairs) return;
  order.forEach((a, at) => {
    const y = top + at * cell, x = left + (at + 0.4) * cell;
    if (labelled) {
      svg.append(words(left - 6, y + cell * 0.7, clipped(report.runs[a], left - 8, 10), { "text-anchor": "end", class: "small" }));
      svg.append(words(x, top - 5, clipped(report.runs[a], top / 0.9, 10), { class: "small", transform: `rotate(-60 ${x.toFixed(1)} ${(top - 5).toFixed(1)})` }));
    }
    order.forEach((b, column) => {
      if (a === b) return;
      const found = compared(measure, a, b);
      const box = draw("rect", {
        class: `pick ${SIGNS[found.verdict] || "none"}`, x: left + column * cell, y, width: Math.max(1, cell - 1), height: Math.max(1, cell - 1),
        "fill-opacity": SIGNS[found.verdict] && found.caveats ? 0.45 : 1,
      });
      box.dataset.a = a;
      box.dataset.b = b;
      svg.append(box);
      if (cell >= 9 && found.certainty === "certain" && SIGNS[found.here]) {
        svg.append(draw("circle", { class: "mk", cx: left + (column + 0.45) * cell, cy: y + cell * 0.45, r: Math.min(2.5, cell / 7), "pointer-events": "none" }));
      }
      hint(box, comparison(a, b, found));
    });
  });
}

function comparison(a, b, found) {
  const range = found.lower === null ? "" : ` [${signed(found.lower)}, ${signed(found.upper)}]`;
  const p = found.p === null ? "no p" : `p ${shortP(found.p)}, corrected ${shortP(found.corrected)}`;
  return `${report.runs[a]} \u2212 ${report.runs[b]}: ${signed(found.difference)}${range}, ${p}: in general ${found.verdict}, on these topics ${settled(found)}${found.caveats ? ` (${found.caveats})` : ""}`;
}

function settled(found) {
  return found.certainty === "open" ? found.here : `${found.here}, ${found.certainty}`;
}

function shortP(p) {
  return p === null ? "" : p < 0.0001 ? "<0.0001" : p.toFixed(4);
}

function pickPair(event) {
  const box = event.target.closest("rect.pick");
  if (!box) return;
  choose({ a: Number(box.dataset.a), b: Number(box.dataset.b) });
  document.getElementById("topics").scrollIntoView({ block: "start" });
}

function matrixRows() {
  const rows = [["run_a", "run_b", "measure", "difference", "lower", "upper", "p", "p_corrected", "verdict", "on_these_topics", "certainty", "caveats"]];
  const measure = measureNow();
  if (!measure.pairs) return rows;
  for (let a = 0; a < report.runs.length; a += 1) {
    for (let b = a + 1; b < report.runs.length; b += 1) {
      const found = compared(measure, a, b);
      rows.push([report.runs[a], report.runs[b], measure.name, found.difference, found.lower, found.upper, found.p, found.corrected, found.verdict, found.here, found.certainty, found.caveats]);
    }
  }
  return rows;
}

function fillPairs() {
  const table = document.getElementById("pairs-table");
  if (!table || !measureNow().pairs) return;
  const others = measureNow().order.filter((run) => run !== chosen.a);
  fill(table, others.map((run) => {
    const found = compared(measureNow(), chosen.a, run);
    const cell = (x, text) => ({ text, value: x, csv: x === null ? "" : x });
    return [
      { text: report.runs[run] }, cell(found.difference, signed(found.difference)), cell(found.lower, signed(found.lower)), cell(found.upper, signed(found.upper)),
      cell(found.p, shortP(found.p)), cell(found.corrected, shortP(found.corrected)), { text: found.verdict }, { text: settled(found) }, { text: found.caveats },
    ];
  }));
  document.getElementById("pairs-words").textContent = `${report.runs[chosen.a]} against every other run by ${measureNow().name}; choose another as run A above.`;
}
