// Organising many people: topics, gold questions, messages, settings, the log.
import { base, get, post } from "./api.js";
import { attempt, sure } from "./asking.js";
import { byId, make, refill, table } from "./dom.js";
import { count } from "./views.js";

let grades = [];
let people = [];
let topics = [];
let logged = [];

const whole = (n) => n.toLocaleString("en");
const percent = (share) => `${Math.round(share * 100)}%`;
const when = (time) => time.slice(0, 16).replace("T", " ");
const gradeName = (grade) => grades.find((each) => each.grade === grade)?.name ?? String(grade);

// Topics.

function drawTopics(list) {
  topics = list;
  drawLoads(list);
  const chosen = new Set([...document.querySelectorAll("#topics input:checked")].map((each) => each.value));
  refill(byId("topics"), table(["topic", "query", "judged", "of", "whose"],
    list.map((each) => {
      const box = make("input", { type: "checkbox", value: each.topic, "data-is": each.topic, "aria-label": `Topic ${each.topic}` });
      box.checked = chosen.has(each.topic);
      const whose = each.people.length ? `${each.people.join(", ")}${each.taken ? " (taken)" : ""}` : "–";
      return [make("span", { class: "row" }, box, each.topic), each.query, whole(each.judged), whole(each.pairs), whose];
    }), "Topics"));
}

// How much each person has to judge of assigned topics.
function drawLoads(list) {
  const loads = new Map();
  for (const each of list) for (const who of each.people) {
    const [n, left] = loads.get(who) ?? [0, 0];
    loads.set(who, [n + 1, left + each.left]);
  }
  const names = [...loads.keys()].sort();
  byId("loads").replaceChildren(...names.map((who) => {
    const [n, left] = loads.get(who);
    return make("span", { class: "load", "data-who": who }, make("strong", {}, who), ` ${n} topic${n === 1 ? "" : "s"}, ${whole(left)} to judge`);
  }));
}

async function balance(form) {
  const selected = [...byId("assign-people").selectedOptions].map((each) => each.value);
  const names = selected.length ? selected : people.filter((each) => each.role === "assessor").map((each) => each.name);
  if (!names.length) {
    byId("assigned").textContent = "Invite assessors first.";
    return;
  }
  const made = await attempt(() => post("/api/topics/balance", { people: names, keep: form.elements.keep.checked }));
  if (!made) return;
  drawTopics(made);
  byId("assigned").textContent = `Topics are assigned evenly to ${names.length === 1 ? "1 person" : `${names.length} people`}.`;
  log();
}

async function assign(names) {
  const chosen = [...document.querySelectorAll("#topics input:checked")].map((each) => each.value);
  if (!chosen.length) {
    byId("assigned").textContent = "Select topics first.";
    return;
  }
  const made = await attempt(() => post("/api/topics/assign", { topics: chosen, people: names }));
  if (!made) return;
  for (const each of document.querySelectorAll("#topics input:checked")) each.checked = false;
  drawTopics(made);
  byId("assigned").textContent = `${chosen.length} topic${chosen.length === 1 ? "" : "s"}: ${names.join(", ") || "open to everybody"}.`;
  log();
}

function drawPeople(list) {
  people = list.filter((each) => each.kind === "person" && each.role !== "group" && !each.closed);
  const select = byId("assign-people");
  const before = new Set([...select.selectedOptions].map((each) => each.value));
  select.replaceChildren(...people.map((each) => make("option", { value: each.name, selected: before.has(each.name) }, each.name)));
  select.size = Math.min(6, Math.max(2, people.length));
}

// Gold questions.

function drawGold(list) {
  const remove = (each) => async () => {
    if (!(await sure(`Remove the gold question ${each.doc}? Its answers are kept.`, "Remove"))) return;
    const made = await attempt(() => post("/api/gold/remove", { topic: each.topic, doc: each.doc }));
    if (made) drawGold(made);
    log();
  };
  refill(byId("gold"), list.length ? table(["document", "topic", "grade", "use", "answered", "right", "why", ""],
    list.map((each) => [each.doc, each.topic, gradeName(each.grade), each.training ? "training" : "mixed in", whole(each.answered),
      each.answered ? percent(each.right / each.answered) : "–", each.why,
      make("button", { "data-is": `gold ${each.topic} ${each.doc}`, onclick: remove(each) }, "Remove")]), "Gold questions")
    : make("p", { class: "quiet" }, "None yet."));
}

// How people judge, and how gold questions were answered; it comes with what the organiser sees live.
export function quality(now) {
  drawGold(now.gold);
  const list = now.agreement.people ?? [];
  const flagged = list.filter((each) => each.flags.length);
  count("work", flagged.length);
  const share = (part, n) => (n ? `${percent(part / n)} of ${whole(n)}` : "–");
  refill(byId("quality"), list.length ? table(["assessor", "agrees", "gold right", "seconds", "drift", "flags"],
    list.map((each) => [each.who, share(each.same, each.compared), share(each.right, each.gold),
      each.seconds === null ? "–" : each.seconds.toFixed(1), each.drift === null ? "–" : percent(-each.drift),
      make("span", { class: each.flags.length ? "flag" : "quiet" }, each.flags.join("; ") || "none")]), "Quality of judgments")
    : make("p", { class: "quiet" }, "Nobody has judged yet."));
}

// Messages, settings, the log.

function drawMessages(list) {
  const withdraw = (each) => async () => {
    const made = await attempt(() => post("/api/messages/withdraw", { number: each.id }));
    if (made) drawMessages(made);
    log();
  };
  refill(byId("messages"), ...(list.length ? list.map((each) => make("div", { class: "dispute" },
    make("span", {}, each.text), make("span", { class: "quiet" }, `${each.who}, ${when(each.time)}`),
    each.withdrawn ? make("span", { class: "quiet" }, "withdrawn")
      : make("button", { "data-is": `message ${each.id}`, onclick: withdraw(each) }, "Withdraw")))
    : [make("p", { class: "quiet" }, "None yet.")]));
}

function field(each) {
  const common = { name: each.name, id: `set-${each.name}`, "aria-describedby": `about-${each.name}` };
  if (each.choices.length) {
    const made = make("select", common, ...each.choices.map((choice) => make("option", {}, choice)));
    made.value = each.value;
    return made;
  }
  if (typeof each.value === "boolean") {
    const made = make("input", { ...common, type: "checkbox" });
    made.checked = each.value;
    return made;
  }
  const made = make("input", { ...common, autocomplete: "off", maxlength: 500, ...(typeof each.value === "number" ? { type: "number", step: "any" } : {}) });
  made.value = String(each.value);
  return made;
}

let known = [];
function drawSettings(list) {
  known = list;
  const row = (each) => make("div", { class: "setting" },
    make("label", { for: `set-${each.name}` }, each.name.replaceAll("_", " ")), field(each),
    make("span", { class: "quiet", id: `about-${each.name}` }, each.about));
  const parts = [...new Set(list.map((each) => each.part))];
  byId("settings-fields").replaceChildren(...parts.map((part) => make("fieldset", {},
    make("legend", {}, part), ...list.filter((each) => each.part === part).map(row))));
}

function drawGuidelines({ text, trouble }) {
  const form = byId("guidelines-form");
  form.elements.text.value = text;
  form.elements.text.disabled = Boolean(trouble);
  byId("guidelines-saved").textContent = trouble;
}

function scaleRow(each) {
  const input = (name, value, more) => make("input", { name, value: String(value ?? ""), "aria-label": `${name} of grade ${each.grade ?? "new"}`, autocomplete: "off", ...more });
  return make("div", { class: "grade-row" },
    input("grade", each.grade, { type: "number", min: 0, max: 1000, required: true }),
    input("name", each.name, { maxlength: 60, placeholder: "name" }),
    input("key", each.key, { maxlength: 1, placeholder: "key" }),
    input("meaning", each.meaning, { maxlength: 500, placeholder: "meaning" }));
}

function drawScale(list) {
  grades = list;
  byId("gold-grade").replaceChildren(...list.map((each) => make("option", { value: each.grade }, each.name)));
  byId("scale-fields").replaceChildren(...list.map(scaleRow));
}

function changes(form) {
  const found = {};
  for (const each of known) {
    const box = form.elements[each.name];
    const value = typeof each.value === "boolean" ? box.checked : typeof each.value === "number" ? Number(box.value) : box.value;
    if (value !== each.value) found[each.name] = value;
  }
  return found;
}

function drawLog(list, more) {
  logged = more ? [...logged, ...list] : list;
  refill(byId("log"), logged.length ? table(["when", "who", "did", "about"],
    logged.map((each) => [when(each.time), each.who, each.act, each.about]), "Log") : null);
  byId("log-more").hidden = list.length < 100;
}

async function log() {
  const list = await attempt(() => get("/api/log"), null);
  if (list) drawLog(list, false);
}

function submitted(id, work) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    work(event.target);
  });
}

function listen() {
  submitted("assign", (form) => assign([...form.elements.people.selectedOptions].map((each) => each.value)));
  submitted("balance", balance);
  byId("assign-nobody").addEventListener("click", () => assign([]));
  submitted("gold-add", async (form) => {
    const asked = new FormData(form);
    const body = { topic: asked.get("topic").trim(), doc: asked.get("doc").trim(), grade: Number(asked.get("grade")), note: asked.get("why").trim(), training: asked.get("use") === "training" };
    const made = await attempt(() => post("/api/gold", body));
    if (!made) return;
    form.reset();
    drawGold(made);
    log();
  });
  submitted("gold-several", async (form) => {
    const asked = new FormData(form);
    const made = await attempt(() => post("/api/gold/several", { text: asked.get("text"), training: asked.get("use") === "training" }));
    if (!made) return;
    // What was typed meanwhile stays.
    if (form.elements.text.value === asked.get("text")) form.elements.text.value = "";
    drawGold(made);
    log();
  });
  submitted("guidelines-form", async (form) => {
    const made = await attempt(() => post("/api/guidelines", { text: form.elements.text.value }));
    if (!made) return;
    drawGuidelines(made);
    byId("guidelines-saved").textContent = "Saved.";
    log();
  });
  byId("scale-add").addEventListener("click", () => {
    const next = 1 + Math.max(...grades.map((each) => each.grade), ...[...byId("scale-fields").querySelectorAll("[name=grade]")].map((each) => Number(each.value)));
    byId("scale-fields").append(scaleRow({ grade: next, name: "", key: String(next % 10), meaning: "" }));
  });
  submitted("scale-form", async () => {
    const rows = [...byId("scale-fields").children].map((row) => {
      const value = (name) => row.querySelector(`[name=${name}]`).value.trim();
      return { grade: Number(value("grade")), name: value("name"), key: value("key"), meaning: value("meaning") };
    });
    const made = await attempt(() => post("/api/scale", { grades: rows.filter((each) => each.name) }));
    if (!made) return;
    drawScale(made);
    byId("scale-saved").textContent = "Saved. Assessors see it when they load their page again.";
    log();
  });
  submitted("message", async (form) => {
    const made = await attempt(() => post("/api/messages", { text: new FormData(form).get("text").trim() }));
    if (!made) return;
    form.reset();
    drawMessages(made);
    log();
  });
  submitted("settings-form", async (form) => {
    const wanted = changes(form);
    if (!Object.keys(wanted).length) {
      byId("settings-saved").textContent = "Nothing was changed.";
      return;
    }
    byId("settings-saved").textContent = "";
    const made = await attempt(() => post("/api/settings", { changes: wanted }));
    if (!made) return;
    drawSettings(made);
    byId("settings-saved").textContent = `Saved: ${Object.keys(wanted).join(", ").replaceAll("_", " ")}.`;
    log();
  });
  byId("hours").addEventListener("click", () => make("a", { href: `${base}/api/hours`, download: "" }).click());
  byId("log-more").addEventListener("click", async () => {
    const list = await attempt(() => get(`/api/log?before=${logged.at(-1).id}`));
    if (list) drawLog(list, true);
  });
}

export { drawPeople };

export async function campaign(project) {
  drawScale(project?.grades ?? []);
  listen();
  const parts = { "/api/topics": drawTopics, "/api/gold": drawGold, "/api/messages": drawMessages, "/api/settings": drawSettings, "/api/guidelines": drawGuidelines };
  for (const [path, show] of Object.entries(parts)) {
    const found = await attempt(() => get(path), null);
    if (found) show(found);
  }
  await log();
}

// What others did since is seen when a section is opened.
window.addEventListener("hashchange", async () => {
  if (location.hash === "#topic-list") {
    const list = await attempt(() => get("/api/topics"), null);
    if (list) drawTopics(list);
  }
  if (location.hash === "#logged") log();
});
