// What the browser keeps for this page and the next: few words, by name.

/** What is kept under a name, or "". @param {string} name */
export function kept(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch { // a page without storage
    return "";
  }
}

/** Keep a text under a name. @param {string} name @param {string} text */
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch { /* a page without storage forgets */ }
}
