// What was judged and is not known to be saved, kept in this browser until it is.

const key = () => `leadline ${document.body.dataset.base ?? ""} ${document.body.dataset.who}`;

export function keep(item) {
  try {
    localStorage.setItem(key(), JSON.stringify(item));
  } catch {
    // Without storage it is kept for as long as the page is open.
  }
}

export function kept() {
  try {
    return JSON.parse(localStorage.getItem(key()));
  } catch {
    return null;
  }
}

export function drop() {
  try {
    localStorage.removeItem(key());
  } catch {
    // It was never stored.
  }
}
