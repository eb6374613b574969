"use strict";
// Asks for the regions of the page every second and replaces those that changed; what comes is escaped by the server.
const here = document.body.dataset.here;
const regions = ["sidebar", "messages", "thread", "modal"];
const shown = {};
let asked = 0, placed = 0;
document.documentElement.classList.add("script");

function busy(region) {
  const active = document.activeElement;
  const writing = region.contains(active) && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName);
  return writing || region.querySelector("details[open]") !== null;
}

function place(name, html) {
  const region = document.getElementById(name);
  if (shown[name] === html || (name !== "modal" && shown[name] !== undefined && busy(region))) return;
  const first = shown[name] === undefined;
  shown[name] = html;
  if (first && region.innerHTML.trim() === html.trim()) return;
  const low = region.scrollHeight - region.scrollTop - region.clientHeight < 80;
  const key = document.activeElement && document.activeElement.value;
  const inside = region.contains(document.activeElement);
  region.innerHTML = html;
  if (inside && key) [...region.querySelectorAll("button")].find((each) => each.value === key)?.focus();
  if (name === "modal") region.querySelector("dialog input:not([type=hidden]), dialog textarea, dialog select, dialog button")?.focus();
  if (low || first) region.scrollTop = region.scrollHeight;
}

async function refresh() {
  const turn = ++asked;
  try {
    const answer = await fetch(`/parts?${here}`);
    if (!answer.ok) return;
    const parts = await answer.json();
    // An answer that was overtaken by a newer one would put back what is gone, and take away what is being typed.
    if (turn < placed) return;
    placed = turn;
    for (const name of regions) place(name, parts[name]);
  } catch (error) {
    // The sandbox was stopped: the page keeps what it has and asks again.
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.getAttribute("action") === "/open-app" || form.closest(".install")) return;
  event.preventDefault();
  if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) return;
  const data = new FormData(form, event.submitter);
  const modal = document.getElementById("modal-form");
  if (modal && form !== modal && form.closest("dialog") && form.getAttribute("action") === "/act")
    for (const [name, value] of new FormData(modal)) if (name.startsWith("f:")) data.append(name, value);
  form.closest("details")?.removeAttribute("open");
  const text = form.querySelector("textarea[name=typed]");
  if (text) text.value = "";
  await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(data), redirect: "manual" });
  document.activeElement?.closest("dialog") && document.activeElement.blur();
  await refresh();
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form.pick");
  if (form) form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && event.target.name === "typed") {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
  if (event.key === "Escape") document.querySelector("dialog .modal-end form[action='/close']")?.requestSubmit();
});

for (const id of ["messages", "thread"]) {
  const region = document.getElementById(id);
  region.scrollTop = region.scrollHeight;
}
refresh();
setInterval(refresh, 1000);
