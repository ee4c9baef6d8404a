// A recording beside the match of the page, at the same game time: before and after a change of the bot.

import { clock } from "../common/format.js";
import { byId, setText } from "../common/page.js";
import { Connection } from "../daemon/connection.js";
import { Refusal } from "../daemon/refusal.js";
import { listenOnMap } from "../map/map_input.js";
import { MapView } from "../map/map_view.js";
import { MatchNumbers } from "../match/match_numbers.js";
import { World } from "../match/world.js";
import { MatchDrawings } from "../time/match_drawings.js";
import { rateFor } from "./pursuit.js";

export class SecondMatch {
  world = new World();
  numbers;
  /** The newest state of its playback; undefined before. */
  state = undefined;
  map;
  #connection;
  #drawings;
  #busy = false;

  /**
   * @param name of the recording @param beside name of the one on the page; undefined: that shows the daemon's match
   * @param own the name by which it subscribes @param layers DrawingLayers, those of the match of the page
   * @param isStill whether nothing moves by itself
   */
  constructor(name, beside, own, layers, isStill) {
    byId("second").hidden = false;
    byId("stages").classList.add("two");
    byId("first-title").hidden = false;
    setText(byId("first-title"), beside === undefined ? "A" : `A: ${beside}`);
    setText(byId("second-title"), `B: ${name}`);
    this.map = new MapView(byId("second-map"), this.world, isStill);
    this.#drawings = new MatchDrawings(layers, this.world, this.map);
    listenOnMap(byId("second-map"), this.map, { choose: () => {}, chooseIn: () => {}, choosesAreas: () => false });
    const path = `v1/recordings/${encodeURIComponent(name)}/sync`;
    this.#connection = new Connection(new URL(path, location.href.replace(/^http/, "ws")).href, own, {
      state: (state, why) => this.#say(state === "open" ? "" : why || state),
      match: (match) => {
        this.world.begin(match);
        this.#drawings.show([]);
        this.map.begin();
        this.numbers.begin();
      },
      frame: (frame) => {
        this.world.apply(frame, this.state?.rate ?? 1, performance.now());
        this.map.update();
        requestAnimationFrame(() => this.#connection.acknowledge(frame.sequence));
      },
      drawings: (message) => this.#drawings.show(message.layers),
      unauthenticated: () => {},
    });
    this.numbers = new MatchNumbers(this.#connection);
  }

  /** Follows the match of the page. Called with each status. @param leader { gameLoop, paused, rate } */
  async follow(leader) {
    if (this.#busy || leader.gameLoop === undefined) return;
    this.#busy = true;
    try {
      const { playback } = await this.#connection.status();
      this.state = playback;
      if (playback !== undefined) await this.#pursue(leader, playback);
      await this.numbers.look(true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.#busy = false;
    }
  }

  async #pursue(leader, { firstGameLoop = 0, lastGameLoop = 0, paused = false, rate = 1 }) {
    const goal = Math.min(Math.max(leader.gameLoop, firstGameLoop), lastGameLoop);
    this.#say(goal === leader.gameLoop ? "" : `${clock(firstGameLoop)} to ${clock(lastGameLoop)}`);
    const wanted = rateFor(leader, this.world.gameLoop, goal);
    const control = (command) => this.#connection.control(command);
    if (wanted.pauses !== paused) await control(wanted.pauses ? { pause: {} } : { resume: {} });
    if (!wanted.pauses && Math.abs(wanted.rate - rate) > 0.01) await control({ setRate: { rate: wanted.rate } });
    if (!wanted.seeks) return;
    await control({ seek: { gameLoop: goal } });
    if (wanted.pauses) await control({ step: { frames: 1 } });
  }

  #say(text) {
    setText(byId("second-state"), text);
  }
}
