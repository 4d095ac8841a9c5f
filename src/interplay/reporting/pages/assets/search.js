// The search of a site: every word must begin a word of a conversation. What is found is shown as text, never as HTML.
"use strict";

const AT_ONCE = 30; // results that are shown together
const AROUND = 90; // characters of a snippet on each side
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const entries = (globalThis.INTERPLAY_INDEX || []).map(([place, benchmark, label, model, said]) => ({
  place, benchmark, label, model, said, all: ` ${fold(`${label} ${model} ${benchmark} ${said}`)}`,
}));
const form = document.querySelector("[data-search]");
const field = document.getElementById("words");
const found = document.getElementById("found");
const results = document.getElementById("results");
const more = document.getElementById("more");
let fitting = [];
let shown = 0;

function begins(all, word) {
  for (let at = all.indexOf(word); at >= 0; at = all.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(all[at - 1] || " ")) return true;
  }
  return false;
}

// The places in a text where one of the words begins, found letter by letter because folding may change lengths.
function marked(text, words) {
  const places = [];
  const letters = [...text];
  const folded = letters.map(fold);
  for (let at = 0; at < letters.length; at += 1) {
    if (at > 0 && /[\p{L}\p{N}]/u.test(letters[at - 1])) continue;
    for (const word of words) {
      let length = 0;
      let taken = "";
      while (taken.length < word.length && at + length < letters.length) taken += folded[at + length++];
      if (taken.startsWith(word)) places.push([at, at + length]);
    }
  }
  return { letters, places };
}

function snippet(text, words) {
  const { letters, places } = marked(text, words);
  const line = document.createElement("p");
  line.className = "soft";
  line.dir = "auto";
  if (!places.length) return line;
  const from = Math.max(0, places[0][0] - AROUND);
  const to = Math.min(letters.length, places[0][1] + AROUND);
  let at = from;
  if (from > 0) line.append("… ");
  for (const [start, end] of places) {
    if (start < at || end > to) continue;
    line.append(letters.slice(at, start).join(""));
    const mark = document.createElement("mark");
    mark.textContent = letters.slice(start, end).join("");
    line.append(mark);
    at = end;
  }
  line.append(letters.slice(at, to).join(""));
  if (to < letters.length) line.append(" …");
  return line;
}

function show(words) {
  for (const one of fitting.slice(shown, shown + AT_ONCE)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = form.dataset.up + one.place.split("/").map(encodeURIComponent).join("/");
    link.textContent = one.label;
    const who = document.createElement("span");
    who.className = "soft";
    who.textContent = ` ${one.benchmark} · ${one.model}`;
    item.append(link, who, snippet(one.said, words));
    results.append(item);
  }
  shown = Math.min(fitting.length, shown + AT_ONCE);
  more.hidden = shown >= fitting.length;
}

function search() {
  const words = fold(field.value).split(/\s+/).filter(Boolean);
  results.replaceChildren();
  shown = 0;
  fitting = words.length ? entries.filter((one) => words.every((word) => begins(one.all, word))) : [];
  found.textContent = words.length ? `${fitting.length.toLocaleString("en")} found` : "";
  show(words);
  history.replaceState(null, "", words.length ? `#${encodeURIComponent(field.value)}` : location.pathname);
}

let timer = 0;
form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 120);
});
more.addEventListener("click", () => show(fold(field.value).split(/\s+/).filter(Boolean)));
try {
  field.value = decodeURIComponent(location.hash.slice(1));
} catch {
  field.value = "";
}
if (field.value) search();
field.focus();
