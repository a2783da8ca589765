// Puts the page together once the data are there.
function choose(changes) {
  Object.assign(chosen, changes);
  const field = { measure: "measure", a: "run-a", b: "run-b" };
  for (const [key, id] of Object.entries(field)) {
    const select = document.getElementById(id);
    if (select) select.value = String(chosen[key]);
  }
  for (const part of document.querySelectorAll("[data-measure]")) part.hidden = Number(part.dataset.measure) !== chosen.measure;
  fillTopics();
  fillPairs();
  inOrder(document.getElementById("judged-table"), measureNow().order);
  repaint();
}

function setUp() {
  const n = report.runs.length;
  for (const id of ["measure", "run-a", "run-b"]) {
    const key = { measure: "measure", "run-a": "a", "run-b": "b" }[id];
    const select = document.getElementById(id);
    if (select) select.addEventListener("change", () => choose({ [key]: Number(select.value) }));
  }
  const swap = document.getElementById("swap");
  if (swap) swap.addEventListener("click", () => choose({ a: chosen.b, b: chosen.a }));
  for (const table of document.querySelectorAll("table.live")) live(table);
  const several = [0, 1, 2, 3].map(() => manyOrFew(n));
  several[0].controls.push(toggle("from 0", "Let the axis begin at 0, or zoom to the scores", (on) => { several[0].zero = on; }));
  chart("leaderboard-chart", (plot) => paintRanges(plot, several[0]), rangeRows, several[0].controls);
  chart("judged-chart", (plot) => paintHeat(plot, several[1]), heatRows, several[1].controls);
  chart("groups-chart", paintLeftOut, leftOutRows);
  const topics = manyOrFew(report.topics.length, "topics", 2 * FEW_TOPICS);
  chart("topics-chart", (plot) => paintTopics(plot, topics), topicCsv, topics.controls);
  chart("significance-chart", (plot) => paintMatrix(plot, several[2]), matrixRows, several[2].controls);
  chart("orderings-chart", (plot) => paintOrderings(plot, several[3]), orderingRows, several[3].controls);
  const matrix = document.querySelector("#significance-chart .plot");
  if (matrix) matrix.addEventListener("click", pickPair);
  document.getElementById("choose").hidden = report.measures.length < 2;
  const best = report.measures[0].order;
  choose({ measure: 0, a: best[0], b: best[Math.min(1, n - 1)] });
  let width = innerWidth;
  addEventListener("resize", () => {
    // A phone's address bar changes the height only: nothing to draw anew.
    if (innerWidth !== width) repaint();
    width = innerWidth;
  });
  document.documentElement.dataset.ready = "yes";
}

load().then(setUp).catch((error) => {
  const note = document.createElement("p");
  note.className = "warn";
  note.textContent = `The charts cannot be drawn in this browser: ${error.message}`;
  document.querySelector("header").append(note);
  document.documentElement.dataset.ready = "failed";
});
