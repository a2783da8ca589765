// What a group sees: its own runs, what was judged of them, and all runs once that is published.
import { get } from "./api.js";
import { attempt } from "./asking.js";
import { intervals } from "./charts.js";
import { byId, make, refill, table } from "./dom.js";

const whole = (n) => n.toLocaleString("en");
const percent = (part, n) => (n ? `${Math.round((100 * part) / n)}%` : "–");
const LOOK_AGAIN = 15000;

const pooled = (run) => (run.pooled ? "pooled" : make("span", { class: "unpooled" }, "unpooled"));

function draw(now) {
  byId("name").textContent = `Group ${now.group}`;
  byId("measure").textContent = `${now.measure}, mean over topics`;
  byId("status").textContent = now.published ? "The leaderboard is published."
    : "Judging goes on: scores change with every judgment. Other groups' runs are shown when the organiser publishes the leaderboard.";
  byId("published").hidden = !now.page;
  const width = Math.max(300, Math.min(900, byId("bars").clientWidth || 600));
  refill(byId("bars"), intervals(now.runs.map((run) => ({ ...run, projected: null, leads: false, may: true })), width));
  const depths = now.depths.slice(0, 3);
  const returned = now.pool ? "in the pool" : "to judge";
  refill(byId("runs"), table(["run", "pooled", "lower bound", "upper bound", "topics", "documents", returned, "judged", ...depths.map((depth) => `top ${depth} judged`)],
    now.runs.map((run) => [run.run, pooled(run), run.lower.toFixed(4), run.upper.toFixed(4), whole(run.topics), whole(run.documents),
      whole(run.to_judge), `${whole(run.judged)} (${percent(run.judged, run.to_judge)})`, ...run.share.slice(0, depths.length).map((share) => `${Math.round(100 * share)}%`)]), "Your runs"));
  const [pairs, judged] = [now.topics.reduce((n, each) => n + each.pairs, 0), now.topics.reduce((n, each) => n + each.judged, 0)];
  byId("topics-words").textContent = `${whole(judged)} of ${whole(pairs)} topic-document pairs ${now.pool ? "of the pool " : ""}that your runs return are judged (${percent(judged, pairs)}).`;
  refill(byId("topics"), table(["topic", "query", "your documents", "judged"],
    now.topics.map((each) => [each.topic, each.query, whole(each.pairs), `${whole(each.judged)} (${percent(each.judged, each.pairs)})`]), "Topics"));
  byId("all").hidden = !now.published;
  refill(byId("leaderboard"), now.published ? table(["run", "group", "pooled", "lower bound", "upper bound"],
    now.leaderboard.map((run) => [run.run, run.group, pooled(run), run.lower.toFixed(4), run.upper.toFixed(4)]), "All runs") : null);
}

async function look() {
  const query = location.search.startsWith("?group=") ? location.search : "";
  const now = await attempt(() => get(`/api/group${query}`), null);
  if (now) draw(now);
}

look();
setInterval(() => document.hidden || look(), LOOK_AGAIN);
