// A long page one section at a time: each section.view has a link, and the address says which is shown.
import { byId, make } from "./dom.js";

export function views() {
  const all = [...document.querySelectorAll("section.view")];
  const links = all.map((view) =>
    make("a", { href: `#${view.id}` }, view.dataset.view, make("span", { class: "count", id: `${view.id}-count` })),
  );
  byId("views").replaceChildren(...links);
  const show = () => {
    const chosen = all.find((view) => view.id === location.hash.slice(1)) ?? all[0];
    all.forEach((view, at) => {
      view.hidden = view !== chosen;
      if (view === chosen) links[at].setAttribute("aria-current", "page");
      else links[at].removeAttribute("aria-current");
    });
    // On a phone the row of links is wider than the screen.
    links[all.indexOf(chosen)].scrollIntoView({ block: "nearest", inline: "center" });
    window.scrollTo(0, 0);
    // What was hidden had no width to draw in.
    window.dispatchEvent(new Event("resize"));
  };
  window.addEventListener("hashchange", show);
  show();
}

// How much waits in a section, beside its name.
export function count(view, n) {
  byId(`${view}-count`).textContent = n ? n.toLocaleString("en") : "";
}
