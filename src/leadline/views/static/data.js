// What the page holds: JSON, compressed, so that a page of a hundred runs stays small.
const report = {};

async function load() {
  const text = document.getElementById("data").textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  Object.assign(report, JSON.parse(await new Response(stream).text()));
}

// The place of (a, b) among all pairs of runs (0, 1), (0, 2), ..., (1, 2), ...; a < b.
function pairNumber(a, b) {
  const n = report.runs.length;
  return a * n - (a * (a + 1)) / 2 + b - a - 1;
}

// What was found about the difference of two runs, first minus second.
function compared(measure, a, b) {
  const all = measure.pairs;
  if (!all || a === b) return null;
  const turned = a > b;
  const at = turned ? pairNumber(b, a) : pairNumber(a, b);
  const sign = (x) => (x === null ? null : turned ? -x || 0 : x);
  const low = all.lower[at], high = all.upper[at];
  const word = (column) => report.words[column][all[column][at]];
  const other = { better: "worse", worse: "better" };
  const facing = (column) => (turned ? other[word(column)] || word(column) : word(column));
  return {
    difference: sign(all.difference[at]),
    lower: turned ? sign(high) : low,
    upper: turned ? sign(low) : high,
    p: all.p[at],
    corrected: all.corrected[at],
    verdict: facing("verdict"),
    here: facing("on_these_topics"),
    certainty: word("certainty"),
    caveats: word("caveats"),
  };
}

// Differences below this are none: sums of the same weights differ in their last digits.
const EQUAL = 1e-6;

// Per topic: both scores, their difference, how far it can still go, and whether its sign could flip.
function topicRows(measure, a, b) {
  const rows = [];
  const at = a === b ? -1 : pairNumber(Math.min(a, b), Math.max(a, b));
  report.topics.forEach((topic, t) => {
    const x = measure.value[a][t], y = measure.value[b][t];
    if (x === null || y === null) return;
    const row = { topic, query: report.queries[t] || "", a: x, b: y, difference: x - y, lower: null, upper: null, open: false };
    if (measure.own) {
      const shared = at < 0 ? measure.own[a][t] : (measure.shared[at] ? measure.shared[at][t] : 0) / report.unit;
      // A share of an ideal that may grow: over the least one or the largest, whichever is further.
      const { least, most } = measure.ideal ? { least: measure.ideal.least[t], most: measure.ideal.most } : { least: 1, most: 1 };
      const far = (end, sign) => (end * sign > 0 ? end / least : end / most);
      row.lower = far(row.difference * least - Math.max(0, measure.own[b][t] - shared), -1);
      row.upper = far(row.difference * least + Math.max(0, measure.own[a][t] - shared), 1);
    }
    if (measure.low) {
      // Runs with the same lists stay level, whatever is judged.
      const alike = measure.alike[a] === measure.alike[b];
      row.lower = alike ? 0 : Math.max(row.lower ?? -Infinity, measure.low[a][t] - measure.high[b][t]);
      row.upper = alike ? 0 : Math.min(row.upper ?? Infinity, measure.high[a][t] - measure.low[b][t]);
    }
    if (row.lower !== null) {
      const falls = row.lower < -EQUAL, rises = row.upper > EQUAL;
      row.open = row.difference > EQUAL ? falls : row.difference < -EQUAL ? rises : falls || rises;
    }
    rows.push(row);
  });
  return rows;
}

function number(x, digits = 4) {
  return x === null || x === undefined || Number.isNaN(x) ? "" : x.toFixed(digits);
}

function signed(x, digits = 4) {
  return x === null || x === undefined ? "" : (x > 0 ? "+" : "") + number(x, digits);
}
