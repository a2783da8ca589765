// Requests to our own server. Lost means that nobody knows whether it arrived: send it again.

export class Lost extends Error {}

export class ActionRefused extends Error {
  constructor(status, body) {
    super(body.error || `error ${status}`);
    this.status = status;
    this.code = body.code || "";
  }
}

// Where this project is, beside others on the same server.
export const base = document.body.dataset.base ?? "";

const csrf = () => document.body.dataset.csrf;

async function answer(path, options) {
  let response;
  try {
    response = await fetch(`${base}${path}`, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Lost("no connection to the server");
  }
  const later = response.status >= 500 || response.status === 429;
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Lost(later ? "the server has a problem" : "the answer was cut off");
  }
  if (later) throw new Lost(body.error || "the server has a problem");
  if (!response.ok) throw new ActionRefused(response.status, body);
  return body;
}

export const get = (path) => answer(path, {});

const OUTLIVES = 60000; // Browsers let a request outlive its page only if it is small.

export const post = (path, body) => {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return answer(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Leadline-CSRF": csrf() },
    body: text,
    keepalive: (text ?? "").length < OUTLIVES / 3,
  });
};

export const postFile = (path, file) =>
  answer(path, { method: "POST", headers: { "Content-Type": "text/plain", "X-Leadline-CSRF": csrf() }, body: file });

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));
