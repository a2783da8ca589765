// The one drawing of an interval: a bar from the lower to the upper end, and a mark at the value.
// The judging app serves it as a module; `draw(tag, attributes)` makes an SVG element.
function intervalBar(draw, x, y, { lower, value, upper }) {
  const parts = [];
  if (lower !== null) parts.push(draw("rect", { class: "iv", x: x(lower), y: y + 5, width: Math.max(1, x(upper) - x(lower)), height: 8, rx: 2 }));
  if (value !== null) parts.push(draw("rect", { class: "mk", x: x(value) - 1.5, y: y + 2, width: 3, height: 14 }));
  return parts;
}
