// The match of the other player of the game beside that of the page: live while that is, else at the same game loop.

import { clock } from "../common/format.js";
import { byId, press, setText } from "../common/page.js";
import { Connection } from "../daemon/connection.js";
import { Refusal } from "../daemon/refusal.js";
import { listenOnMap } from "../map/map_input.js";
import { MapView } from "../map/map_view.js";
import { MatchNumbers } from "../match/match_numbers.js";
import { ownPlayer, playerText } from "../match/players.js";
import { World } from "../match/world.js";
import { MatchDrawings } from "../time/match_drawings.js";
import { Rewind } from "./rewind.js";

/** Further away than this it jumps: 2 s of a game. */
const JUMP_LOOPS = 45;

export class OtherPlayer {
  world = new World();
  map;
  numbers;
  #summary;
  #connection;
  #drawings;
  #rewind;
  #shown = 0;
  #busy = false;
  #goal;

  /** @param canvas for the map @param summary of the match @param page { own, layers, isStill } */
  constructor(canvas, summary, { own, layers, isStill }) {
    this.#summary = summary;
    this.map = new MapView(canvas, this.world, isStill);
    this.#drawings = new MatchDrawings(layers, this.world, this.map);
    listenOnMap(canvas, this.map, { choose: () => {}, chooseIn: () => {}, choosesAreas: () => false });
    this.#rewind = new Rewind(
      (wanted) => {
        this.#shown++;
        this.#connection.begin(wanted);
      },
      (sequence) => this.#connection.acknowledge(sequence));
    [this.#rewind.run, this.#rewind.isOver] = [summary.runId, !summary.isRunning];
    const wanted = { run: summary.runId, start: summary.isRunning ? undefined : summary.lastKept, isOver: !summary.isRunning };
    this.#connection = new Connection(new URL("v1/sync", location.href.replace(/^http/, "ws")).href, `${own} B`, {
      state: (state, why) => this.#say(state === "open" ? "" : why || state),
      match: (match) => this.#begin(match),
      frame: (frame) => this.#take(frame),
      matchEnded: () => {},
      drawings: (message) => this.#drawings.show(message.layers),
      unauthenticated: () => {},
      refused: (why) => this.#say(why),
    }, false, wanted);
    this.numbers = new MatchNumbers(this.#connection);
  }

  /** Follows the match of the page. Called with each status. @param leader { gameLoop, paused, isLive } */
  async follow(leader) {
    if (this.#busy || leader.gameLoop === undefined) return;
    this.#busy = true;
    try {
      const { history } = await this.#connection.status(this.#summary.runId);
      if (this.#rewind.take(history) !== undefined) await this.#pursue(leader, history);
      await this.numbers.look(false, this.#summary.runId);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.#busy = false;
    }
  }

  /** Ends it. */
  close() {
    this.#connection.close();
  }

  async #pursue({ gameLoop, paused, isLive }, { firstGameLoop, lastGameLoop }) {
    this.#rewind.isOver = this.#connection.isOver;
    if (isLive && !this.#rewind.isOver) {
      this.#say("");
      if (this.#rewind.isAway) this.#rewind.leave(this.#summary.runId);
      return;
    }
    const goal = Math.min(Math.max(gameLoop, firstGameLoop), lastGameLoop);
    this.#say(goal === gameLoop ? "" : `${clock(firstGameLoop)} to ${clock(lastGameLoop)}`);
    const away = goal === this.#goal && paused ? 0 : Math.abs((this.world.gameLoop ?? -Infinity) - goal);
    this.#goal = goal;
    if (paused !== this.#rewind.isPaused) await this.#rewind.control(paused ? { pause: {} } : { resume: {} });
    if (paused ? away > 0 : away > JUMP_LOOPS) await this.#rewind.control({ seek: { gameLoop: goal } });
  }

  #begin(match) {
    if (match.runId !== this.world.match?.runId) this.numbers.begin();
    this.world.begin(match);
    this.map.begin();
    this.#drawings.show([]);
    setText(byId("second-title"), `B: ${playerText(ownPlayer(match) ?? match)}`);
  }

  #take(frame) {
    const of = this.#shown;
    this.world.apply(frame, 1, performance.now());
    this.map.update();
    requestAnimationFrame(() => of === this.#shown && this.#rewind.shown(frame.sequence, frame.gameLoop));
  }

  #say(text) {
    setText(byId("second-state"), text);
  }
}

/** Switches the other player's map on and off by one button. */
export class BothPlayers {
  /** The other player's match; undefined while it is not shown. */
  other = undefined;
  /** Called with it when it is shown, and without when it is not any more. */
  onChange = () => {};
  #button = byId("both-players");
  #page;
  #partner;
  #numbers;
  #looked = "";

  /** @param page { world, list, own, layers, isStill, connection() }: the last is that of the page */
  constructor(page) {
    this.#page = page;
    this.#button.addEventListener("click", () => this.toggle());
    byId("leave-second").addEventListener("click", () => this.leave());
  }

  /** Another match is on the map. */
  begin() {
    this.leave();
    [this.#partner, this.#numbers, this.#looked] = [undefined, undefined, ""];
    this.#button.hidden = true;
  }

  /** What is known of the other player's match: { world, timeline }, undefined without one; `world` is undefined while it is not shown. */
  get exact() {
    if (this.other !== undefined) return { world: this.other.world, timeline: this.other.numbers.timeline };
    return this.#numbers && { world: undefined, timeline: this.#numbers.timeline };
  }

  /** Asks for the numbers of the other player's match while that is not shown. */
  async lookAtNumbers() {
    if (this.#partner === undefined || this.other !== undefined) return;
    this.#numbers ??= new MatchNumbers(this.#page.connection());
    await this.#numbers.look(false, this.#partner.runId);
  }

  /** Looks for the other player's match, which may begin later. @param newest run_id of the match that began last */
  async look(newest) {
    const { world, list } = this.#page;
    const runId = world.match?.runId;
    const key = `${runId} ${newest}`;
    if (!world.match?.groupId || key === this.#looked) return;
    this.#looked = key;
    try {
      await list.refresh();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#looked = "";
    }
    if (world.match.runId !== runId) return;
    if (list.find(newest ?? runId) === undefined) this.#looked = "";
    this.#partner = list.partnerOf(runId);
    this.#button.hidden = this.#partner === undefined && this.other === undefined;
  }

  toggle() {
    if (this.other !== undefined) this.leave();
    else if (this.#partner !== undefined) this.#show();
  }

  leave() {
    if (this.other === undefined) return;
    this.other.close();
    this.other = undefined;
    this.#switch(false);
  }

  #show() {
    const { world } = this.#page;
    this.#switch(true);
    // A new canvas: what listens on the old one ends with it.
    const canvas = byId("second-map").cloneNode();
    byId("second-map").replaceWith(canvas);
    this.other = new OtherPlayer(canvas, this.#partner, this.#page);
    setText(byId("first-title"), `A: ${playerText(ownPlayer(world.match) ?? world.match)}`);
    this.onChange(this.other);
  }

  #switch(isOn) {
    byId("second").hidden = !isOn;
    byId("first-title").hidden = !isOn;
    byId("leave-second").hidden = !isOn;
    byId("stages").classList.toggle("two", isOn);
    press(this.#button, isOn);
    if (!isOn) this.onChange(undefined);
  }
}
