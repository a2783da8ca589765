// Questions before what cannot be taken back lightly, and errors where the button is.
import { make } from "./dom.js";

let pressed = null;
for (const kind of ["click", "submit"]) {
  document.addEventListener(kind, (event) => {
    pressed = event.target.closest?.("button, form") ?? pressed;
  }, true);
}

function forget() {
  for (const each of document.querySelectorAll(".near")) each.remove();
}

function tellNear(text, where) {
  forget();
  const told = make("p", { class: "trouble near", role: "alert" }, text);
  const place = where?.isConnected ? where.closest("form.row, td, .dispute, dialog form, dialog, section") : null;
  if (!place) return false;
  if (place.matches("td, .dispute, dialog, section")) place.append(told);
  else place.after(told);
  return true;
}

// Show what a request brings; say why if it brings nothing, beside what was pressed.
export async function attempt(what, where = pressed) {
  try {
    const answer = await what();
    forget();
    const top = document.getElementById("trouble");
    if (top) top.hidden = true;
    return answer;
  } catch (error) {
    const text = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
    if (!tellNear(text, where)) {
      const top = document.getElementById("trouble");
      if (top) {
        top.textContent = text;
        top.hidden = false;
      }
    }
    return null;
  }
}

// Whether somebody really wants it; Esc and a click on Back say no.
export function sure(question, yes) {
  const asked = make("dialog", { class: "sure", "aria-labelledby": "sure-question" },
    make("form", { method: "dialog" },
      make("p", { id: "sure-question" }, question),
      make("div", { class: "row" },
        make("button", { value: "yes", class: "danger" }, yes),
        make("button", { value: "", autofocus: true }, "Back"))));
  document.body.append(asked);
  const before = document.activeElement;
  asked.showModal();
  return new Promise((done) => {
    asked.addEventListener("close", () => {
      asked.remove();
      before?.focus?.();
      done(asked.returnValue === "yes");
    });
  });
}
