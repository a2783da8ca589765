// People as the organiser sees them: invited, with which state, reset, closed.
import { base, get, post } from "./api.js";
import { attempt, sure } from "./asking.js";
import { drawPeople } from "./campaign.js";
import { byId, make, refill, table } from "./dom.js";

const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
const STATES = { active: "active", invited: "invited", expired: "no link works", closed: "closed" };

function copyButton(text, label, name) {
  const button = make("button", { type: "button", "aria-label": name ?? label }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      // Without https a browser copies nothing by itself: the text is selected, for Ctrl-C.
      const shown = button.parentElement.querySelector("code") ?? byId("invited").querySelector("code");
      if (shown) getSelection().selectAllChildren(shown);
      button.textContent = "Press Ctrl-C";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
  return button;
}

function showSecret(made) {
  const text = made.token
    ? `Token for ${made.person.name}, shown only now:`
    : `Send this link to ${made.person.name}; it works once, for seven days:`;
  const secret = made.token ?? made.link;
  byId("invited").replaceChildren(make("p", {}, text),
    make("p", { class: "row" }, make("code", { class: "secret" }, secret), copyButton(() => secret, "Copy")));
}

const cell = (text) => (/^['=+\-@\t]/.test(text) ? `"'${text.replaceAll('"', '""')}"` : /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Links of several people: shown only now, so that they can be copied and kept as a file.
function showLinks(all) {
  const csv = () => ["name,role,link", ...all.map((each) => [each.person.name, each.person.role, each.link].map(cell).join(","))].join("\n") + "\n";
  const save = make("button", { type: "button" }, "Save as csv");
  save.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    make("a", { href: url, download: "invitations.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
  byId("invited").replaceChildren(
    make("p", {}, `Send each of these ${all.length} people their link. Each works once, for seven days, and is shown only now.`),
    make("p", { class: "row" }, save, copyButton(csv, "Copy all as csv")),
    make("div", { class: "stack wide", tabindex: "0", role: "region", "aria-label": "Links" },
      table(["name", "link", ""], all.map((each) => [each.person.name, make("code", { class: "secret" }, each.link),
        copyButton(() => each.link, "Copy", `Copy the link of ${each.person.name}`)]), "Links")));
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
      list.map((each) => [each.role === "group" ? make("a", { href: `${base}/group?group=${encodeURIComponent(each.name)}` }, each.name) : each.name, each.role, each.kind, state(each), each.seen ? each.seen.slice(0, 16).replace("T", " ") : "–",
        make("span", { class: "row" },
          make("button", {
            "data-is": `reset ${each.name}`,
            onclick: change("/api/people/reset", each.name, showSecret,
              each.state === "active" ? `Make a new ${each.kind === "machine" ? "token" : "link"} for ${each.name}? The present one and open pages stop working at once.` : "", "Make it"),
          }, each.kind === "machine" ? "New token" : "New link"),
          make("button", { "data-is": `withdraw ${each.name}`, onclick: change("/api/people/withdraw", each.name, withdrawn) }, "Withdraw tokens"),
          each.closed ? null : make("button", {
            "data-is": `close ${each.name}`,
            onclick: change("/api/people/close", each.name, () => byId("invited").replaceChildren(`${each.name} is closed.`),
              `Close the account ${each.name}? Open pages stop working at once, and the topics are free for others. The judgments stay.`, "Close"),
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
    const asked = Object.fromEntries(new FormData(form));
    const names = asked.name.split(/[\n,;]/).map((name) => name.trim()).filter(Boolean);
    const several = names.length > 1;
    if (several && asked.kind === "machine") {
      byId("invited").textContent = "Invite machines one at a time: each gets a token.";
      return;
    }
    const made = await attempt(() => (several
      ? post("/api/people/several", { names, role: asked.role })
      : post("/api/people", { ...asked, name: names[0] ?? "" })));
    if (!made) return;
    form.reset();
    if (several) showLinks(made);
    else showSecret(made);
    await people();
  });
  // Who came in meanwhile is seen when the section is opened.
  window.addEventListener("hashchange", () => {
    if (location.hash === "#accounts") people();
  });
}
