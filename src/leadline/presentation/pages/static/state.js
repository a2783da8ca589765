// What is chosen now: a measure, and two runs of it.
const chosen = { measure: 0, a: 0, b: 0 };

function measureNow() {
  return report.measures[chosen.measure];
}

function labelWidth(width) {
  const longest = Math.max(...report.runs.map((name) => name.length));
  return Math.min(longest * 7.4 + 14, width * 0.36);
}
