// One message: who, what, cards, and what can be done with it.
import { drawCard } from "./cards.js";
import { textOf } from "./texts.js";

function made(tag, className, text = "") {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}

function button(text, label, click) {
  const shown = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  if (label) shown.setAttribute("aria-label", label);
  shown.addEventListener("click", click);
  return shown;
}

/** `act(name, body)`: does something as the person of the page. */
export function drawMessage(message, act) {
  const shown = made("article", message.byBot ? "bot" : "person");
  shown.dataset.id = message.id;
  if (message.thread) shown.dataset.thread = message.thread;
  if (message.streaming) shown.classList.add("streaming");
  shown.append(head(message));
  if (message.text) shown.append(textOf(message));
  for (const each of message.cards) shown.append(drawCard(each, (what, inputs) => act("click", { message: message.id, what, inputs })));
  for (const each of message.files) shown.append(made("p", "file", each));
  if (message.suggestions.length) shown.append(suggestions(message, act));
  shown.append(foot(message, act));
  return shown;
}

function head(message) {
  const shown = made("p", "by");
  shown.append(made("strong", "", message.author));
  if (message.byBot) shown.append(made("span", "badge", "App"));
  if (message.ai) shown.append(made("span", "badge ai", "AI generated"));
  const time = made("time", "", new Date(message.at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }));
  time.dateTime = message.at;
  shown.append(time);
  if (message.edited) shown.append(made("small", "", "Edited"));
  return shown;
}

function suggestions(message, act) {
  const shown = made("div", "suggestions");
  shown.append(...message.suggestions.map((each) => button(each, "", () => act("click", { message: message.id, what: each }))));
  return shown;
}

function foot(message, act) {
  const shown = made("div", "foot");
  if (message.streaming) shown.append(button("Stop", "", () => act("stop")));
  if (message.feedback) shown.append(...["like", "dislike"].map((each) => thumb(message, each, act)));
  if (!message.streaming) shown.append(more(message, act));
  return shown;
}

function thumb(message, rating, act) {
  const [sign, label] = rating === "like" ? ["👍", "Like"] : ["👎", "Dislike"];
  return button(sign, label, (event) => {
    if (message.feedback === "custom") return act("rate", { message: message.id, rating });
    event.target.parentElement.querySelector("form")?.remove();
    event.target.parentElement.append(comment(message, rating, act, event.target));
  });
}

/** The form that Teams itself opens for a rating; `rated`: the thumb, which stays pressed. */
function comment(message, rating, act, rated) {
  const form = made("form", "comment");
  const field = Object.assign(document.createElement("textarea"), { name: "comment", rows: 2, maxLength: 1000 });
  field.setAttribute("aria-label", "What did you think?");
  field.placeholder = "What did you think?";
  form.append(field, Object.assign(document.createElement("button"), { textContent: "Submit feedback" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act("rate", { message: message.id, rating, comment: field.value });
    for (const each of rated.parentElement.children) each.removeAttribute("aria-pressed");
    rated.setAttribute("aria-pressed", "true");
    form.remove();
  });
  return form;
}

function more(message, act) {
  const shown = made("details", "more");
  shown.append(made("summary", "", "…"));
  shown.firstChild.setAttribute("aria-label", "More actions");
  const menu = made("div", "menu");
  menu.append(button("Check this against the policies", "", () => act("check", { message: message.id })));
  if (message.own) menu.append(edit(message, act), button("Delete", "", () => act("delete", { message: message.id })));
  menu.addEventListener("click", (event) => event.target.matches("button") && shown.removeAttribute("open"));
  shown.append(menu);
  return shown;
}

function edit(message, act) {
  return button("Edit", "", (event) => {
    const form = made("form", "comment");
    const field = Object.assign(document.createElement("textarea"), { name: "edited", value: message.typed, rows: 2 });
    field.setAttribute("aria-label", "Edit message");
    form.append(field, Object.assign(document.createElement("button"), { textContent: "Save" }));
    form.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      act("edit", { message: message.id, text: field.value });
    });
    event.target.closest("article").append(form);
  });
}
