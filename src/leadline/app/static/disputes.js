// Disagreements: every one can be reached, read with its guidelines, decided by a key, and undone.
import { get, post } from "./api.js";
import { attempt } from "./asking.js";
import { extras, unreadable } from "./document.js";
import { byId, make, markedUp, refill } from "./dom.js";
import { marked } from "./marks.js";
import { count } from "./views.js";

let project = { grades: [], guidelines: [] };
let redraw = () => {};
let seen = "";
let list = [];
let total = 0;
let open = null;
let decided = false;

export function withProject(found, draw) {
  project = found;
  redraw = draw;
  byId("disputes-decided").addEventListener("change", (event) => {
    decided = event.target.checked;
    load();
  });
  document.addEventListener("keydown", onKey);
}

const name = (grade) => (grade === null ? "cannot tell" : project.grades.find((each) => each.grade === grade)?.name ?? String(grade));
const said = (each) => each.votes.map((vote) => `${vote.who}${vote.kind === "machine" ? " (machine)" : ""}: ${name(vote.grade)}${vote.note ? ` (${vote.note})` : ""}`).join(" · ");

export function disputes(standing) {
  count("disagreements", standing.disputed);
  const key = JSON.stringify([standing.disputed, standing.disputes]);
  if (key === seen) return;
  seen = key;
  load();
}

async function load(at = 0) {
  const query = new URLSearchParams({ at, decided });
  const found = await attempt(() => get(`/api/disputes?${query}`), null);
  if (!found) return;
  list = at ? [...list, ...found.disputes] : found.disputes;
  total = found.total;
  draw();
}

function draw() {
  const rows = list.map((each) =>
    make("div", { class: "dispute" },
      make("button", { class: "plain", "data-is": `${each.topic} ${each.doc}`, onclick: () => look(each) }, `Topic ${each.topic}, ${each.doc}`),
      make("span", { class: "quiet" }, [said(each), each.decided === null ? "" : `decided: ${name(each.decided)}`].filter(Boolean).join(" → ")),
      make("span", { class: "row" }, ...(decided
        ? [make("button", { "data-is": `undo ${each.topic} ${each.doc}`, onclick: () => undo(each) }, "Undo")]
        : project.grades.map((grade) =>
            make("button", { "data-is": `${grade.grade} ${each.topic} ${each.doc}`, onclick: () => decide(each, grade.grade) }, grade.name)))),
    ));
  const more = list.length < total
    ? make("button", { "data-is": "more", onclick: () => load(list.length) }, `Show more: ${list.length} of ${total.toLocaleString("en")} are shown`)
    : null;
  refill(byId("disputes"), ...(rows.length ? rows : [make("p", { class: "quiet" }, "None.")]), more);
}

async function decide(each, grade) {
  const made = await attempt(() => post("/api/adjudications", { topic: each.topic, doc: each.doc, grade }));
  if (!made) return;
  const at = list.indexOf(each);
  redraw(made);
  await load();
  refill(byId("disputes-last"), make("span", {}, `${each.doc}: ${name(grade)}. `),
    make("button", { "data-is": "undo", onclick: () => undo(each) }, "Undo"));
  if (byId("look").open) {
    const next = list[at];
    byId("look").close();
    if (next) look(next);
  }
}

async function undo(each) {
  const made = await attempt(() => post("/api/adjudications/undo", { topic: each.topic, doc: each.doc }));
  if (!made) return;
  byId("disputes-last").replaceChildren(`Undone: ${each.doc} is as people judged it.`);
  redraw(made);
  await load();
}

async function look(each) {
  const query = new URLSearchParams({ topic: each.topic, doc: each.doc });
  const found = await attempt(() => get(`/api/document?${query}`));
  if (!found) return;
  open = each;
  byId("look-title").replaceChildren(...marked(found.title || found.doc, found.title_spans));
  byId("look-topic").textContent = [`Topic ${found.topic}`, found.query, found.description].filter(Boolean).join(". ");
  byId("look-votes").textContent = said(each);
  byId("look-grades").replaceChildren(...project.grades.map((grade) =>
    make("button", { type: "button", title: grade.meaning, onclick: () => decide(each, grade.grade) }, make("kbd", {}, grade.key), ` ${grade.name}`)));
  const guidelines = [...project.guidelines, ...found.guidelines];
  byId("look-guidelines").hidden = !guidelines.length;
  byId("look-guidelines-text").replaceChildren(...markedUp(guidelines));
  const why = unreadable(found);
  byId("look-text").replaceChildren(...extras(found), ...(why ? [why] : marked(found.text, found.spans)));
  if (found.rest !== null) byId("look-text").append(make("p", { class: "quiet" }, `The beginning, of ${found.length.toLocaleString("en")} characters.`));
  if (!byId("look").open) byId("look").showModal();
  // The first button takes the focus, and on a phone the title would be out of sight.
  byId("look").scrollTop = 0;
  byId("look-text").scrollTop = 0;
}

function onKey(event) {
  if (!byId("look").open || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const grade = project.grades.find((each) => each.key === event.key.toLowerCase());
  if (grade && open) {
    event.preventDefault();
    decide(open, grade.grade);
  }
}
