// What a document has besides its text: an image, and fields that the project's template shows.
import { base } from "./api.js";
import { make } from "./dom.js";

export function extras({ topic, doc, title, fields, image }) {
  const made = [];
  if (image) {
    const picture = make("img", { src: `${base}/api/image?${new URLSearchParams({ topic, doc })}`, alt: `Image of ${title || doc}` });
    picture.addEventListener("error", () => picture.replaceWith(make("p", { class: "quiet" }, "The image cannot be shown.")));
    made.push(picture);
  }
  if (fields.length) {
    const rows = fields.flatMap(([label, value]) => [make("dt", {}, label), make("dd", { dir: "auto" }, value)]);
    made.push(make("dl", { class: "fields" }, ...rows));
  }
  return made;
}

// Why there is no text to read; empty where there is one.
export function unreadable({ found, trouble, length, title, fields, image }) {
  if (!found) return `${trouble || "The text of this document is not here."} You can skip it, or say that you cannot tell.`;
  if (!length && (title || image || fields.length)) return "This document has no other text.";
  return length ? "" : "This document is empty. You can judge it as it is, skip it, or say that you cannot tell.";
}
