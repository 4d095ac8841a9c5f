// A game: moves are sent without leaving the page, and sent again until the server has them; while the others speak, the
// page looks again by itself. Without this script, form and links work as they are.
"use strict";

const AGAIN = 1000; // milliseconds between two tries
const PATIENCE = 15000; // for an answer
let turn = 0; // of what was asked for last; what was asked for before is given up
let timer = 0;
let shown = document.querySelector("main").innerHTML; // as the server drew it
const folded = new Map(); // what somebody folded or unfolded, by its title

const status = () => document.getElementById("play-status");
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function tell(text) {
  const place = status();
  place.textContent = text;
  place.hidden = !text;
}

async function ask(address, body) {
  const mine = ++turn;
  for (let tries = 1; mine === turn; tries += 1) {
    try {
      const sent = body ? { method: "POST", body: new URLSearchParams(body) } : {};
      const answer = await fetch(address, { ...sent, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) });
      if (answer.status < 500) {
        const html = await answer.text();
        return mine === turn ? html : null;
      }
    } catch {
      // no answer, or half of one
    }
    if (mine === turn) {
      tell(body
        ? "No answer from the server. What you wrote is kept here and will be sent as soon as it is back; leave this page open."
        : "No answer from the server. The game goes on as soon as it is back.");
    }
    await pause(AGAIN);
  }
  return null;
}

async function go(address, body) {
  clearTimeout(timer);
  document.querySelector("form[data-move] button")?.setAttribute("aria-busy", "true");
  const html = await ask(address, body);
  if (html === null) return;
  const drawn = new DOMParser().parseFromString(html, "text/html");
  const fresh = drawn.querySelector("main");
  if (!fresh) {
    tell("The server does not let this page in any longer.");
    return;
  }
  if (fresh.innerHTML === shown && !body) { // whoever reads meanwhile is not disturbed
    tell("");
    begin();
    return;
  }
  shown = fresh.innerHTML;
  const wasMyTurn = Boolean(document.querySelector("form[data-move]"));
  document.title = drawn.title;
  document.querySelector("main").replaceWith(document.adoptNode(fresh));
  begin();
  const isMyTurn = Boolean(document.querySelector("form[data-move]"));
  if (body || (isMyTurn && !wasMyTurn)) {
    const field = document.querySelector("form[data-move] textarea, form[data-move] input:not([type=hidden])");
    (field || document.querySelector("#over") || document.querySelector("main")).scrollIntoView({ block: "nearest" });
    field?.focus({ preventScroll: true });
    if (isMyTurn && !wasMyTurn) tell("It is your turn.");
  }
}

function begin() {
  for (const part of document.querySelectorAll("main details")) {
    const title = part.querySelector("summary").textContent;
    if (folded.has(title)) part.open = folded.get(title);
  }
  for (const hint of document.querySelectorAll("[data-enter]")) hint.hidden = false;
  for (const link of document.querySelectorAll("a[data-absolute]")) link.textContent = link.href;
  for (const button of document.querySelectorAll("[data-copies]")) button.hidden = !navigator.clipboard;
  const table = document.querySelector("[data-look-again]");
  const seconds = Number(table?.dataset.lookAgain || 0);
  clearTimeout(timer);
  if (seconds > 0) timer = setTimeout(() => go(table.dataset.address), seconds * 1000);
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-move]");
  if (!form) return;
  event.preventDefault();
  go(form.action, new FormData(form));
});
document.addEventListener("keydown", (event) => {
  const field = event.target.closest("textarea[data-sends]");
  if (!field || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (field.form.reportValidity()) field.form.requestSubmit();
});
document.addEventListener("click", (event) => {
  const title = event.target.closest("summary");
  if (title) folded.set(title.textContent, !title.parentElement.open);
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.parentElement.querySelector("a[data-absolute]").href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it by hand";
  }
});
begin();
