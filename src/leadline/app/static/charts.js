// Charts as SVG, drawn from numbers alone; colours come from the stylesheet.
import { make } from "./dom.js";
import { intervalBar } from "./interval.js";

const svg = (tag, attributes, ...inside) => make(`svg:${tag}`, attributes, ...inside);
const round = (x) => Math.round(x * 100) / 100;

function axis(scale, ticks, y1, y2, label) {
  return ticks.flatMap((tick) => [
    svg("line", { class: "grid", x1: scale(tick), x2: scale(tick), y1, y2 }),
    svg("text", { class: "tick", x: scale(tick), y: y2 + 14, "text-anchor": "middle" }, label(tick)),
  ]);
}

// One row per run: a bar from lower to upper, a mark at the projected score.
export function intervals(runs, width) {
  const [left, right, step, top] = [Math.min(190, width * 0.36), 52, 20, 6];
  const height = top + runs.length * step;
  const room = Math.floor((left - 14) / 6.8) - (runs.some((run) => run.pooled === false) ? 2 : 0); // Letters that fit beside a bar.
  const apart = Math.max(0.1, ...runs.map((run) => run.upper)) > 0.5 ? 0.2 : 0.1;
  const most = Math.min(1, Math.ceil(Math.max(0.1, ...runs.map((run) => run.upper)) / apart) * apart);
  const x = (value) => round(left + (value / most) * (width - left - right));
  const ticks = [];
  for (let tick = 0; tick <= most + 0.01; tick += apart) ticks.push(tick);
  const rows = runs.map((run, at) => {
    const y = top + at * step;
    const kind = run.leads ? "leads" : run.may ? "may" : "out";
    const name = run.run.length > room ? `${run.run.slice(0, room - 1)}…` : run.run;
    const range = `[${run.lower.toFixed(3)}, ${run.upper.toFixed(3)}]`;
    return svg(
      "g",
      { class: `run ${kind}`, "data-run": run.run },
      svg("title", {}, `${run.run}: bounds ${range}${run.projected === null ? "" : `, estimate ${run.projected.toFixed(3)}`}`),
      svg("text", { class: "name", x: left - 8, y: y + 14, "text-anchor": "end" }, (run.leads ? "★ " : "") + (run.pooled === false ? "○ " : "") + name),
      ...intervalBar(svg, x, y, { lower: run.lower, value: run.projected, upper: run.upper }),
      svg("text", { class: "value", x: x(run.upper) + 5, y: y + 14 }, run.lower.toFixed(3)),
    );
  });
  const label = `Intervals of ${runs.length} runs; ${runs[0]?.run ?? "no run"} leads`;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height + 22}`, width, height: height + 22, role: "img", "aria-label": label },
    ...axis(x, ticks, top, height, (tick) => tick.toFixed(1)),
    ...rows,
  );
}

// How many runs may still overtake the leader, after every judgment.
export function falling(points, width) {
  const [left, right, top, bottom, height] = [44, 16, 12, 34, 220];
  const last = Math.max(10, points.at(-1)?.[0] ?? 0);
  const most = Math.max(1, ...points.map((point) => point[1]));
  const x = (n) => round(left + (n / last) * (width - left - right));
  const y = (count) => round(height - bottom - (count / most) * (height - top - bottom));
  const steps = points.map(([n, count], at) =>
    at ? `H${x(n)}V${y(count)}` : `M${x(n)} ${y(count)}`,
  );
  const ys = [...new Set([0, Math.round(most / 2), most])];
  const xs = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * last));
  const now = points.at(-1) ?? [0, 0];
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "falling",
      "aria-label": `${now[1]} runs may still overtake the leader after ${now[0]} judgments`,
    },
    ...ys.flatMap((tick) => [
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, String(tick)),
    ]),
    ...xs.map((tick) =>
      svg("text", { class: "tick", x: x(tick), y: height - bottom + 16, "text-anchor": "middle" }, String(tick)),
    ),
    svg("text", { class: "tick", x: (width + left - right) / 2, y: height - 3, "text-anchor": "middle" }, "judgments"),
    svg("path", { class: "line", d: steps.join("") }),
    svg("circle", { class: "now", cx: x(now[0]), cy: y(now[1]), r: 4 }),
  );
}
