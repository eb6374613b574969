// Texts as Teams shows them: a part of Markdown, mentions, citations that open. Nothing of it becomes HTML by itself.
const OPEN = "\uE000", CLOSE = "\uE001";

function markdown(...rules) {
  const made = window.markdownit("zero", { html: false, linkify: false, breaks: false }).enable(rules);
  made.renderer.rules.link_open = (tokens, at, options, env, self) => {
    tokens[at].attrSet("target", "_blank");
    tokens[at].attrSet("rel", "noopener noreferrer");
    return self.renderToken(tokens, at, options);
  };
  return made;
}

const inCards = markdown("emphasis", "link", "list", "escape", "entity", "newline");
const inMessages = markdown("emphasis", "strikethrough", "link", "list", "escape", "entity", "newline", "backticks",
  "fence", "blockquote", "heading", "hr", "autolink");

/** Text of a card: bold, italic, lists and links. */
export function cardMarkdown(text) {
  return inCards.render(text);
}

/** Text of a message, as an element. `message`: as the state has it. */
export function textOf(message) {
  const shown = document.createElement("div");
  shown.className = "text";
  const mentions = [];
  const text = message.text.replace(/<at>(.*?)<\/at>/g, (_, name) => `${OPEN}${mentions.push(name) - 1}${CLOSE}`);
  if (message.format === "plain") {
    shown.classList.add("plain");
    shown.textContent = text;
  } else {
    shown.innerHTML = inMessages.render(text);
  }
  replaceIn(shown, new RegExp(`${OPEN}(\\d+)${CLOSE}`), (found) => mention(mentions[Number(found[1])]));
  const cited = new Map(message.citations.map((each) => [String(each.position), each]));
  replaceIn(shown, /\[(\d{1,3})\]/, (found) => (cited.has(found[1]) ? citation(cited.get(found[1])) : null));
  return shown;
}

function mention(name) {
  const shown = document.createElement("span");
  shown.className = "mention";
  shown.textContent = name;
  return shown;
}

let numbered = 0;

function citation({ position, name, url, abstract }) {
  const id = `citation-${++numbered}`;
  const around = document.createElement("span");
  around.className = "citation";
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: position });
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", id);
  button.setAttribute("aria-label", `Source ${position}: ${name}`);
  const note = Object.assign(document.createElement("span"), { id, className: "note", hidden: true });
  const title = document.createElement(url ? "a" : "strong");
  title.textContent = name;
  if (/^https?:/i.test(url)) Object.assign(title, { href: url, target: "_blank", rel: "noopener noreferrer" });
  note.append(title, Object.assign(document.createElement("span"), { textContent: abstract }));
  button.addEventListener("click", () => {
    note.hidden = !note.hidden;
    button.setAttribute("aria-expanded", String(!note.hidden));
  });
  around.append(button, note);
  return around;
}

/** Replaces what matches in texts that are no link and no code; `make` returns null for what stays. */
function replaceIn(root, pattern, make) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("a, code, .citation")) nodes.push(walker.currentNode);
  for (let node of nodes) {
    let found, from = 0;
    while ((found = pattern.exec(node.data.slice(from)))) {
      const made = make(found);
      if (made === null) {
        from += found.index + found[0].length;
        continue;
      }
      const rest = node.splitText(from + found.index);
      rest.data = rest.data.slice(found[0].length);
      rest.before(made);
      node = rest;
      from = 0;
    }
  }
}
