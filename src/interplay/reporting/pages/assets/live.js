// Parts of a page that are kept up to date: <section data-live="ADDRESS">. What is at the address, a piece of HTML made by
// this server, takes the place of the section's content. In it, data-live-next says in how many seconds to look again
// (0: never; where nothing says so, 2), and data-live-says is read out where it has changed. What is hidden on the page
// and has data-live-changed comes into sight as soon as the section says something else than when the page was opened.
"use strict";

const USUAL = 2;
const PATIENCE = 10000;
const LOST = "No answer from the server, trying again.";
const GONE = "The server no longer lets this page in, or what it shows is gone. Reload it.";

function watch(section) {
  const address = section.dataset.live;
  const body = document.createElement("div");
  const lost = document.createElement("p");
  const told = document.createElement("p");
  let timer = 0;
  let asking = null;
  let over = false;
  let drawn = "";

  body.append(...section.childNodes);
  lost.className = "note-box lost";
  lost.hidden = true;
  told.className = "only-screen-reader";
  told.setAttribute("role", "status");
  told.setAttribute("aria-live", "polite");
  section.append(lost, body, told);
  const atFirst = wordsOf(body);

  const says = () => body.querySelector("[data-live-says]")?.dataset.liveSays || "";
  const pause = () => {
    const said = Number(body.querySelector("[data-live-next]")?.dataset.liveNext ?? USUAL);
    return Number.isFinite(said) ? said : USUAL;
  };

  function say(text) {
    if (told.textContent !== text) told.textContent = text;
  }

  function later(seconds) {
    clearTimeout(timer);
    if (!over && !document.hidden) timer = setTimeout(ask, seconds * 1000);
  }

  function isInUse() {
    const chosen = document.getSelection();
    return Boolean(chosen && !chosen.isCollapsed && chosen.anchorNode && body.contains(chosen.anchorNode));
  }

  function show(html) {
    if (html === drawn || isInUse()) return;
    drawn = html;
    const before = says();
    const focused = body.contains(document.activeElement) ? nameOf(document.activeElement) : "";
    const opened = new Set([...body.querySelectorAll("details[open][id]")].map((one) => one.id));
    const scrolled = new Map([...body.querySelectorAll(".wide[aria-label]")].map((one) => [one.ariaLabel, one.scrollLeft]));
    const made = document.createElement("template");
    made.innerHTML = html;
    body.replaceChildren(made.content);
    for (const one of body.querySelectorAll("details[id]")) one.open = one.open || opened.has(one.id);
    for (const one of body.querySelectorAll(".wide[aria-label]")) one.scrollLeft = scrolled.get(one.ariaLabel) || 0;
    if (focused) {
      const same = [...body.querySelectorAll("a, button, summary, input, select, textarea, [tabindex]")];
      same.find((one) => nameOf(one) === focused)?.focus({ preventScroll: true });
    }
    if (before && says() !== before) say(says());
    if (wordsOf(body) !== atFirst) for (const one of document.querySelectorAll("[data-live-changed]")) one.hidden = false;
  }

  function found(html) {
    if (!lost.hidden) {
      lost.hidden = true;
      say("The server answers again.");
    }
    show(html);
    const seconds = pause();
    if (seconds > 0) later(seconds);
    else over = true;
  }

  function failed(line) {
    lost.textContent = line;
    lost.hidden = false;
    say(line);
  }

  async function ask() {
    if (asking || over) return;
    asking = new AbortController();
    const limit = setTimeout(() => asking?.abort(), PATIENCE);
    try {
      const answer = await fetch(address, { signal: asking.signal, cache: "no-store", credentials: "same-origin" });
      if (answer.ok) found(await answer.text());
      else if (answer.status === 403 || answer.status === 404) {
        over = true;
        failed(GONE);
      } else throw new Error(String(answer.status));
    } catch {
      failed(LOST);
      later(USUAL);
    } finally {
      clearTimeout(limit);
      asking = null;
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else later(0);
  });
  if (pause() > 0) later(pause());
  else over = true;
}

// What tells an element from the others in its section, also after it was drawn anew.
function nameOf(element) {
  return [element.tagName, element.id, element.getAttribute("href") || "", element.getAttribute("name") || "",
    element.getAttribute("aria-label") || "", element.tagName === "SUMMARY" ? element.textContent.trim() : ""].join(" ");
}

function wordsOf(element) {
  return element.textContent.replace(/\s+/g, " ").trim();
}

for (const section of document.querySelectorAll("[data-live]")) watch(section);
