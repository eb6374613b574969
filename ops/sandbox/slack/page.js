"use strict";
// Asks for the messages every second; what comes is escaped by the server.
const messages = document.getElementById("messages");
let shown = messages.innerHTML.trim();
async function refresh() {
  try {
    const answer = await fetch(messages.dataset.source);
    const found = (await answer.text()).trim();
    if (answer.ok && found !== shown) {
      shown = found;
      messages.innerHTML = found;
      window.scrollTo(0, document.body.scrollHeight);
    }
  } catch (error) {
    // The sandbox was stopped: the page keeps what it has and asks again.
  }
}
setInterval(refresh, 1000);
