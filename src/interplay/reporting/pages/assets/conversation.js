// Keys for a conversation: from turn to turn, to other conversations and seats. Everything is there without them.
"use strict";

(() => {
  const turns = Array.from(document.querySelectorAll(".transcript > .turn[id]"));
  const dialog = document.getElementById("keys");
  const button = document.querySelector(".keys-button");
  let here = -1;

  function mark(place) {
    if (place < 0 || place >= turns.length) return;
    if (turns[here]) turns[here].removeAttribute("aria-current");
    here = place;
    const turn = turns[here];
    turn.setAttribute("aria-current", "true");
    turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: "nearest" });
    history.replaceState(null, "", "#" + turn.id);
  }

  function step(way) {
    if (!turns.length) return;
    // from the turn that the address names, else to the first in sight
    if (here < 0) here = turns.findIndex((turn) => "#" + turn.id === location.hash);
    if (here < 0) {
      const seen = turns.findIndex((turn) => turn.getBoundingClientRect().bottom > 90);
      mark(seen < 0 ? turns.length - 1 : seen);
    } else if (here + way >= turns.length) {
      follow(".steps a.onward");
    } else {
      mark(here + way);
    }
  }

  function reachesOn(way) {
    // a turn that is higher than the window is read to its end before the next: the page scrolls as ever
    if (here < 0) return false;
    const box = turns[here].getBoundingClientRect();
    const isOn = way > 0 ? box.bottom > window.innerHeight : box.top < 60;
    if (isOn) window.scrollBy(0, way * 60);
    return isOn;
  }

  function follow(wanted) {
    const link = document.querySelector(wanted);
    if (link) link.click();
  }

  function nextSeat() {
    const views = Array.from(document.querySelectorAll('.views[aria-label="As seen by"] a'));
    const now = views.findIndex((view) => view.hasAttribute("aria-current"));
    if (views.length > 1) views[(now + 1) % views.length].click();
  }

  function explanations() {
    const all = Array.from(document.querySelectorAll("details.why"));
    const opens = all.some((one) => !one.open);
    for (const one of all) one.open = opens;
  }

  function showKeys() {
    if (dialog && !dialog.open) dialog.showModal();
  }

  const KEYS = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => reachesOn(1) || step(1), ArrowUp: () => reachesOn(-1) || step(-1),
    n: () => follow('a[rel="next"]'), p: () => follow('a[rel="prev"]'),
    s: nextSeat, e: explanations, "?": showKeys,
  };

  function isTyping(target) {
    return target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role='group'][tabindex]") !== null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if ((dialog && dialog.open) || isTyping(event.target)) return;
    const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (act) {
      event.preventDefault();
      act();
    }
  });

  window.addEventListener("hashchange", () => {
    if (turns[here] && "#" + turns[here].id !== location.hash) {
      turns[here].removeAttribute("aria-current");
      here = -1;
    }
  });

  if (button && dialog) {
    button.hidden = false;
    button.addEventListener("click", showKeys);
  }
})();
