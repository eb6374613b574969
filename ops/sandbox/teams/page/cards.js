// Adaptive Cards, drawn by Microsoft's own renderer as Teams sets it up.
import { cardMarkdown } from "./texts.js";

const AC = window.AdaptiveCards;
const NEWEST = new AC.Version(1, 5);

AC.AdaptiveCard.onProcessMarkdown = (text, result) => {
  result.outputHtml = cardMarkdown(text);
  result.didProcess = true;
};

const plain = { default: "#242424", subtle: "#616161" };
const colors = { default: plain, dark: { default: "#242424", subtle: "#616161" }, light: { default: "#ffffff", subtle: "#f0f0f0" },
  accent: { default: "#4f52b2", subtle: "#5b5fc7" }, good: { default: "#0e700e", subtle: "#107c10" },
  warning: { default: "#835b00", subtle: "#8f6400" }, attention: { default: "#b10e1c", subtle: "#c4314b" } };
const style = (background) => ({ backgroundColor: background, borderColor: "#c7c7c7", foregroundColors: colors });

const HOST = new AC.HostConfig({
  supportsInteractivity: true,
  fontFamily: "inherit",
  fontSizes: { small: 12, default: 14, medium: 16, large: 18, extraLarge: 24 },
  fontWeights: { lighter: 300, default: 400, bolder: 600 },
  spacing: { small: 8, default: 12, medium: 16, large: 20, extraLarge: 24, padding: 16 },
  separator: { lineThickness: 1, lineColor: "#d1d1d1" },
  actions: { maxActions: 6, spacing: "default", buttonSpacing: 8, preExpandSingleShowCardAction: false, actionsOrientation: "horizontal",
    actionAlignment: "left", showCard: { actionMode: "inline", inlineTopMargin: 12 } },
  containerStyles: { default: style("#ffffff"), emphasis: style("#f5f5f5"), accent: style("#e8ebfa"), good: style("#f1faf1"),
    attention: style("#fdf3f4"), warning: style("#fff9f5") },
  table: { cellSpacing: 8 },
  inputs: { label: { inputSpacing: "small", requiredInputs: { suffix: " *", suffixColor: "attention" } }, errorMessage: { spacing: "small" } },
});

/** `press(what, inputs)`: what is called for Execute and Submit; `what` is "#" and the number of the action in the card. */
export function drawCard(content, press) {
  const shown = document.createElement("div");
  shown.className = "card";
  const numbered = structuredClone(content);
  numberActions(numbered);
  const card = new AC.AdaptiveCard();
  card.hostConfig = HOST;
  card.onExecuteAction = (action) => {
    if (action instanceof AC.OpenUrlAction) return open(action.url);
    press(action.id, inputsOf(card));
  };
  try {
    card.parse(numbered, new AC.SerializationContext(NEWEST));
    shown.append(card.render());
  } catch (error) {
    shown.append(Object.assign(document.createElement("p"), { className: "problem", textContent: `This card cannot be drawn: ${error.message}` }));
  }
  // A card's text is read in its own direction.
  for (const each of shown.querySelectorAll(".ac-textBlock, .ac-textRun")) each.dir = "auto";
  return shown;
}

/** Teams opens web pages and nothing else. */
function open(url) {
  if (/^https?:\/\//i.test(url)) window.open(url, "_blank", "noopener,noreferrer");
}

function inputsOf(card) {
  const found = {};
  for (const each of card.getAllInputs()) if (each.id) found[each.id] = each.value === undefined ? "" : String(each.value);
  return found;
}

const PARTS = ["body", "items", "columns", "rows", "cells", "actions", "inlines", "images", "card", "selectAction"];

/** In the order in which the stand-in counts them: `actions_of`. */
function numberActions(card, count = { next: 0 }) {
  for (const name of PARTS) {
    for (const each of [card[name]].flat()) {
      if (each === null || typeof each !== "object") continue;
      if (String(each.type).startsWith("Action.")) each.id = `#${count.next++}`;
      numberActions(each, count);
    }
  }
}

/** A card of the kinds that search shows in its list: title and text. */
export function drawPreview(found) {
  const shown = document.createElement("button");
  shown.type = "button";
  shown.className = "found";
  shown.append(Object.assign(document.createElement("strong"), { textContent: found.title }));
  if (found.text) shown.append(Object.assign(document.createElement("span"), { textContent: found.text }));
  return shown;
}
