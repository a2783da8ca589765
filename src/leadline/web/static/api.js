// Requests to our own server. Lost means that nobody knows whether it arrived: send it again.

export class Lost extends Error {}

export class Refused extends Error {
  constructor(status, body) {
    super(body.error || `error ${status}`);
    this.status = status;
    this.code = body.code || "";
  }
}

const csrf = () => document.body.dataset.csrf;

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Lost("no connection to the server");
  }
  if (response.status >= 500 || response.status === 429) {
    throw new Lost(response.status === 429 ? "the server is busy" : "the server has a problem");
  }
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Lost("the answer was cut off");
  }
  if (!response.ok) throw new Refused(response.status, body);
  return body;
}

export const get = (path) => answer(path, {});

export const post = (path, body) =>
  answer(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Leadline-CSRF": csrf() },
    body: body === undefined ? undefined : JSON.stringify(body),
    keepalive: true,
  });

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));
