// What is chosen now: a measure, and two runs of it.
const chosen = { measure: 0, a: 0, b: 0 };

function measureNow() {
  return report.measures[chosen.measure];
}

function labelWidth(width) {
  return Math.min(Math.max(...report.runs.map((name) => textWidth(name))) + 16, width * 0.36);
}
