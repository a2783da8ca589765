// The leaderboard: made from the final judgments, looked at, and published to the groups.
import { get, post } from "./api.js";
import { attempt, sure } from "./asking.js";
import { byId, make } from "./dom.js";

const LOOK_AGAIN = 1500;
let published = false;

const STAGES = { none: "", "being made": "is being made…", ready: "is ready.", failed: "could not be made: " };

function draw(now) {
  published = now.published;
  const left = (n, one, several) => (n ? `${n.toLocaleString("en")} ${n === 1 ? one : several}` : "");
  const open = [
    left(now.to_judge, "judgment to go", "judgments to go"),
    left(now.disputed, "disagreement to adjudicate", "disagreements to adjudicate"),
    now.flagged.length ? `flagged assessors: ${now.flagged.join(", ")}` : "",
    now.ended ? "" : "judging has not ended",
  ].filter(Boolean);
  byId("before-publication").replaceChildren(...(open.length ? open.map((each) => make("li", {}, `Still open: ${each}.`)) : [make("li", {}, "Everything is judged and decided.")]));
  byId("board-make").disabled = now.stage === "being made";
  byId("board-stage").textContent = now.stage === "none" ? "" : `The leaderboard ${STAGES[now.stage]}${now.trouble}`;
  byId("board-look").hidden = byId("board-qrels").hidden = now.stage !== "ready";
  byId("board-publish").textContent = published ? "Withdraw the leaderboard from the groups" : "Publish to the groups";
  byId("board-publish").disabled = !published && now.stage !== "ready";
  byId("board-published").textContent = published ? "Every group sees the leaderboard of all runs." : "Each group sees its own runs only.";
  if (now.stage === "being made") setTimeout(refresh, LOOK_AGAIN);
}

async function refresh() {
  const now = await attempt(() => get("/api/leaderboard"), null);
  if (now) draw(now);
}

export function publishing() {
  byId("board-make").addEventListener("click", async () => {
    const now = await attempt(() => post("/api/leaderboard"));
    if (now) draw(now);
  });
  byId("board-publish").addEventListener("click", async () => {
    if (!published && !(await sure("Publish the leaderboard? Every group sees the scores of all runs.", "Publish"))) return;
    const made = await attempt(() => post("/api/settings", { changes: { published: !published } }));
    if (made) await refresh();
  });
  window.addEventListener("hashchange", () => {
    if (location.hash === "#ending") refresh();
  });
  refresh();
}
