// Recordings of the daemon's folder: listed, opened by name, and added by dropping a file on the page.

import { bytes } from "../common/format.js";
import { byId, element } from "../common/page.js";
import { authorization } from "../daemon/token.js";

const PATH = "v1/recordings";

export class Recordings {
  #root = byId("recordings");
  #list = element("ul", { className: "files" });
  #note = element("p", { className: "quiet" });
  #progress = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "Upload" });
  #open;
  #current;
  #tell;
  #canAdd = false;
  #upload;
  /** Names of those that can be played. */
  names = [];

  /** @param open(name | undefined) shows a recording, or the daemon's own match @param tell(text) shows a refusal */
  constructor(current, open, tell) {
    [this.#current, this.#open, this.#tell] = [current, open, tell];
    const input = element("input", { type: "file", accept: ".mcap", hidden: true, id: "file" });
    const button = element("button", { type: "button", id: "add" }, "Open a file…");
    const back = element("button", { type: "button", id: "own-match", hidden: current === undefined }, "Back to the daemon's match");
    const cancel = element("button", { type: "button", id: "cancel", hidden: true }, "Cancel");
    button.addEventListener("click", () => input.click());
    back.addEventListener("click", () => open(undefined));
    cancel.addEventListener("click", () => this.#upload?.abort());
    input.addEventListener("change", () => {
      if (input.files.length > 0) this.add(input.files[0]);
      input.value = "";
    });
    this.#root.append(element("div", { className: "tools" }, back, button, input, this.#progress, cancel, this.#note), this.#list);
    this.#listenForDrops();
    this.refresh();
  }

  /** Reloads the list. */
  async refresh() {
    try {
      const answer = await fetch(PATH, { cache: "no-store", headers: authorization() });
      const { recordings, notListed = 0, problem } = answer.ok ? await answer.json() : { problem: (await answer.text()).trim() };
      this.#canAdd = problem === undefined;
      byId("add").disabled = !this.#canAdd;
      if (this.#canAdd) this.#show(recordings, notListed);
      else this.#note.textContent = problem;
    } catch {
      this.#note.textContent = "The daemon does not answer.";
    }
  }

  /** Sends a file to the daemon and opens it. */
  add(file) {
    if (this.#upload) {
      this.#tell("one file at a time: the last one is still on its way");
      return;
    }
    if (!this.#canAdd) {
      this.#tell(this.#note.textContent || "this daemon takes no recordings");
      return;
    }
    const request = new XMLHttpRequest();
    this.#upload = request;
    // Some systems store a letter and its accent as two characters.
    const name = file.name.normalize("NFC");
    request.open("PUT", `${PATH}/${encodeURIComponent(name)}`);
    for (const [header, value] of Object.entries(authorization())) request.setRequestHeader(header, value);
    request.upload.onprogress = ({ loaded, total }) =>
      this.#showProgress(`Sending ${name}: ${bytes(loaded)} of ${bytes(total)}`, loaded / total);
    request.onloadend = () => this.#added(name, request);
    this.#showProgress(`Sending ${name}`, 0);
    request.send(file);
  }

  async #added(name, { status, responseText }) {
    this.#upload = undefined;
    this.#progress.hidden = byId("cancel").hidden = true;
    this.#note.textContent = "";
    await this.refresh();
    if (status === 201) this.#open(name);
    else if (status === 0) this.#tell(`${name} was not taken: the connection was broken off`);
    else this.#tell(`${name} was not taken: ${responseText.trim()}`);
  }

  #showProgress(text, part) {
    this.#note.textContent = text;
    this.#progress.value = part;
    this.#progress.hidden = byId("cancel").hidden = false;
  }

  #show(recordings, notListed) {
    this.names = recordings.map(({ name }) => name);
    const others = notListed === 0
      ? ""
      : ` ${notListed === 1 ? "One file is" : `${notListed} files are`} not listed, because of the name: only letters, digits, space and`
        + " ._-()' may be in it, and at most 200 bytes.";
    this.#note.textContent = (recordings.length === 0
      ? "None yet: drop a file anywhere on this page."
      : "Drop a file anywhere on this page to add it.") + others;
    this.#list.replaceChildren(
      ...recordings.map(({ name, bytes: size, modified }) => {
        const button = element("button", { type: "button" }, name);
        if (name === this.#current) button.setAttribute("aria-current", "true");
        button.addEventListener("click", () => this.#open(name));
        return element(
          "li", {}, button, element("span", {}, bytes(size)),
          element("time", { dateTime: modified, className: "quiet" }, new Date(modified).toLocaleString()));
      }),
    );
  }

  #listenForDrops() {
    const sign = byId("drop");
    let depth = 0;
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragenter", (event) => {
      if (hasFiles(event)) sign.hidden = ++depth === 0;
    });
    addEventListener("dragleave", (event) => {
      if (hasFiles(event)) sign.hidden = --depth <= 0;
    });
    addEventListener("dragover", (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      sign.hidden = true;
      if (event.dataTransfer.files.length > 1) this.#tell("one file at a time");
      else if (event.dataTransfer.files.length === 1) this.add(event.dataTransfer.files[0]);
    });
  }
}
