// The page for the organiser: it draws whatever the server sends, whenever it changes.
import { base, get, post, postFile } from "./api.js";
import { attempt, sure } from "./asking.js";
import { campaign, quality } from "./campaign.js";
import { falling, intervals } from "./charts.js";
import { disputes, withProject } from "./disputes.js";
import { byId, make, put, refill, span, table } from "./dom.js";
import { listenToInvitations, people } from "./people.js";
import { publishing } from "./publish.js";
import { views } from "./views.js";

const REFUSED_FOR = 15000;
let last = null;

const whole = (n) => n.toLocaleString("en");
const percent = (share) => `${Math.round(share * 100)}%`;
const number = (value, digits = 2) => (value === null ? "–" : value.toFixed(digits));
const width = (id) => Math.max(300, Math.min(900, byId(id).clientWidth || 600));

function verdict(now) {
  const leader = now.runs.find((run) => run.leads);
  const others = now.runs.filter((run) => run.may && !run.leads);
  const told = now.judged > 0 && leader.lower > 0;
  const short = now.short.length
    ? ` Ranks beyond the ends of their lists leave open more than they lack: ${now.short.slice(0, 5).join(", ")}.`
    : "";
  if (!told) {
    put("verdict", "No relevant document yet");
    put("verdict-more", `Each of the ${now.runs.length} runs can still be the best.`);
  } else if (!others.length) {
    put("verdict", `${leader.run} is certain to be best`);
    put("verdict-more", `No other run can be better, whatever the unjudged documents are.${short}`);
  } else {
    put("verdict", `${leader.run} leads`);
    const names = others.length <= 5 ? `: ${others.map((run) => run.run).join(", ")}` : "";
    const runs = others.length === 1 ? "1 run" : `${others.length} runs`;
    put("verdict-more", `${runs} may still overtake it${names}.`);
  }
  certainty(now.outlook);
  byId("two-runs").hidden = !now.two_runs;
  put("two-runs-line", [now.two_runs, now.two_runs && now.reason].filter(Boolean).map((part) => `${part}.`).join(" "));
}

// Certain, likely or open, by the model of the judgments; the words and colours come with the page.
function certainty(outlook) {
  const word = byId("sure");
  word.hidden = byId("sure-more").hidden = !outlook;
  if (!outlook) return;
  word.className = `certainty-${outlook.certainty}`;
  put("sure", outlook.certainty);
  const chance = `${outlook.leader} leads: probability ${outlook.probability.toFixed(2)} that no run is better by more than ${outlook.within}`;
  const held = outlook.held ? `. Caveat: ${outlook.held}` : "";
  put("sure-more", outlook.certainty === "certain" ? "No judgment can change who is best." : `By a model of the judgments, ${chance}${held}.`);
}

function numbers(now) {
  const others = now.runs.filter((run) => run.may && !run.leads).length;
  const tile = (value, label, id) =>
    make("div", { class: "tile" }, make("span", { class: "big", id }, value), make("span", { class: "quiet" }, label));
  const { outlook } = now;
  const about = (n) => (n ? `≈ ${whole(n)}` : "0");
  // What ended two runs stands above, with their interval.
  const ended = now.two_runs && now.reason ? "judgments to go" : now.reason;
  const { progress } = now;
  const goal = now.reason ? "0" : progress.to_judge === null ? "–" : span(progress.to_judge);
  const rule = now.stop ? `judgments to go until ${now.stop}` : progress.pool ? "judgments to go until the pool is judged" : "no stopping rule: you end the judging";
  byId("numbers").replaceChildren(
    tile(whole(now.judged - now.given), `judged here${now.given ? `, ${whole(now.given)} before` : ""}`, "n-judged"),
    tile(String(others), "runs may still overtake the leader", "n-others"),
    tile(`${Math.floor((100 * now.judged) / Math.max(1, now.pairs))}%`, `of ${whole(now.pairs)} pairs ${progress.pool ? "in the pool" : "returned by any run"}`, "n-share"),
    tile(goal, ended ? ended : rule, "n-to-go"),
    tile(now.reason ? "0" : duration(progress.hours), pace(progress), "n-time"),
    ...(outlook
      ? [
          tile(about(outlook.to_likely), "judgments to go until the best run is likely", "n-likely"),
          ...(now.stop.startsWith("WinnerCertain")
            ? []
            : [tile(about(outlook.to_certain), "judgments to go until it is certain", "n-certain")]),
        ]
      : []),
    outlook && outlook.left
      ? tile(outlook.after_budget.toFixed(2), `probability to expect of the best run when the budget is spent, ${whole(outlook.left)} from now`, "n-budget")
      : "",
  );
}

// Hours at least and at most, as people say them.
function duration(hours) {
  if (hours === null) return "–";
  const shown = (n) => {
    if (n >= 48) return `${whole(Math.round(n / 24))} days`;
    if (n >= 10) return `${Math.round(n)} h`;
    const minutes = Math.round(n * 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  };
  const [least, most] = hours.map(shown);
  return least === most ? least : `${least} to ${most}`;
}

function pace(progress) {
  if (progress.per_hour === null) return "to finish: known after a few judgments";
  const by = progress.people === 1 ? "1 person" : `${progress.people} people`;
  return `to finish at ${whole(progress.per_hour)} judgments an hour (${by}, last half hour of work)`;
}

function shares(now) {
  const cell = (share) => {
    const made = make("span", { class: "heat", "data-heat": String(Math.round(share * 10)) }, percent(share));
    return made;
  };
  const head = ["run", ...now.depths.map((depth) => `top ${depth}`)];
  refill(byId("shares"),
    table(head, now.runs.map((run) => [run.run, ...run.share.map(cell)]), "Judged share by run and rank"),
  );
}

function assessors(now) {
  const rows = now.assessors.map((each) => [
    make("span", {}, each.who, each.kind === "machine" ? make("span", { class: "chip machine" }, "machine") : null),
    whole(each.judged), whole(each.cannot_tell), whole(each.skipped), whole(each.undone),
    each.per_hour === null ? "–" : whole(each.per_hour), number(each.seconds, 1), String(each.has),
  ]);
  const head = ["assessor", "judged", "cannot tell", "skipped", "undone", "an hour", "seconds each", "has now"];
  refill(byId("assessors"),
    rows.length ? table(head, rows, "Assessors") : make("p", { class: "quiet" }, "Nobody has judged yet."),
    now.machine_judgments
      ? make("p", { class: "quiet" }, `Labels by machines: ${whole(now.machine_judgments)}. They never count as judgments. Orders and estimates use them as evidence after the next start of the server.`)
      : null ?? "",
  );
}

// Whose judgments can be exported as qrels: people's, merged, or one machine's alone.
function machines(now) {
  const names = now.assessors.filter((each) => each.kind === "machine").map((each) => each.who).sort();
  const select = byId("export-machine");
  const shown = [...select.options].slice(1).map((each) => each.value);
  if (shown.join("\n") === names.join("\n")) return;
  const chosen = select.value;
  select.replaceChildren(make("option", { value: "" }, "people's"), ...names.map((name) => make("option", { value: name }, `${name}'s alone`)));
  select.value = names.includes(chosen) ? chosen : "";
}

function agreement(now) {
  const { alpha, alpha_pairs: n, pairs, grades: scale } = now.agreement;
  const parts = [];
  parts.push(
    make("p", {}, n ? `Krippendorff's alpha between people (ordinal grades): ${number(alpha, 3)} on ${n === 1 ? "1 document" : `${whole(n)} documents`} that several people judged.`
      : "No document is judged by several people yet."),
  );
  if (pairs.length) {
    const confusion = (each) =>
      make("details", { "data-is": `${each.first} ${each.second}` }, make("summary", { "data-is": `of ${each.first} ${each.second}` }, "show"),
        table([`${each.first} \\ ${each.second}`, ...scale.map(String)],
          each.confusion.map((row, at) => [String(scale[at]), ...row.map(String)]), "Confusion"));
    parts.push(table(["two assessors", "kind", "documents", "same grade", "Cohen's kappa", "confusion"],
      pairs.map((each) => [
        `${each.first}, ${each.second}`,
        each.machine ? make("span", { class: "chip machine" }, "machine") : "people",
        whole(each.n), percent(each.same), number(each.kappa, 3), confusion(each),
      ]), "Agreement of every two assessors"));
  }
  refill(byId("agreement"), ...parts);
}

function draw(now) {
  last = now;
  document.body.dataset.version = String(now.version);
  verdict(now);
  numbers(now);
  byId("measure").textContent = `${now.measure}, mean over topics`;
  byId("legend-unpooled").hidden = now.runs.every((run) => run.pooled);
  refill(byId("intervals"), intervals(now.runs, width("intervals")));
  refill(byId("falling"), falling(now.falling, width("falling")));
  shares(now);
  assessors(now);
  machines(now);
  agreement(now);
  disputes(now);
  quality(now);
  byId("end-text").textContent = now.ended
    ? `Judging was ended by ${now.ended}. Nobody can judge until you open it again.`
    : "Nobody can judge after the end. You can open judging again.";
  byId("end").textContent = now.ended ? "Open judging again" : "End judging";
}

function imports(list) {
  const undo = (number) => async () => {
    if (!(await sure(`Undo import ${number}, with all its judgments?`, "Undo it"))) return;
    const now = await attempt(() => post("/api/imports/undo", { number }));
    if (!now) return;
    draw(now);
    imports((await attempt(() => get("/api/imports"))) ?? list);
  };
  refill(byId("imports"), list.length ? table(["import", "by", "when", "judgments", ""],
    list.map((each) => [`${each.id} (${each.form})`, each.who, each.time.slice(0, 16).replace("T", " "), whole(each.added),
      each.undone ? "undone" : make("button", { onclick: undo(each.id) }, "Undo")]), "Imports") : null);
}

function listen() {
  byId("end").addEventListener("click", async () => {
    if (!last?.ended && !(await sure("End judging for everybody? Nobody can judge until you open it again.", "End judging"))) return;
    const now = await attempt(() => post("/api/end", { ended: !last?.ended }));
    if (now) draw(now);
  });
  listenToInvitations();
  publishing();
  byId("export").addEventListener("submit", (event) => {
    event.preventDefault();
    const query = new URLSearchParams([...new FormData(event.target)].filter(([, value]) => value));
    const link = make("a", { href: `${base}/api/export?${query}`, download: "" });
    link.click();
  });
  byId("import").addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const query = new URLSearchParams({ format: form.get("format"), by: form.get("who") });
    byId("imported").textContent = "Importing…";
    const done = await attempt(() => postFile(`/api/import/file?${query}`, form.get("file")));
    byId("imported").textContent = "";
    if (!done) return;
    imports((await attempt(() => get("/api/imports"))) ?? []);
    byId("imported").textContent = `Added ${whole(done.added)} judgments, ${whole(done.elsewhere)} of them of documents that no run returns.`;
  });
  let drawn = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(drawn);
    drawn = requestAnimationFrame(() => last && draw(last));
  });
}

function live() {
  const source = new EventSource(`${base}/api/events`);
  const say = (text, on) => {
    byId("live").textContent = text;
    byId("live").classList.toggle("on", on);
  };
  source.addEventListener("open", () => say("live", true));
  source.addEventListener("error", () => {
    say("connection lost, trying again", false);
    // ActionRefused for now: browsers do not ask again by themselves.
    if (source.readyState === EventSource.CLOSED) setTimeout(live, REFUSED_FOR);
  });
  source.addEventListener("standing", (event) => draw(JSON.parse(event.data)));
}

async function start() {
  views();
  listen();
  const project = await attempt(() => get("/api/project"));
  withProject(project ?? { grades: [], guidelines: [] }, draw);
  await people();
  await campaign(project);
  imports((await attempt(() => get("/api/imports"))) ?? []);
  live();
}

start();
