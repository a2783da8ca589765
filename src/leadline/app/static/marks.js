// A text with some of it marked: the query's words, and what is looked for.
import { make } from "./dom.js";

// Both lists are in the order of the text and overlap nowhere within themselves: one walk does it.
export function marked(text, spans, hits = [], first = 0) {
  const edges = new Set([0, text.length]);
  for (const [from, to] of [...spans, ...hits]) {
    if (from <= text.length) edges.add(from);
    if (to <= text.length) edges.add(to);
  }
  const points = [...edges].sort((a, b) => a - b);
  const parts = [];
  let [span, hit] = [0, 0];
  for (let at = 0; at + 1 < points.length; at += 1) {
    const [from, to] = [points[at], points[at + 1]];
    while (span < spans.length && spans[span][1] <= from) span += 1;
    while (hit < hits.length && hits[hit][1] <= from) hit += 1;
    const inside = (list, number) => number < list.length && list[number][0] <= from && to <= list[number][1];
    const piece = text.slice(from, to);
    if (inside(hits, hit)) parts.push(make("mark", { class: "hit", "data-hit": String(first + hit) }, piece));
    else if (inside(spans, span)) parts.push(make("mark", {}, piece));
    else parts.push(piece);
  }
  return parts;
}

export function find(text, words, most) {
  const found = [];
  if (!words) return found;
  const [low, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // Where lower case has another length, positions would be wrong.
  const where = low.length === text.length ? low : text;
  const what = low.length === text.length ? wanted : words;
  for (let at = where.indexOf(what); at >= 0 && found.length < most; at = where.indexOf(what, at + what.length)) {
    found.push([at, at + what.length]);
  }
  return found;
}
