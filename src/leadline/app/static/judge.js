// The page for assessors: one key judges, saves and brings the next document.
import { Lost, get, post, wait } from "./api.js";
import { extras, unreadable } from "./document.js";
import { byId, make, markedUp, span } from "./dom.js";
import { find, marked } from "./marks.js";
import { drop, keep, kept } from "./outbox.js";
import { feedback, message } from "./notifications.js";

const RETRY = 2000;
const UNSEEN = 150; // A key pressed sooner after a document came was meant for the last one.
const LOOK_AGAIN = 5000;
const MOST_HITS = 5000;

let project = null;
let current = null;
let busy = true;
let since = 0;
let spent = 0;
let shownAt = 0;
let parts = []; // What is here of the text, which may be long: texts with their marks.
let rest = null; // Where the next part begins.
let hits = []; // What was looked for, by part.
let hit = -1;

// Time spent is time with the document in view.
const seconds = () => Math.round((spent + (since ? performance.now() - since : 0)) / 100) / 10;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    spent += since ? performance.now() - since : 0;
    since = 0;
  } else if (current) since = performance.now();
});

function say(text) {
  byId("status").textContent = text;
}

function trouble(text) {
  byId("trouble").textContent = text;
  byId("trouble").hidden = !text;
}

function progress(turn) {
  const { me } = turn;
  const parts = [`${me.judged + me.cannot_tell} judged by you`];
  if (me.per_hour) parts.push(`${Math.round(me.per_hour).toLocaleString("en")} an hour`);
  parts.push(`${turn.judged} in all`);
  if (turn.to_go?.[1]) parts.push(`${span(turn.to_go)} to go`);
  byId("progress").textContent = parts.join(" · ");
}

function showText() {
  const box = byId("text");
  if (!current.found && current.link) {
    box.replaceChildren(
      make("iframe", { src: current.link, sandbox: "", referrerpolicy: "no-referrer", title: current.doc }),
    );
    return;
  }
  const why = unreadable(current);
  box.replaceChildren(...(why ? [make("p", { class: current.found ? "quiet" : "trouble" }, why)] : []));
  if (why) return;
  parts.forEach((_, at) => appendPart(at));
  moreButton();
}

function appendPart(at) {
  const before = hits.slice(0, at).reduce((n, some) => n + some.length, 0);
  const box = make("span", {});
  // One by one: so many at once are too many for a call.
  for (const each of marked(parts[at].text, parts[at].spans, hits[at] ?? [], before)) box.append(each);
  byId("text").append(box);
}

function moreButton() {
  byId("read-on")?.remove();
  if (rest === null) return;
  const here = parts.reduce((n, part) => n + part.text.length, 0);
  const shown = `Read on: ${here.toLocaleString("en")} of ${current.length.toLocaleString("en")} characters are shown`;
  byId("text").append(make("button", { id: "read-on", onclick: () => readOn() }, shown));
}

// The next part of a long text; false if another document is shown by now.
async function readOn() {
  const { topic, doc } = current;
  const query = new URLSearchParams({ topic, doc, at: rest });
  const more = await get(`/api/text?${query}`);
  if (!current || current.doc !== doc || current.topic !== topic) return false;
  parts.push({ text: more.text, spans: more.spans });
  rest = more.rest;
  appendPart(parts.length - 1);
  moreButton();
  return true;
}

function show(turn) {
  current = turn.assignment;
  progress(turn);
  closeFind();
  byId("note").value = "";
  toggleNote(false);
  const done = !current;
  document.body.classList.toggle("done", done);
  byId("topic").hidden = done;
  for (const button of document.querySelectorAll("#grades button, #cannot, #skip")) button.disabled = done;
  byId("doc-name").textContent = done ? "" : current.doc;
  byId("doc-link").hidden = done || !current.link;
  byId("doc-more").textContent = "";
  byId("doc-extras").replaceChildren();
  if (done) {
    byId("doc-title").textContent = turn.over ? "Done" : "Nothing for now";
    byId("text").textContent = turn.reason;
    for (const id of ["topic-number", "query", "description"]) byId(id).textContent = "";
    byId("topic-guidelines").replaceChildren();
    if (!turn.over) setTimeout(() => !current && !busy && ask(), LOOK_AGAIN);
  } else {
    byId("topic-number").textContent = `${turn.training ? "Training. " : ""}Topic ${current.topic}`;
    byId("query").textContent = current.query;
    byId("description").textContent = current.description;
    byId("topic-guidelines").replaceChildren(...markedUp(current.guidelines));
    byId("doc-title").replaceChildren(...marked(current.title || current.doc, current.title_spans));
    if (current.link) byId("doc-link").href = current.link;
    parts = [{ text: current.text, spans: current.spans }];
    rest = current.rest;
    if (current.returned_by) {
      byId("doc-more").textContent = `returned by ${current.returned_by} runs, best rank ${current.best_rank}`;
    }
    byId("doc-extras").replaceChildren(...extras(current));
    showText();
  }
  spent = 0;
  since = document.hidden || done ? 0 : performance.now();
  shownAt = performance.now();
  byId("document").scrollTop = 0;
  window.scrollTo(0, 0);
  byId("document").focus({ preventScroll: true });
}

// Send until it is known to be saved. ActionRefused means it never will be: say so and go on.
async function deliver(path, body, holding) {
  busy = true;
  for (;;) {
    try {
      const turn = await post(path, body);
      drop();
      trouble("");
      show(turn);
      message(turn.message);
      feedback(turn.feedback, project.grades);
      busy = false;
      return true;
    } catch (error) {
      if (error instanceof Lost) {
        trouble(`${holding} ${error.message[0].toUpperCase()}${error.message.slice(1)}; trying again.`);
        await wait(RETRY);
      } else {
        drop();
        busy = false;
        if (error.status === 401 || error.status === 403) {
          trouble(`${error.message}. Reload the page.`);
          return false;
        }
        trouble("");
        await ask();
        say(`Not saved: ${error.message}.`);
        return false;
      }
    }
  }
}

const ask = () => deliver("/api/next", undefined, "Waiting for the next document.");

async function judge(grade, note, name) {
  if (busy || !current || performance.now() - shownAt < UNSEEN) return;
  const { topic, doc } = current;
  const said = [byId("note").value.trim(), note].filter(Boolean).join("; ");
  const item = { topic, doc, grade, note: said, seconds: seconds() };
  keep(item);
  if (await deliver("/api/judgments", item, `Not saved yet: ${name} for ${doc} is kept in this browser.`)) {
    say(`Saved: ${name} for ${doc}`);
  }
}

async function skip() {
  if (busy || !current || performance.now() - shownAt < UNSEEN) return;
  const { topic, doc } = current;
  const body = { topic, doc, note: byId("note").value.trim() };
  if (await deliver("/api/skips", body, "Not skipped yet.")) say(`Skipped: ${doc}`);
}

async function undo() {
  if (busy) return;
  const before = current && current.doc;
  if (await deliver("/api/undo", undefined, "Not undone yet.")) {
    say(current && current.doc !== before ? `Taken back: ${current.doc}` : "There is nothing to undo");
  }
}

function toggleNote(open) {
  byId("note-box").hidden = !open;
  byId("note-open").setAttribute("aria-expanded", String(open));
  if (open) byId("note").focus();
}

function openFind() {
  byId("find").hidden = false;
  byId("find-words").focus();
  byId("find-words").select();
}

function closeFind() {
  byId("find").hidden = true;
  byId("find-words").value = "";
  byId("find-count").textContent = "";
  hits = [];
  hit = -1;
}

async function look() {
  const words = byId("find-words").value;
  try {
    // All of it is looked through, so all of it must be here.
    while (words && rest !== null) if (!(await readOn())) return;
  } catch (error) {
    say(`Only the shown part was searched: ${error.message}.`);
  }
  if (words !== byId("find-words").value) return;
  let left = MOST_HITS;
  hits = parts.map((part) => {
    const found = find(part.text, words, left);
    left -= found.length;
    return found;
  });
  hit = -1;
  showText();
  nextHit(1);
}

function nextHit(step) {
  const n = hits.reduce((sum, some) => sum + some.length, 0);
  if (!n) {
    byId("find-count").textContent = byId("find-words").value ? "not found" : "";
    return;
  }
  hit = (hit + step + n) % n;
  byId("find-count").textContent = `${hit + 1} of ${n}${n === MOST_HITS ? " or more" : ""}`;
  for (const each of document.querySelectorAll("mark.hit")) {
    const now = Number(each.dataset.hit) === hit;
    each.classList.toggle("now", now);
    if (now) each.scrollIntoView({ block: "center" });
  }
}

const grades = () => project.grades;

function gradeButtons() {
  byId("grades").replaceChildren(
    ...grades().map((each) =>
      make(
        "button",
        { "data-key": each.key, title: each.meaning, onclick: () => judge(each.grade, "", each.name) },
        make("kbd", {}, each.key),
        ` ${each.name}`,
      ),
    ),
  );
  byId("help-grades").replaceChildren(
    make(
      "dl",
      {},
      ...grades().flatMap((each) => [
        make("dt", {}, make("kbd", {}, each.key)),
        make("dd", {}, make("strong", {}, each.name), `. ${each.meaning}`),
      ]),
    ),
  );
}

function cannotTell(reason) {
  byId("reasons").close();
  judge(null, reason, "cannot tell");
}

const typing = (target) => target.matches?.("input, textarea, select") ?? false;

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (byId("reasons").open) {
    const at = "1234".indexOf(event.key);
    if (!typing(event.target) && event.key.length === 1 && at >= 0) {
      event.preventDefault();
      document.querySelectorAll("[data-reason]")[at].click();
    }
    return;
  }
  if (byId("helping").open || byId("feedback").open) return;
  if (typing(event.target)) {
    if (event.key === "Escape") {
      if (event.target.id === "find-words") {
        closeFind();
        showText();
      }
      byId("document").focus({ preventScroll: true });
    }
    return;
  }
  if (event.repeat) return;
  const key = event.key === "/" ? "f" : event.key.toLowerCase();
  const button = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
  if (button && !button.disabled) {
    event.preventDefault();
    button.click();
  }
}

function listen() {
  document.addEventListener("keydown", onKey);
  byId("skip").addEventListener("click", skip);
  byId("undo").addEventListener("click", undo);
  byId("cannot").addEventListener("click", () => {
    if (busy || !current) return;
    byId("reason-text").value = "";
    byId("reasons").showModal();
  });
  for (const button of document.querySelectorAll("[data-reason]")) {
    button.addEventListener("click", () => cannotTell(button.dataset.reason));
  }
  byId("reason-send").addEventListener("click", () => cannotTell(byId("reason-text").value.trim()));
  byId("reason-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      cannotTell(byId("reason-text").value.trim());
    }
  });
  byId("note-open").addEventListener("click", () => toggleNote(byId("note-box").hidden));
  byId("find-open").addEventListener("click", () => current && openFind());
  byId("find-close").addEventListener("click", () => {
    closeFind();
    showText();
  });
  byId("find-words").addEventListener("input", look);
  byId("find").addEventListener("submit", (event) => {
    event.preventDefault();
    nextHit(1);
  });
  byId("help").addEventListener("click", () => {
    byId("helping").showModal();
    // The button at the end has the focus, and on a phone the beginning would be out of sight.
    byId("helping").scrollTop = 0;
  });
  window.addEventListener("online", () => say("The connection is back."));
  if (matchMedia("(max-width: 60rem)").matches) {
    byId("topic").open = true;
    byId("general").open = false;
  }
}

async function start() {
  for (;;) {
    try {
      project = await get("/api/project");
      break;
    } catch (error) {
      trouble(`${error.message}.`);
      if (!(error instanceof Lost)) return;
      await wait(RETRY);
    }
  }
  gradeButtons();
  byId("guidelines").replaceChildren(...markedUp(project.guidelines));
  byId("general").hidden = !project.guidelines.length;
  listen();
  const waiting = kept();
  if (waiting) {
    const said = `Not saved yet: your last judgment, for ${waiting.doc}, is kept in this browser.`;
    if (await deliver("/api/judgments", waiting, said)) say(`Saved: your last judgment, for ${waiting.doc}`);
  } else await ask();
}

start();
