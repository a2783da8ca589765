// One's own judgments: listed, searched, read again and changed.
import { get, post } from "./api.js";
import { attempt } from "./asking.js";
import { extras, unreadable } from "./document.js";
import { byId, make, table } from "./dom.js";
import { marked } from "./marks.js";

let grades = [];
let shown = [];
let searched = "";

const name = (grade) => (grade === null ? "Cannot tell" : grades.find((each) => each.grade === grade)?.name ?? String(grade));

function draw(total) {
  byId("found").textContent = `${total.toLocaleString("en")} judgment${total === 1 ? "" : "s"}`;
  byId("more").hidden = shown.length >= total;
  byId("mine").replaceChildren(
    shown.length
      ? table(["document", "topic", "grade", "note", "when"],
          shown.map((each) => [
            make("button", { class: "plain", onclick: () => look(each) }, each.doc),
            `${each.topic} ${each.query}`, name(each.grade), each.note, each.time.slice(0, 16).replace("T", " "),
          ]), "My judgments")
      : make("p", { class: "quiet" }, searched ? "No judgment contains all these words." : "You have judged nothing yet."),
  );
}

async function load(at = 0) {
  const query = new URLSearchParams({ search: searched, at });
  const found = await attempt(() => get(`/api/mine?${query}`));
  if (!found) return;
  shown = at ? [...shown, ...found.judgments] : found.judgments;
  draw(found.total);
}

async function look(each) {
  const query = new URLSearchParams({ topic: each.topic, doc: each.doc });
  const found = await attempt(() => get(`/api/mine/document?${query}`));
  if (!found) return;
  byId("look-title").textContent = found.title || found.doc;
  byId("look-topic").textContent = `Topic ${found.topic} ${found.query}. You said: ${name(each.grade)}.`;
  byId("look-note").value = each.note;
  byId("look-trouble").hidden = true;
  const why = unreadable(found);
  byId("look-text").replaceChildren(...extras(found), ...(why ? [why] : marked(found.text, found.spans)));
  byId("look-grades").replaceChildren(
    ...[...grades, { grade: null, name: "Cannot tell" }].map((grade) =>
      make("button", { "aria-pressed": String(grade.grade === each.grade), onclick: () => revise(each, grade) }, grade.name)),
  );
  byId("look").showModal();
}

async function revise(each, grade) {
  const body = { topic: each.topic, doc: each.doc, grade: grade.grade, note: byId("look-note").value.trim() };
  try {
    await post("/api/mine/revise", body);
  } catch (error) {
    byId("look-trouble").textContent = `Not saved: ${error.message}.`;
    byId("look-trouble").hidden = false;
    return;
  }
  byId("look").close();
  await load();
  byId("found").textContent = `Saved: ${grade.name} for ${each.doc}`;
}

async function start() {
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    searched = new FormData(event.target).get("search").trim();
    load();
  });
  byId("more").addEventListener("click", () => load(shown.length));
  grades = (await attempt(() => get("/api/project")))?.grades ?? [];
  await load();
}

start();
