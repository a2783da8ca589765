// Drawing: elements, scales, and charts that are saved as they are seen.
const SPACE = "http://www.w3.org/2000/svg";

function draw(name, attributes = {}, ...inner) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? +value.toFixed(2) : value);
  made.append(...inner);
  return made;
}

function words(x, y, text, attributes = {}) {
  return draw("text", { x, y, ...attributes }, text);
}

function hint(element, text) {
  element.append(draw("title", {}, text));
  return element;
}

function scale(from, to, begin, end) {
  const size = to - from || 1;
  return (x) => begin + ((x - from) / size) * (end - begin);
}

// About so many round numbers from one end to the other; two at least, for one gives no scale.
function ticks(from, to, count) {
  const found = roundNumbers(from, to, count);
  return found.length < 2 && count < 32 ? ticks(from, to, 2 * count) : found;
}

function roundNumbers(from, to, count) {
  const rough = (to - from || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) || rough;
  const found = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to + step * 1e-9; at += 1) found.push(+(at * step).toPrecision(12));
  return found;
}

const ruler = document.createElement("canvas").getContext("2d");

function textWidth(text, size = 12) {
  ruler.font = `${size}px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

// Without its middle where it is too long: names of runs often differ at their ends only.
function clipped(text, width, size = 12) {
  let shown = text;
  for (let most = text.length - 1; most >= 3 && textWidth(shown, size) > width; most -= 1) {
    const end = Math.floor((most - 1) / 3);
    shown = `${text.slice(0, most - 1 - end)}\u2026${end ? text.slice(-end) : ""}`;
  }
  return shown;
}

function room(plot) {
  // Never narrower than can be read: a narrow screen scrolls the chart, not the page.
  return Math.max(300, Math.min(960, plot.clientWidth || 960));
}

function picture(plot, height, label, width = room(plot)) {
  const made = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  plot.replaceChildren(made);
  return { svg: made, width, height };
}

// What is written into a saved chart, unless it is as usual.
const SHAPE = { fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none" };
const STROKE = { "stroke-width": "1px", "stroke-opacity": "1" };
const TEXT = { "font-size": "", "font-family": "", "text-anchor": "start" };

// Room for a heading: away from its page a chart must say what it shows.
const HEAD = 26;

// The chart with its colours written into it, on a background of its own.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const mine = [svg, ...svg.querySelectorAll("*")], theirs = [copy, ...copy.querySelectorAll("*")];
  mine.forEach((element, at) => {
    if (!["title", "svg", "g"].includes(element.tagName)) {
      const seen = getComputedStyle(element);
      const kept = { ...SHAPE, ...(seen.stroke === "none" ? {} : STROKE), ...(element.tagName === "text" ? TEXT : {}) };
      for (const [name, usual] of Object.entries(kept)) {
        const value = seen.getPropertyValue(name);
        if (value !== usual) theirs[at].setAttribute(name, value);
      }
    }
    theirs[at].removeAttribute("class");
  });
  const hints = copy.querySelectorAll("title");
  // Twenty thousand hints would be two thirds of the file.
  if (hints.length > 2000) hints.forEach((each) => each.remove());
  copy.setAttribute("xmlns", SPACE);
  const width = Number(svg.getAttribute("width")), height = Number(svg.getAttribute("height")) + HEAD;
  copy.setAttribute("height", height);
  copy.setAttribute("viewBox", `0 ${-HEAD} ${width} ${height}`);
  const page = getComputedStyle(document.body);
  copy.prepend(
    draw("rect", { y: -HEAD, width, height, fill: page.backgroundColor }),
    words(8, -8, clipped(svg.getAttribute("aria-label"), width - 16, 13), { fill: page.color, "font-size": "13px", "font-family": page.fontFamily, "font-weight": "bold" }),
  );
  return new XMLSerializer().serializeToString(copy);
}

async function asPng(svg, factor = 2) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = svg.getAttribute("width") * factor;
  canvas.height = (Number(svg.getAttribute("height")) + HEAD) * factor;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const charts = [];

// A figure whose chart is drawn by `paint(plot)` and whose data are `rows()`, header first.
function chart(id, paint, rows, more = []) {
  const figure = document.getElementById(id);
  if (!figure) return;
  const plot = figure.querySelector(".plot");
  const tools = document.createElement("div");
  tools.className = "tools";
  const space = document.createElement("span");
  space.className = "count";
  const svg = () => plot.querySelector("svg");
  tools.append(
    ...more, space,
    button("SVG", "Save this chart as SVG", () => save(`${id}.svg`, standalone(svg()), "image/svg+xml")),
    button("PNG", "Save this chart as PNG", async () => save(`${id}.png`, await asPng(svg()), "image/png")),
    button("csv", "Save this chart's data as csv", () => save(`${id}.csv`, csvOf(rows()), "text/csv")),
  );
  figure.prepend(tools);
  charts.push(() => paint(plot));
}

function repaint() {
  for (const paint of charts) paint();
  tellWhatIsCut();
}

// Whatever is wider than its place says so, since not every browser shows a scroll bar.
function tellWhatIsCut() {
  for (const box of document.querySelectorAll(".wide, .plot")) {
    if (!box.nextElementSibling?.classList.contains("more")) {
      const sign = document.createElement("p");
      sign.className = "more note";
      sign.textContent = "there is more to the right: scroll sideways \u2192";
      box.after(sign);
    }
    box.nextElementSibling.hidden = box.scrollWidth <= box.clientWidth + 1;
  }
}

// A choice between the best few and all of them, for charts that would be very long.
const FEW = 25;

function manyOrFew(total, what = "runs", few = FEW) {
  const state = { all: false, controls: [] };
  if (total <= few) {
    state.all = true;
    return state;
  }
  state.controls.push(toggle(`show all ${total}`, what === "runs" ? `All runs, or the best ${few} only` : "All topics, or those that differ most", (on) => { state.all = on; }));
  return state;
}

// A button that is on or off; charts are drawn anew after it.
function toggle(text, title, change) {
  const turn = button(text, title, () => {
    const on = turn.getAttribute("aria-pressed") !== "true";
    turn.setAttribute("aria-pressed", on);
    change(on);
    repaint();
  });
  turn.setAttribute("aria-pressed", false);
  return turn;
}
