// Labelling: answers are sent without leaving the page, so that nothing chosen is lost while the server is away. A page
// that comes back takes the place of the one that is there. Without this script, form and links work as they are.
"use strict";

const AGAIN = 1000; // milliseconds between two tries
const PATIENCE = 8000; // for an answer
const notice = document.getElementById("label-status");
const NOT_SENT = "No answer from the server. Your answers are kept here and are sent as soon as it is back; leave this page open.";
const NOT_THERE = "No answer from the server. The page comes as soon as it is back.";
let isChanging = false; // were all questions answered before?
let turn = 0; // of what was asked for last; what was asked for before is given up

// --- what is kept in this browser until the server has it ---

function keep(form) {
  const chosen = [...new FormData(form)].filter(([name]) => name !== "seen");
  try {
    localStorage.setItem(place(form), JSON.stringify({ seen: form.elements.seen.value, chosen }));
  } catch {
    // a browser may forbid it; the page itself still has everything
  }
}

function forget(form) {
  try {
    localStorage.removeItem(place(form));
  } catch {
    // nothing was kept then
  }
}

function bringBack(form) {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(place(form)) || "null");
  } catch {
    return;
  }
  if (!kept) return;
  if (kept.seen !== form.elements.seen.value) {
    forget(form); // something was said of this conversation since
    return;
  }
  let changed = false;
  for (const [name, value] of kept.chosen) {
    const field = form.elements.namedItem(name);
    if (field && field.value !== value) {
      field.value = value;
      changed = true;
    }
  }
  if (changed) tell("Your answers from before are chosen again. They were not sent yet: submit them when you are done.");
}

const place = (form) => `interplay ${new URL(form.action).pathname}`;

// --- asking the server, until it answers ---

function tell(text) {
  if (notice.textContent !== text) notice.textContent = text; // what is read out is read out once
  notice.hidden = !text;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function ask(address, body) {
  const mine = ++turn;
  while (mine === turn) {
    try {
      const sent = body ? { method: "POST", body: new URLSearchParams(body) } : {};
      const answer = await fetch(address, { ...sent, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) });
      if (answer.status < 500) {
        const html = await answer.text();
        return mine === turn ? { url: answer.url, ok: answer.ok, html } : null;
      }
    } catch {
      // no answer, or half of one
    }
    if (mine === turn) tell(body ? NOT_SENT : NOT_THERE);
    await pause(AGAIN);
  }
  return null;
}

async function go(address, body, form) {
  const button = form?.querySelector("button[type=submit]");
  button?.setAttribute("aria-busy", "true");
  const answer = await ask(address, body);
  button?.removeAttribute("aria-busy");
  if (!answer) return;
  if (form && answer.ok) forget(form);
  const drawn = new DOMParser().parseFromString(answer.html, "text/html");
  const main = drawn.querySelector("main");
  if (!main) return;
  tell("");
  if (answer.url !== location.href) history.pushState(null, "", answer.url);
  document.title = drawn.title;
  document.querySelector("main").replaceWith(document.adoptNode(main));
  begin();
  scrollTo({ top: 0, behavior: "instant" });
  document.querySelector("main").focus({ preventScroll: true });
}

// --- the form, and its keys ---

const form = () => document.querySelector("form[data-label]");
const questions = () => [...document.querySelectorAll("[data-asked]")];
const isAnswered = (one) => Boolean(one.querySelector("input:checked") || one.querySelector("input[type=number]")?.value);

function point(one) {
  for (const other of questions()) other.classList.toggle("current", other === one);
}

// The question that a key is for after this one: where all are answered, and so are being changed, the next in order.
function following(one) {
  const after = questions().slice(questions().indexOf(one) + 1);
  const open = isChanging ? after : [...after, ...questions()].filter((other) => !isAnswered(other));
  return open[0] || null;
}

function choose(key) {
  const one = document.activeElement.closest?.("[data-asked]") || document.querySelector("[data-asked].current");
  const options = [...(one?.querySelectorAll("input[type=radio]") || [])];
  const isYesOrNo = options.length === 2 && options.every((option) => option.value === "0" || option.value === "1");
  let wanted = key;
  if (key === "y" || key === "n") wanted = isYesOrNo ? { y: "1", n: "0" }[key] : "";
  else if (key === "0" && !options.some((option) => option.value === "0")) wanted = "10";
  const found = options.find((option) => option.value === wanted);
  if (!found) return false;
  found.checked = true;
  keep(form());
  const next = following(one);
  point(next);
  const target = next?.querySelector("input:checked") || next?.querySelector("input") || form().querySelector("button[type=submit]");
  target.focus({ preventScroll: true });
  (next || target).scrollIntoView({ block: "nearest" });
  return true;
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !form()) return;
  const field = event.target;
  if (field instanceof HTMLInputElement && field.type !== "radio") return;
  if (/^[0-9yn]$/.test(event.key) && choose(event.key)) event.preventDefault();
  else if (event.key === "b") document.querySelector("[data-back]")?.click();
  else if (event.key === "Enter" && (field === document.body || field.tagName === "MAIN")) {
    event.preventDefault();
    form().requestSubmit();
  }
}

function begin() {
  const here = form();
  for (const one of document.querySelectorAll("[data-keys]")) one.hidden = false;
  if (!here || "takeBack" in here.dataset) return;
  isChanging = questions().every(isAnswered);
  bringBack(here);
  point(questions().find((one) => isChanging || !isAnswered(one)) || null);
}

document.addEventListener("submit", (event) => {
  const sent = event.target.closest("form[data-label]");
  if (!sent) return;
  event.preventDefault();
  if (!("takeBack" in sent.dataset)) keep(sent);
  go(sent.action, new FormData(sent), sent);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-go]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.href);
});
document.addEventListener("change", (event) => {
  const sent = event.target.closest("form[data-label]");
  if (!sent) return;
  keep(sent);
  point(questions().find((one) => !isAnswered(one)) || null);
});
document.addEventListener("keydown", onKey);
window.addEventListener("popstate", () => go(location.href));
begin();
