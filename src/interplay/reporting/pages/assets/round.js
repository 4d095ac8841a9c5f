// The page of a round: the links of raters in full, and buttons that copy them.
"use strict";

for (const link of document.querySelectorAll("a[data-address]")) link.textContent = link.href;

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue; // only where the page came safely, from this machine or by https
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = document.querySelector("[data-copied]");
    try {
      await navigator.clipboard.writeText(new URL(button.dataset.copy, location.href).href);
      said.textContent = "Copied.";
      button.firstChild.textContent = "Copied";
    } catch {
      said.textContent = "It could not be copied; select the link instead.";
    }
  });
}
