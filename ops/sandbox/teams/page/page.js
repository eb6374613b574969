// Asks for the state of the conversation every second, and draws anew what has changed.
import { drawMessage } from "./messages.js";
import { drawCard, drawPreview } from "./cards.js";

const at = new URLSearchParams(location.search);
const part = (id) => document.getElementById(id);
const drawn = new Map();
let state = null, turn = 0, placed = 0, dialogShown = "", leadingIn = "", problems = [];

/** Something the person does; what it answers. */
async function act(name, body = {}) {
  problems = [];
  const answer = await fetch(`/act/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ you: state.you, where: state.place.id, ...body }),
  });
  const said = answer.ok ? await answer.json() : { problem: await answer.text() };
  if (said.problem) problems.push(said.problem);
  await refresh();
  return said;
}

async function refresh() {
  const mine = ++turn;
  try {
    const answer = await fetch(`/state?${at}`);
    if (!answer.ok) return;
    const found = await answer.json();
    // An answer that was overtaken by a newer one would put back what is gone.
    if (mine < placed) return;
    placed = mine;
    show(found);
  } catch (error) {
    // The sandbox was stopped: the page keeps what it has and asks again.
  }
}

function show(found) {
  const changed = state === null || found.you !== state.you || found.place.id !== state.place.id;
  state = found;
  showPlaces();
  part("place").textContent = state.place.name;
  part("install").textContent = state.place.installed ? "Remove the app" : "Add the app";
  const list = part("messages");
  const low = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  showMessages(list, changed);
  part("nothing").hidden = state.messages.length > 0;
  if (low || changed) list.scrollTop = list.scrollHeight;
  showDialog();
  tell([...state.told, ...problems]);
  const lead = state.place.kind === "personal" ? "" : `@${state.bot} `;
  const field = part("composer").elements.text;
  field.placeholder = state.place.kind === "channel" ? "Start a post" : "Type a message";
  if (changed && (!field.value || field.value === leadingIn)) field.value = leadingIn = lead;
}

function showPlaces() {
  const key = JSON.stringify([state.places, state.people, state.you, state.place.id]);
  if (drawn.get("places") === key) return;
  drawn.set("places", key);
  part("places").replaceChildren(...state.places.map((each) => {
    const link = Object.assign(document.createElement("a"), { textContent: each.name, href: address({ where: each.id }) });
    if (each.id === state.place.id) link.setAttribute("aria-current", "page");
    const item = document.createElement("li");
    item.append(link);
    if (each.inTeam) item.className = "channel";
    if (each.team) item.dataset.team = each.team;
    return item;
  }));
  part("you").replaceChildren(...state.people.map((each) => new Option(each.name, each.id, false, each.id === state.you)));
}

function address(other) {
  const found = new URLSearchParams({ you: state.you, where: state.place.id, ...other });
  return `/?${found}`;
}

function showMessages(list, changed) {
  if (changed) list.replaceChildren();
  const known = new Map([...list.querySelectorAll("article")].map((each) => [each.dataset.id, each]));
  for (const each of state.messages) {
    const key = JSON.stringify([each, state.you]);
    const old = known.get(each.id);
    known.delete(each.id);
    if (old && drawn.get(each.id) === key) continue;
    drawn.set(each.id, key);
    const made = drawMessage(each, act);
    if (old) old.replaceWith(made);
    else if (each.thread) threadOf(list, each.thread).before(made);
    else list.append(...(state.place.kind === "channel" ? thread(each, made) : [made]));
  }
  for (const each of known.values()) (each.closest("section") && !each.dataset.thread ? each.closest("section") : each).remove();
}

function thread(root, made) {
  const around = document.createElement("section");
  around.dataset.root = root.id;
  const form = Object.assign(document.createElement("form"), { className: "reply" });
  const field = Object.assign(document.createElement("textarea"), { name: "text", rows: 1, placeholder: "Reply", value: `@${state.bot} ` });
  field.setAttribute("aria-label", "Reply");
  form.append(field, Object.assign(document.createElement("button"), { textContent: "Reply" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    say(field, root.id);
  });
  around.append(made, form);
  return [around];
}

const threadOf = (list, root) => list.querySelector(`section[data-root="${CSS.escape(root)}"] > form`) ?? list;

async function say(field, root = "") {
  const text = field.value.trim();
  if (!text || text === `@${state.bot}`) return;
  field.value = state.place.kind === "personal" ? "" : `@${state.bot} `;
  await act("say", { text, thread: root });
}

function showDialog() {
  const box = part("dialog"), key = JSON.stringify(state.dialog);
  if (key === dialogShown) return;
  dialogShown = key;
  if (state.dialog === null) return box.close();
  part("dialog-title").textContent = state.dialog.title;
  part("dialog-card").replaceChildren(drawCard(state.dialog.card, (what, inputs) => act("submit", { what, inputs })));
  if (!box.open) box.showModal();
}

function tell(texts) {
  const box = part("told"), key = JSON.stringify(texts);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  box.replaceChildren(...texts.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  if (!texts.length) return;
  const seen = Object.assign(document.createElement("button"), { type: "button", textContent: "OK" });
  seen.addEventListener("click", () => act("dismiss"));
  box.append(seen);
}

async function search(text) {
  const { results } = await act("search", { text });
  part("results").replaceChildren(...(results ?? []).map((each, number) => {
    const shown = drawPreview(each);
    shown.addEventListener("click", async () => {
      part("found").hidden = true;
      await act("insert", { text, number });
    });
    return shown;
  }));
}

part("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  say(event.target.elements.text);
});
part("search").addEventListener("submit", (event) => {
  event.preventDefault();
  search(event.target.elements.text.value);
});
part("extension").addEventListener("click", () => {
  part("found").hidden = false;
  part("search").elements.text.focus();
});
part("leave").addEventListener("click", () => (part("found").hidden = true));
part("close").addEventListener("click", () => act("close"));
part("dialog").addEventListener("cancel", (event) => {
  event.preventDefault();
  act("close");
});
part("install").addEventListener("click", () => act(state.place.installed ? "uninstall" : "install"));
part("you").addEventListener("change", (event) => location.assign(`/?you=${encodeURIComponent(event.target.value)}`));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && event.target.name === "text" && event.target.matches("textarea")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

refresh();
setInterval(refresh, 1000);
