// The edit of a file, kept in the browser until the file has its text.

const key = (name) => `tilewright: edit of ${name}`;

/** The kept edit of a file: its text, and the file's text when it began; null if there is none. */
export function kept(name) {
  try {
    const draft = JSON.parse(localStorage.getItem(key(name)));
    return typeof draft?.text === "string" && typeof draft.base === "string" ? draft : null;
  } catch {
    return null;
  }
}

/** Keeps an edit; false if the browser has no room for it. */
export function keep(name, draft) {
  try {
    localStorage.setItem(key(name), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** Forgets the edit of a file. */
export function forget(name) {
  try {
    localStorage.removeItem(key(name));
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
