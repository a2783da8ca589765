// What people are told: messages of the organiser, and how they did on a gold question.
import { byId } from "./dom.js";

const key = () => `leadline read ${document.body.dataset.base ?? ""} ${document.body.dataset.who}`;

function lastRead() {
  try {
    return Number(localStorage.getItem(key()) ?? 0);
  } catch {
    return 0;
  }
}

export function message(told) {
  const box = byId("message");
  box.hidden = !told || told.id <= lastRead();
  if (box.hidden) return;
  if (byId("message-text").textContent !== told.text) byId("message-text").textContent = told.text;
  byId("message-close").onclick = () => {
    try {
      localStorage.setItem(key(), String(told.id));
    } catch {
      // Without storage it comes again with the next document.
    }
    box.hidden = true;
  };
}

export function feedback(answer, grades) {
  if (!answer) return;
  const name = (grade) => (grade === null ? "Cannot tell" : grades.find((each) => each.grade === grade)?.name ?? String(grade));
  const right = answer.said === answer.grade;
  byId("feedback-title").textContent = right ? "Right" : `It is ${name(answer.grade)}`;
  byId("feedback-said").textContent = `${answer.doc}: you said ${name(answer.said)}${right ? ", as expected" : ""}.`;
  byId("feedback-why").textContent = answer.why;
  byId("feedback").showModal();
}
