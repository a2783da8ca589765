// A text with some of it marked: the query's words, and what is looked for.
import { make } from "./dom.js";

export function marked(text, spans, hits = []) {
  const edges = new Set([0, text.length]);
  for (const [from, to] of [...spans, ...hits]) {
    edges.add(from);
    edges.add(to);
  }
  const points = [...edges].filter((edge) => edge <= text.length).sort((a, b) => a - b);
  const inside = (list, from, to) => list.findIndex(([first, last]) => first <= from && to <= last);
  const parts = [];
  for (let at = 0; at + 1 < points.length; at += 1) {
    const [from, to] = [points[at], points[at + 1]];
    const piece = text.slice(from, to);
    const hit = inside(hits, from, to);
    if (hit >= 0) parts.push(make("mark", { class: "hit", "data-hit": String(hit) }, piece));
    else if (inside(spans, from, to) >= 0) parts.push(make("mark", {}, piece));
    else parts.push(piece);
  }
  return parts;
}

export function find(text, words) {
  const found = [];
  if (!words) return found;
  const [low, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // Where lower case has another length, positions would be wrong.
  const where = low.length === text.length ? low : text;
  const what = low.length === text.length ? wanted : words;
  for (let at = where.indexOf(what); at >= 0 && found.length < 5000; at = where.indexOf(what, at + what.length)) {
    found.push([at, at + what.length]);
  }
  return found;
}
