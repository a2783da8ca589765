// The list view: all documents of a topic on one page; keys grade the document that has the focus.
import { Lost, get, post, wait } from "./api.js";
import { extras, unreadable } from "./document.js";
import { byId, make, markedUp, put } from "./dom.js";
import { marked } from "./marks.js";

const RETRY = 2000;
let grades = [];
let general = [];
let topic = null;
let rows = [];
let since = performance.now();
const waiting = []; // Judgments that are not known to be saved, in their order.
let sending = false;

const CANNOT = { grade: null, name: "Cannot tell", key: "c" };
const choices = () => [...grades, CANNOT];
const nameOf = (grade) => choices().find((each) => each.grade === grade)?.name ?? String(grade);
const item = (row) => byId(`row-${rows.indexOf(row)}`);
const sentence = (error) => `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;

function trouble(text) {
  byId("trouble").textContent = text;
  byId("trouble").hidden = !text;
}

function progress() {
  const done = rows.filter((row) => row.judged).length;
  put("progress", rows.length ? `${done} of ${rows.length} judged${waiting.length ? `, ${waiting.length} not saved yet` : ""}` : "");
}

function drawRow(row) {
  const box = item(row);
  box.classList.toggle("judged", row.judged);
  box.classList.toggle("unsaved", waiting.some((each) => each.doc === row.doc && each.topic === topic));
  for (const button of box.querySelectorAll(".grades button")) {
    button.setAttribute("aria-pressed", String(row.judged && button.dataset.grade === String(row.grade)));
  }
  box.querySelector(".said").textContent = row.judged ? `${nameOf(row.grade)}${row.feedback ?? ""}` : "";
}

function listItem(row, at) {
  const text = row.found ? marked(row.text, row.spans) : ["The text of this document is not here."];
  const unfolding = row.more
    ? make("button", { type: "button", class: "plain", tabindex: "-1", onclick: () => unfold(row) }, "Show all")
    : null;
  return make("li", { id: `row-${at}`, tabindex: "0", onfocus: () => { since = performance.now(); } },
    make("h2", { dir: "auto" }, ...(row.title ? marked(row.title, row.title_spans) : [row.doc])),
    make("span", { class: "quiet" }, row.title ? row.doc : ""),
    make("div", { class: "beginning", dir: "auto" }, ...text),
    unfolding,
    make("div", { class: "grades row", role: "group", "aria-label": `Grade of ${row.doc}` },
      ...choices().map((each) => make("button", {
        type: "button", tabindex: "-1", "data-grade": String(each.grade), title: each.meaning ?? "", "aria-pressed": "false",
        onclick: () => judge(row, each.grade),
      }, make("kbd", {}, each.key), ` ${each.name}`)),
      make("span", { class: "said", role: "status" })));
}

async function unfold(row) {
  const box = item(row);
  if (box.classList.toggle("unfolded")) {
    try {
      const found = await get(`/api/list/document?${new URLSearchParams({ topic, doc: row.doc })}`);
      const why = unreadable(found);
      const body = box.querySelector(".beginning");
      body.replaceChildren(...extras(found), ...(why ? [why] : marked(found.text, found.spans)));
      if (found.rest !== null) body.append(make("p", { class: "quiet" }, `The beginning, of ${found.length.toLocaleString("en")} characters. The page Judge shows all of it.`));
    } catch (error) {
      trouble(sentence(error));
      box.classList.remove("unfolded");
      return;
    }
  }
  box.querySelector("button.plain").textContent = box.classList.contains("unfolded") ? "Show less" : "Show all";
}

function judge(row, grade) {
  const seconds = Math.min(86400, Math.round((performance.now() - since) / 100) / 10);
  waiting.push({ topic, doc: row.doc, grade, seconds, before: { judged: row.judged, grade: row.grade } });
  Object.assign(row, { judged: true, grade });
  drawRow(row);
  progress();
  const next = rows.slice(rows.indexOf(row) + 1).find((each) => !each.judged) ?? rows.find((each) => !each.judged);
  if (next) focus(next);
  send();
}

// One after the other, each until it is known to be saved.
async function send() {
  if (sending) return;
  sending = true;
  while (waiting.length) {
    const { before, ...now } = waiting[0];
    const row = now.topic === topic ? rows.find((each) => each.doc === now.doc) : null;
    try {
      const kept = await post("/api/list/judgments", now);
      waiting.shift();
      trouble("");
      if (row && kept.feedback) {
        const right = kept.feedback.said === kept.feedback.grade;
        row.feedback = right ? ": right" : `: it is ${nameOf(kept.feedback.grade)}. ${kept.feedback.why}`;
      }
    } catch (error) {
      if (error instanceof Lost) {
        trouble(`Not saved yet: ${waiting.length} judgments are kept on this page. ${sentence(error)} Trying again.`);
        await wait(RETRY);
        continue;
      }
      waiting.shift();
      trouble(`Not saved: ${now.doc}. ${sentence(error)}`);
      if (row) Object.assign(row, before);
    }
    if (row) drawRow(row);
    progress();
  }
  sending = false;
}

function focus(row) {
  const box = item(row);
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "nearest" });
}

function focused() {
  const at = document.activeElement?.closest?.("#rows li")?.id.slice(4);
  return at === undefined ? null : rows[Number(at)];
}

function move(step) {
  const row = focused();
  const shown = rows.filter((each) => item(each).offsetParent !== null || each === row);
  const at = row ? shown.indexOf(row) + step : 0;
  if (shown[at]) focus(shown[at]);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches?.("input, select, textarea, summary")) return;
  const key = event.key.toLowerCase();
  const steps = { arrowdown: 1, arrowup: -1 };
  if (key in steps) {
    event.preventDefault();
    move(steps[key]);
    return;
  }
  const row = focused();
  if (!row) return;
  if (key === "enter" && event.target.matches("li")) {
    event.preventDefault();
    if (row.more) unfold(row);
    return;
  }
  const chosen = choices().find((each) => each.key === key);
  if (chosen) {
    event.preventDefault();
    judge(row, chosen.grade);
  }
}

async function open(name) {
  try {
    const found = await post(`/api/list?${new URLSearchParams({ topic: name })}`);
    topic = found.topic;
    rows = found.rows;
    trouble("");
    history.replaceState(null, "", `#${encodeURIComponent(topic)}`);
    put("query", `Topic ${topic}${found.query ? `: ${found.query}` : ""}`);
    put("description", found.description);
    byId("guidelines").replaceChildren(...markedUp([...general, ...found.guidelines]));
    byId("guidelines-box").hidden = !general.length && !found.guidelines.length;
    put("reason", found.reason);
    byId("rows").replaceChildren(...rows.map(listItem));
    rows.forEach(drawRow);
    progress();
    window.scrollTo(0, 0);
    const first = rows.find((row) => !row.judged);
    if (first) focus(first);
  } catch (error) {
    byId("rows").replaceChildren();
    rows = [];
    progress();
    trouble(sentence(error));
  }
}

async function start() {
  const project = await get("/api/project");
  grades = project.grades;
  general = project.guidelines;
  const key = (name, what) => make("span", {}, make("kbd", {}, name), ` ${what}`);
  byId("keys").replaceChildren(...choices().map((each) => key(each.key, each.name)), key("↓", "next"), key("↑", "previous"), key("Enter", "show all"));
  const topics = await get("/api/list/topics");
  byId("choose").replaceChildren(...topics.map((each) => make("option", { value: each.topic },
    `${each.assigned ? "★ " : ""}${each.topic} ${each.query} (${each.mine} of ${each.pairs})`)));
  byId("choose").addEventListener("change", (event) => open(event.target.value));
  byId("only-open").addEventListener("change", (event) => document.body.classList.toggle("hide-judged", event.target.checked));
  document.addEventListener("keydown", onKey);
  window.addEventListener("beforeunload", (event) => {
    if (waiting.length) event.preventDefault();
  });
  if (!topics.length) put("reason", "No topic is assigned to you.");
  const wanted = decodeURIComponent(location.hash.slice(1));
  const chosen = topics.find((each) => each.topic === wanted) ?? topics.find((each) => each.mine < each.pairs) ?? topics[0];
  if (!chosen) return;
  byId("choose").value = chosen.topic;
  await open(chosen.topic);
}

start().catch((error) => trouble(sentence(error)));
