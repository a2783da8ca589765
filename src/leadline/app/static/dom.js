// Elements without HTML strings: whatever text comes along stays text.

export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...inside) {
  const made = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside.filter((each) => each !== null && each !== undefined));
  return made;
}

// A tree of guidelines: text, or [tag, [inside]]; the server sends only these tags.
const TAGS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li strong em code pre blockquote hr br table thead tbody tr th td".split(" "),
);

export function markedUp(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const [tag, inside] = node;
    // The page has headings of its own above these.
    const shown = /^h[1-6]$/.test(tag) ? "h3" : tag;
    return make(TAGS.has(tag) ? shown : "span", {}, ...markedUp(inside));
  });
}

// New content for a box. What had the focus there has it still, by data-is, or else the box; what was unfolded stays so.
export function refill(box, ...inside) {
  const held = box.contains(document.activeElement) && document.activeElement !== box ? document.activeElement : null;
  const name = held?.dataset.is;
  const open = new Set([...box.querySelectorAll("details[open]")].map((each) => each.dataset.is));
  box.replaceChildren(...inside.filter((each) => each !== null && each !== undefined));
  for (const each of box.querySelectorAll("details")) each.open = open.has(each.dataset.is);
  if (!held) return;
  const again = [...box.querySelectorAll("[data-is]")].find((each) => each.dataset.is === name);
  (again ?? box).focus({ preventScroll: true });
}

// A text that is read out when it changes must change only then.
export function put(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

// From a least to a most number, as exactly as a forecast is; one number where both are the same.
export function span([least, most]) {
  const rough = (n, round) => {
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(n, 1))) - 1);
    return (round(n / unit) * unit).toLocaleString("en");
  };
  return least === most ? least.toLocaleString("en") : `${rough(least, Math.floor)} to ${rough(most, Math.ceil)}`;
}

export function table(head, rows, label) {
  // Roles are said, since on a phone rows are laid out as blocks and would be a table no more.
  const cells = (row, tag) =>
    row.map((cell, at) => {
      const inside = cell instanceof Node || typeof cell === "string" ? cell : String(cell ?? "");
      // A heading that says nothing is none.
      if (tag === "th" && inside === "") return make("td", { role: "cell" });
      if (tag === "th") return make("th", { scope: "col", role: "columnheader" }, inside);
      if (at === 0) return make("th", { scope: "row", role: "rowheader" }, inside);
      return make("td", { role: "cell", "data-label": head[at] || null }, inside);
    });
  return make(
    "table",
    { "aria-label": label, role: "table" },
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...cells(head, "th"))),
    make("tbody", { role: "rowgroup" }, ...rows.map((row) => make("tr", { role: "row" }, ...cells(row, "td")))),
  );
}
