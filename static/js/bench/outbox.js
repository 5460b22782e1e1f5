// Writes that survive a lost network. Each has a client_key made once; it waits in localStorage until the server
// has answered, and the server takes the same key only once. "saved" is shown after an answer, never before.
import { newKey } from "./client-key.js";
import { isTyped, isUnplaced, keepAside, showKept } from "./outbox-kept.js";
import { isOfThisBench, tellOfOther } from "./outbox-other.js";
import { post } from "./outbox-post.js";
import { createStorage } from "./outbox-storage.js";
import { createSaveStatus } from "./save-status.js";
import { fieldsOfPage } from "../web/notices.js";
import { worded } from "../web/words.js";

const PAUSES = [1, 2, 4, 8, 15, 30];

/**
 * The outbox of one person. `status` says how things stand. send({url, fields}) keeps and posts a form; `onAnswer(entry, json)`
 * and `onRefused(entry, json)` tell the page; what was typed is kept aside, unless the latter says it is in its field again.
 */
export function createOutbox({ person, status, onAnswer = () => {}, onRefused = () => {} }) {
  const stored = createStorage(person);
  const waiting = stored.read();
  let at = waiting.at(-1)?.at ?? 0; // they stay in their order also where the clock is put back, or two come at once
  const { say, typing, isTyping } = createSaveStatus(status);
  let tries = 0;
  let busy = false;
  let sent = 0;
  let timer = null;
  let refused = "";
  let onSent = null;
  let isLeaving = false; // the page that comes may be made before what is sent now is saved: it sends it again, and is told
  const answered = []; // meanwhile
  let isUnseen = false;

  const drain = async () => {
    clearTimeout(timer);
    if (busy) return;
    busy = true;
    while (waiting.length) {
      if (!tries) say(worded("saving…"), "busy"); // else what is wrong stays to be read
      const outcome = await post(waiting[0], person);
      if (outcome.kind === "later") {
        const pause = outcome.seconds || PAUSES[Math.min(tries, PAUSES.length - 1)];
        tries += 1;
        const when = outcome.seconds ? worded(" in {pause} s", { pause }) : "";
        const what = outcome.isUnread ? worded("not saved yet") : worded("not saved, will try again{when}", { when });
        say(worded("{what} ({waiting} waiting). {why}", { what, waiting: waiting.length, why: outcome.why }), "bad", true);
        timer = setTimeout(drain, pause * 1000);
        busy = false;
        if (outcome.isUnread) dispatchEvent(new Event("assay-unread"));
        return;
      }
      tries = 0;
      const entry = waiting.shift();
      if (outcome.kind === "refused") {
        refused = outcome.json.detail;
        dispatchEvent(new Event("assay-refused"));
        isUnseen ||= outcome.json.code === "unseen";
        const isLost = isOfThisBench(entry) ? !onRefused(entry, outcome.json) && isTyped(entry) : isTyped(entry);
        if (isLost || isUnplaced(outcome.json)) keepAside(person, entry, refused);
        else if (!isOfThisBench(entry)) tellOfOther(entry, refused);
        stored.forget(entry);
        tellSent();
      } else {
        if (isLeaving) answered.push(entry);
        else stored.forget(entry);
        if (isOfThisBench(entry)) onAnswer(entry, outcome.json);
      }
    }
    busy = false;
    if (isUnseen) dispatchEvent(new Event("assay-unseen"));
    isUnseen = false;
    dispatchEvent(new Event("assay-saved"));
    say(refused ? worded("not saved: {refused}", { refused }) : worded("saved ✓"), refused ? "bad" : "good");
    tellSent();
  };

  const tellSent = () => {
    const tell = onSent;
    onSent = null;
    tell?.({ refused });
  };

  for (const sign of ["online", "assay-read", "assay-logged-in"]) addEventListener(sign, () => { tries = 0; drain(); });
  addEventListener("beforeunload", (event) => {
    isLeaving = true;
    if (waiting.length) event.preventDefault();
  });
  const stay = () => {
    isLeaving = false;
    for (const entry of answered.splice(0)) stored.forget(entry);
  };
  for (const sign of ["keydown", "pointerdown"]) addEventListener(sign, stay, { capture: true });
  showKept(person);
  if (waiting.length) drain();

  return {
    send({ url, fields }) {
      if (!busy) refused = ""; // of several acts at once one that was refused is not passed over
      at = Math.max(Date.now(), at + 1);
      const entry = { url, fields: { ...fields, client_key: fields.client_key ?? newKey(), ...fieldsOfPage() }, at };
      waiting.push(entry);
      sent += 1;
      stored.keep(entry);
      drain();
      return entry;
    },
    get waiting() { return waiting.length; },
    /** How many of those that wait go to this address. */
    waitingFor: (url) => waiting.filter((entry) => entry.url === url).length,
    get sent() { return sent; },
    get isTyped() { return isTyping(); },

    /** What is being typed and was not sent: "saved" is not said over it. "" once nothing is. */
    typing,

    /** Calls `act` once, with {refused: why}: when all is sent, or as soon as something is refused. */
    whenSent(act) { onSent = act; },
  };
}
