// People as the organiser sees them: invited, with which state, reset, closed.
import { get, post } from "./api.js";
import { attempt, sure } from "./asking.js";
import { drawPeople } from "./campaign.js";
import { byId, make, refill, table } from "./dom.js";

const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
const STATES = { active: "active", invited: "invited", expired: "no link works", closed: "closed" };

function showSecret(made) {
  const text = made.token
    ? `Token for ${made.person.name}, shown only now:`
    : `Send this link to ${made.person.name}; it works once, for seven days:`;
  byId("invited").replaceChildren(make("p", {}, text), make("code", { class: "secret" }, made.token ?? made.link));
}

function draw(list) {
  drawPeople(list);
  const change = (path, name, then, question, yes) => async () => {
    if (question && !(await sure(question, yes))) return;
    const made = await attempt(() => post(path, { name }));
    if (!made) return;
    then(made);
    await people();
  };
  const withdrawn = (made) => byId("invited").replaceChildren(`Tokens withdrawn: ${made.withdrawn}`);
  const state = (each) => (each.state === "invited" ? `invited, until ${day(each.until)}` : STATES[each.state]);
  refill(byId("people"),
    table(["name", "role", "kind", "state", "last judged", ""],
      list.map((each) => [each.name, each.role, each.kind, state(each), each.seen ? each.seen.slice(0, 16).replace("T", " ") : "–",
        make("span", { class: "row" },
          make("button", {
            "data-is": `reset ${each.name}`,
            onclick: change("/api/people/reset", each.name, showSecret,
              each.state === "active" ? `Make a new ${each.kind === "machine" ? "token" : "link"} for ${each.name}? What lets them in now ends at once.` : "", "Make it"),
          }, each.kind === "machine" ? "New token" : "New link"),
          make("button", { "data-is": `withdraw ${each.name}`, onclick: change("/api/people/withdraw", each.name, withdrawn) }, "Withdraw tokens"),
          each.closed ? null : make("button", {
            "data-is": `close ${each.name}`,
            onclick: change("/api/people/close", each.name, () => byId("invited").replaceChildren(`${each.name} is closed.`),
              `Close ${each.name}? What they have open ends at once, their topics are free for others. Their judgments stay.`, "Close"),
          }, "Close"),
        )]), "People"),
  );
}

export async function people() {
  const list = await attempt(() => get("/api/people"), null);
  if (list) draw(list);
}

export function listenToInvitations() {
  byId("invite").addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const made = await attempt(() => post("/api/people", Object.fromEntries(new FormData(form))));
    if (!made) return;
    form.reset();
    showSecret(made);
    await people();
  });
  // Who came in meanwhile is seen when the section is opened.
  window.addEventListener("hashchange", () => {
    if (location.hash === "#accounts") people();
  });
}
