// What can be taken of the moment that is shown: its link, a picture of the map, a test.

import { byId } from "../common/page.js";
import { copyText } from "../panels/empty_state.js";
import { fileOf, testOf } from "./copied_test.js";
import { copyLink, momentOf, saveScreenshot } from "./links.js";

export class MomentButtons {
  /** Where the match is recorded, as the status has it. */
  recording = undefined;
  #page;
  #test = byId("copy-test");

  /**
   * @param page { world, map, recording, tag(), run(), whole(), tell }: `recording` is the name of the one that plays, `run()` the run_id
   * that a link has to name, if any, `whole()` whether it asks for the whole match
   */
  constructor(page) {
    this.#page = page;
    byId("copy-link").addEventListener("click", () => this.copy());
    byId("screenshot").addEventListener("click", () => this.picture());
    this.#test.addEventListener("click", () => this.copyTest());
  }

  /** Shows the button for a test where there is a recording. */
  update() {
    this.#test.hidden = this.#file === undefined || this.#page.world.gameLoop === undefined;
  }

  async copy() {
    const { world, map, tag, run, whole, tell } = this.#page;
    tell(await copyLink(momentOf({ world, map, tag: tag(), whole: whole() }), run()));
  }

  async picture() {
    const { world, tell } = this.#page;
    tell(`Saved as ${await saveScreenshot(byId("map"), `abathur-${world.gameLoop ?? 0}`)}.`);
  }

  async copyTest() {
    const { world: { match, gameLoop }, tell } = this.#page;
    const file = this.#file;
    if (file === undefined) tell("This match is not recorded (-o FILE): a test needs a recording.");
    else if (gameLoop !== undefined) tell(await copyText(testOf({ file, gameLoop, match }), "The test of this moment"));
  }

  get #file() {
    const { recording, world } = this.#page;
    return fileOf({ name: recording, path: this.recording?.path, match: world.match });
  }
}
