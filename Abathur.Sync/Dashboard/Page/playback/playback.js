// Controls a playback, or the frames kept of a running match: scrubber, pause, steps, rate, loop. Hidden without both.

import { clock, LOOPS_PER_SECOND, rate as rateText } from "../common/format.js";
import { newestOnly } from "../common/newest_only.js";
import { byId, element, setText, styleColor } from "../common/page.js";

const RATES = [0.5, 1, 2, 4, 8, 0];
const SETTLE_MS = 600;

export class Playback {
  /** The last state from the daemon; undefined if the source cannot be controlled. */
  state = undefined;
  #world;
  #control;
  #root = byId("playback");
  #scrubber = byId("scrubber");
  #rates = byId("playback-rate");
  #loop = byId("playback-loop");
  #touched = -Infinity;
  #seek = newestOnly((gameLoop) => this.#seekTo(gameLoop));
  #keyframesDrawn = "";
  #asked = 0;
  #expected = {};
  #goal = undefined;
  #pausesAfterSeek = false;

  /** @param control async (command) => state; it reports refusals itself and returns undefined then */
  constructor(world, control) {
    [this.#world, this.#control] = [world, control];
    this.#rates.append(...RATES.map((each) => element("option", { value: String(each) }, rateText(each))));
    byId("pause").addEventListener("click", () => this.toggle());
    byId("back").addEventListener("click", () => this.step(-1));
    byId("forward").addEventListener("click", () => this.step(1));
    byId("to-live").addEventListener("click", () => this.toEnd());
    this.#rates.addEventListener("change", () => this.setRate(Number(this.#rates.value)));
    this.#loop.addEventListener("change", () => this.setLoop(this.#loop.checked));
    this.#scrubber.addEventListener("input", () => this.seek(Number(this.#scrubber.value)));
  }

  get isPaused() {
    return this.state?.paused ?? false;
  }

  /** Multiple of the tick rate; 1 if unknown. */
  get rate() {
    return this.state === undefined ? 1 : (this.state.rate ?? 0);
  }

  /** Sets the state from the daemon; undefined: the source cannot be controlled. */
  take(state) {
    this.state = state === undefined ? undefined : { ...state, ...this.#expected };
    state = this.state;
    this.#root.hidden = state === undefined;
    if (state === undefined) return;
    const [first, last] = [state.firstGameLoop ?? 0, state.lastGameLoop ?? 0];
    if (this.#scrubber.min !== String(first)) this.#scrubber.min = String(first);
    if (this.#scrubber.max !== String(last)) this.#scrubber.max = String(last);
    byId("pause").classList.toggle("paused", this.isPaused);
    byId("pause").setAttribute("aria-label", this.isPaused ? "Resume" : "Pause");
    this.#showRate(state.rate ?? 0);
    this.#loop.checked = state.loop ?? false;
    this.#root.classList.toggle("rewind", state.isRewind ?? false);
    byId("playback-title").textContent = state.isRewind ? "Rewind" : "Playback";
    this.show();
  }

  /** Updates the position from the newest frame. */
  show() {
    if (this.state === undefined) return;
    const gameLoop = this.#world.gameLoop ?? this.state.gameLoop ?? this.state.firstGameLoop ?? 0;
    // The frame may be newer than the status.
    const last = Math.max(this.state.lastGameLoop ?? 0, gameLoop);
    if (performance.now() - this.#touched > SETTLE_MS) this.#scrubber.value = String(gameLoop);
    this.#scrubber.setAttribute("aria-valuetext", `${clock(gameLoop)}, game loop ${gameLoop}`);
    setText(
      byId("where"),
      `${clock(gameLoop)} of ${clock(this.state.firstGameLoop ?? 0)} to ${clock(last)}${this.#whereEnd(gameLoop, last)}`);
    byId("where").title = `game loop ${gameLoop} of ${last}`;
    byId("to-live").hidden = !this.state.isRewind || this.state.isOver || this.#isLive(gameLoop, last);
    this.#drawKeyframes();
  }

  #isLive(gameLoop, last) {
    return gameLoop >= last - LOOPS_PER_SECOND && !this.isPaused;
  }

  #whereEnd(gameLoop, last) {
    if (this.state.isOver) return gameLoop >= last ? " · the end" : "";
    if (this.state.isRewind) return this.#isLive(gameLoop, last) ? " · live" : " · in the past";
    return this.state.ended && this.isPaused ? " · the end" : "";
  }

  toggle() {
    const resumes = this.isPaused;
    this.#expect({ paused: !resumes });
    return this.#do(resumes ? { resume: {} } : { pause: {} });
  }

  /** To the frame after or before this one. */
  step(direction) {
    if (direction > 0) {
      this.#goal = undefined;
      return this.#do({ step: { frames: 1 } });
    }
    return this.jump(-this.#world.loopsPerFrame, true);
  }

  /** Moves by a number of game loops, forward or back. */
  jump(loops, pauses = false) {
    this.#pausesAfterSeek = pauses || this.isPaused;
    return this.seek(this.#target() + loops);
  }

  /** To a game loop, and stays there. */
  jumpTo(gameLoop) {
    this.#pausesAfterSeek = true;
    return this.seek(gameLoop);
  }

  jumpSeconds(seconds) {
    return this.jump(Math.round(seconds * LOOPS_PER_SECOND));
  }

  toStart() {
    return this.seek(this.state?.firstGameLoop ?? 0);
  }

  toEnd() {
    return this.seek(this.state?.lastGameLoop ?? 0);
  }

  /** To a game loop; of several calls in a row only the newest is sent. */
  seek(gameLoop) {
    if (this.state === undefined) return undefined;
    const goal = Math.min(Math.max(gameLoop, this.state.firstGameLoop ?? 0), this.state.lastGameLoop ?? 0);
    this.#goal = goal;
    this.#touched = performance.now();
    this.#scrubber.value = String(goal);
    return this.#seek(goal);
  }

  /** A running match: back to the newest frame. A recording: whether it starts over at its end. */
  toLiveOrLoop() {
    return this.state?.isRewind ? this.toEnd() : this.setLoop(!this.state?.loop);
  }

  setRate(rate) {
    if (this.state?.isRewind) return undefined;
    this.#expect({ rate });
    return this.#do({ setRate: { rate } });
  }

  /** To the next slower or faster of the usual rates. */
  changeRate(direction) {
    const at = RATES.indexOf(this.rate);
    const from = at >= 0 ? at : RATES.findIndex((each) => each >= this.rate);
    return this.setRate(RATES[Math.min(Math.max(from + direction, 0), RATES.length - 1)]);
  }

  setLoop(loop) {
    if (this.state?.isRewind) return undefined;
    this.#expect({ loop });
    return this.#do({ setLoop: { loop } });
  }

  /** Requested changes apply at once, until all requests are answered: keys may be faster than answers. */
  #expect(change) {
    Object.assign(this.#expected, change);
    if (this.state !== undefined) this.state = { ...this.state, ...change };
  }

  /** Where the next jump starts: the last requested position, even if its frame has not arrived yet. */
  #target() {
    const isFresh = this.#goal !== undefined && performance.now() - this.#touched < SETTLE_MS && this.isPaused;
    return isFresh ? this.#goal : (this.#world.gameLoop ?? this.state?.gameLoop ?? 0);
  }

  async #seekTo(gameLoop) {
    const shows = this.isPaused || this.#pausesAfterSeek;
    this.#pausesAfterSeek = false;
    if ((await this.#do({ seek: { gameLoop } })) === undefined) return;
    // A paused playback shows the new position only after a step.
    if (shows) await this.#do({ step: { frames: 1 } });
  }

  async #do(command) {
    if (this.state === undefined) return undefined;
    this.#asked++;
    const state = await this.#control(command);
    if (--this.#asked === 0) this.#expected = {};
    if (state !== undefined) this.take(state);
    return state;
  }

  #showRate(rate) {
    const value = String(rate);
    if (![...this.#rates.options].some((option) => option.value === value))
      this.#rates.append(element("option", { value }, rateText(rate)));
    if (document.activeElement !== this.#rates || this.#rates.value !== value) this.#rates.value = value;
  }

  #drawKeyframes() {
    const canvas = byId("keyframes");
    const { keyframes } = this.#world;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    const color = styleColor("--quiet");
    const key = `${width} ${color} ${keyframes.length} ${keyframes.at(-1)} ${this.#scrubber.min} ${this.#scrubber.max}`;
    if (width === 0 || key === this.#keyframesDrawn) return;
    this.#keyframesDrawn = key;
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    context.fillStyle = color;
    const [first, last] = [Number(this.#scrubber.min), Number(this.#scrubber.max)];
    const thumb = 8 * ratio;
    for (const gameLoop of keyframes) {
      if (gameLoop < first || gameLoop > last) continue;
      context.fillRect(thumb + ((width - 2 * thumb) * (gameLoop - first)) / Math.max(last - first, 1), 0, Math.max(ratio, 1), height);
    }
  }
}
