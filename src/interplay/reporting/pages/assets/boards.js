// Boards that can be sorted, filtered by model, and shown with the columns one wants. Without this file they are complete
// tables. Which columns are shown is kept in this browser, board by board.
(() => {
  "use strict";

  const made = (tag, className, text) => {
    const found = document.createElement(tag);
    if (className) found.className = className;
    if (text) found.textContent = text;
    return found;
  };

  // Storage may be closed to this page, as it is to files in some browsers: then nothing is kept.
  const kept = {
    read(key) {
      try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
    },
    write(key, value) {
      try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* nothing is kept */ }
    },
  };

  function compare(one, other) {
    const first = Number(one), second = Number(other);
    if (!Number.isNaN(first) && !Number.isNaN(second)) return first - second;
    return one.localeCompare(other, undefined, { numeric: true });
  }

  function makeSortable(table, heads, say) {
    const body = table.tBodies[0];
    const before = [...body.rows];
    const held = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent.trim();

    function order(at, way) {
      const rows = [...before];
      if (way) {
        rows.sort((one, other) => {
          const first = held(one, at), second = held(other, at);
          if (!first || !second) return first ? -1 : second ? 1 : 0; // what has no value stays last
          return way === "ascending" ? compare(first, second) : compare(second, first);
        });
      }
      body.append(...rows);
    }

    heads.forEach((head, at) => {
      const button = made("button", "sort", head.textContent.trim());
      button.type = "button";
      head.replaceChildren(button);
      const first = head.classList.contains("text") || head.dataset.key.startsWith("rank") ? "ascending" : "descending";
      const second = first === "ascending" ? "descending" : "ascending";
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const next = now === first ? second : now === second ? "" : first;
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        order(at, next);
        say(next ? `Sorted by ${button.textContent}, ${next}.` : "In the board's own order.");
      });
    });
  }

  function makeFilter(table, say) {
    const rows = [...table.tBodies[0].rows];
    const label = made("label", "find", "Find");
    const field = made("input");
    field.type = "search";
    field.placeholder = `${table.tHead.rows[0].cells[0].textContent.trim()} name`;
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const name = row.cells[0].textContent.toLowerCase();
        row.hidden = !words.every((word) => name.includes(word));
        if (!row.hidden) shown += 1;
      }
      say(words.length ? `${shown} of ${rows.length} shown.` : "");
    });
    label.append(field);
    return label;
  }

  function makeChoice(table, heads) {
    const key = `interplay columns ${table.dataset.sorts}`;
    let said = kept.read(key) ?? {}; // what somebody chose, column by column; others are as usual
    const isShown = (head) => said[head.dataset.key] ?? !head.classList.contains("detail");

    const details = made("details");
    const choices = made("div", "choices");
    details.append(made("summary", "", "Columns"), choices);

    const boxes = heads.slice(1).map((head) => {
      const label = made("label");
      const box = made("input");
      box.type = "checkbox";
      box.addEventListener("change", () => {
        said[head.dataset.key] = box.checked;
        kept.write(key, said);
        show();
      });
      label.title = head.title;
      label.append(box, head.textContent.trim());
      choices.append(label);
      return box;
    });

    function show() {
      heads.slice(1).forEach((head, at) => {
        const off = !isShown(head);
        boxes[at].checked = !off;
        head.hidden = off;
        for (const row of table.tBodies[0].rows) row.cells[at + 1].hidden = off;
      });
    }

    const again = made("button", "plain", "As usual");
    again.type = "button";
    again.addEventListener("click", () => {
      said = {};
      kept.write(key, said);
      show();
    });
    choices.append(again);

    details.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && details.open) {
        details.open = false;
        details.querySelector("summary").focus();
      }
    });
    document.addEventListener("click", (event) => {
      if (!details.contains(event.target)) details.open = false;
    });
    show();
    return details;
  }

  function equip(table) {
    const heads = [...table.tHead.rows[0].cells];
    const tools = made("div", "tools");
    const told = made("span", "told");
    told.setAttribute("role", "status");
    const say = (text) => { told.textContent = text; };
    const filter = makeFilter(table, say);
    const choice = makeChoice(table, heads);
    makeSortable(table, heads, say);
    tools.append(filter, choice, told);
    table.closest(".wide").before(tools);
  }

  for (const table of document.querySelectorAll("table[data-sorts]")) {
    if (table.tHead && table.tBodies.length) equip(table);
  }

  // A page that waits for a board looks again by itself, unless nobody sees it or somebody is about to choose something.
  const waiting = document.querySelector("[data-reload]");
  if (waiting) {
    const look = () => {
      const busy = document.hidden || document.activeElement?.matches("input, summary, button");
      if (!busy) location.reload();
    };
    setInterval(look, 1000 * Number(waiting.dataset.reload));
  }

  // A link to a group that stands apart opens it.
  const open = () => {
    const found = document.querySelector("details:target");
    if (found) found.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
