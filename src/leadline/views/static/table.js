// Tables that sort by any column, filter by any word, and save as csv.
function valueOf(cell) {
  if (cell.dataset.v !== undefined) return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  const text = cell.textContent.trim();
  if (text === "") return null;
  const plain = text.replace(/[,%+]/g, "").replace("\u2212", "-");
  return plain !== "" && !Number.isNaN(Number(plain)) ? Number(plain) : text.toLowerCase();
}

function sortBy(table, column, direction) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row, place) => ({ row, place, value: valueOf(row.cells[column]) }));
  const turn = direction === "descending" ? -1 : 1;
  rows.sort((one, other) => {
    const x = one.value, y = other.value;
    // What is empty stays last, whichever way the rest is sorted.
    if (x === null || y === null) return (x === null) - (y === null) || one.place - other.place;
    if (typeof x === typeof y) return (x < y ? -turn : x > y ? turn : 0) || one.place - other.place;
    return typeof x === "number" ? -1 : 1;
  });
  body.append(...rows.map((each) => each.row));
  Array.from(table.tHead.rows[0].cells).forEach((head, at) => {
    head.setAttribute("aria-sort", at === column ? direction : "none");
  });
}

function csvOf(rows) {
  const quoted = (cell) => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(quoted).join(",") + "\n").join("");
}

function tableRows(table) {
  const drawn = Array.from(table.tHead.rows[0].cells, (head) => head.dataset.drawn !== undefined);
  const texts = (row) => Array.from(row.cells).filter((_, at) => !drawn[at]).map((cell) => cell.dataset.csv ?? cell.textContent.trim());
  return [texts(table.tHead.rows[0]), ...Array.from(table.tBodies[0].rows, texts)];
}

function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // A busy browser may take a while to fetch it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function button(text, title, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", action);
  return made;
}

function live(table) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    if (head.dataset.drawn !== undefined && head.dataset.drawn === "fixed") return;
    const turn = document.createElement("button");
    turn.type = "button";
    turn.append(...head.childNodes);
    turn.addEventListener("click", () => {
      const first = head.classList.contains("text") ? "ascending" : "descending";
      const second = first === "ascending" ? "descending" : "ascending";
      sortBy(table, column, head.getAttribute("aria-sort") === first ? second : first);
    });
    head.append(turn);
    head.setAttribute("aria-sort", head.getAttribute("aria-sort") || "none");
  });
  const tools = document.createElement("div");
  tools.className = "tools";
  const count = document.createElement("span");
  count.className = "count";
  count.setAttribute("role", "status");
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "filter rows";
  field.setAttribute("aria-label", `Filter: ${table.caption ? table.caption.textContent : "table"}`);
  const tell = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    const all = table.tBodies[0].rows.length;
    const whole = all === 1 ? "1 row" : `${all} rows`;
    count.textContent = shown === all ? whole : `${shown} of ${whole}`;
  };
  field.addEventListener("input", tell);
  tools.append(field, count, button("csv", "Save this table as csv", () => save(`${table.id}.csv`, csvOf(tableRows(table)), "text/csv")));
  (table.closest(".wide") || table).before(tools);
  table.retell = tell;
  tell();
}

// Rows of runs as the charts have them, unless somebody has sorted the table.
function inOrder(table, order) {
  if (!table || Array.from(table.tHead.rows[0].cells).some((head) => !["none", null].includes(head.getAttribute("aria-sort")))) return;
  const rows = new Map(Array.from(table.tBodies[0].rows, (row) => [row.cells[0].textContent, row]));
  table.tBodies[0].append(...order.map((run) => rows.get(report.runs[run])).filter(Boolean));
}

// A table's rows anew: each row is a list of {text, value, kind}.
function fill(table, rows) {
  const head = table.tHead.rows[0].cells;
  const body = table.tBodies[0];
  const sorted = Array.from(head).findIndex((each) => ["ascending", "descending"].includes(each.getAttribute("aria-sort")));
  body.replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    if (cells.open) row.className = "open";
    cells.forEach((cell, at) => {
      const made = document.createElement(at === 0 ? "th" : "td");
      if (at === 0) made.scope = "row";
      made.className = head[at].className;
      made.textContent = cell.text;
      if (cell.value !== undefined) made.dataset.v = cell.value === null ? "" : cell.value;
      if (cell.csv !== undefined) made.dataset.csv = cell.csv;
      row.append(made);
    });
    return row;
  }));
  if (sorted >= 0) sortBy(table, sorted, head[sorted].getAttribute("aria-sort"));
  if (table.retell) table.retell();
}
