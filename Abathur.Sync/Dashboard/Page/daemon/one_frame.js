// One frame as JSON, by a connection of its own: the text form of the protocol.

import { Refusal } from "./refusal.js";
import { authorization, subprotocols, token } from "./token.js";

const TIMEOUT_MS = 10_000;
/** The answer to a request that is no handshake of a WebSocket. */
const NO_WEBSOCKET = 426;
/** Errors of a subscription that begins with a kept frame, where the frame is not kept. */
const NOT_KEPT = ["OUT_OF_RANGE", "FAILED_PRECONDITION"];

/**
 * The frame of a game loop, the newest one where it is not kept: { gameLoop, observation }, where `observation` is the
 * ResponseObservation in ProtoJSON.
 * @param wanted { path, gameLoop, run, plays, name }: the path of the connection; the game loop; the run_id of the match; whether the
 * connection is a playback of its own, of which this one is a second; the name by which it subscribes
 * @param signal of an AbortController that ends it
 * @throws {Refusal} the daemon refuses it or does not answer
 */
export async function oneFrame(wanted, signal) {
  const { gameLoop, run: runId, plays } = wanted;
  const find = (start) => new OneFrame(wanted, start, signal).frame;
  if (plays) return find({});
  let newest;
  try {
    // As the game wrote it; a kept frame may have its units in another order.
    newest = await find({ runId, newest: true, maxFrames: 1 });
    if (newest.gameLoop === gameLoop) return newest;
  } catch (error) {
    // A match that is over has kept frames only.
    if (error.code === undefined) throw error;
  }
  try {
    return await find({ runId, startGameLoop: gameLoop, maxFrames: 1 });
  } catch (error) {
    if (newest === undefined || !NOT_KEPT.includes(error.code)) throw error;
    return newest;
  }
}

class OneFrame {
  /** Resolves to the frame. */
  frame;
  #socket;
  #wanted;
  #resolve;
  #reject;
  #timer;
  #isOpen = false;
  #isSettled = false;

  constructor(wanted, start, signal) {
    this.#wanted = wanted;
    this.frame = new Promise((resolve, reject) => ([this.#resolve, this.#reject] = [resolve, reject]));
    const socket = new WebSocket(new URL(wanted.path, location.href.replace(/^http/, "ws")).href, subprotocols());
    this.#socket = socket;
    socket.onopen = () => this.#begin(start);
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    // What has been settled stays so.
    socket.onclose = () => this.#closed();
    this.#timer = setTimeout(() => this.#fail(`there was no frame within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
    signal.addEventListener("abort", () => this.#fail("it was cancelled"));
  }

  /** A browser does not say why a WebSocket was refused; the same path without one does. */
  async #closed() {
    if (this.#isSettled) return undefined;
    if (this.#isOpen) return this.#fail("the connection was lost");
    try {
      const answer = await fetch(this.#wanted.path, { cache: "no-store", headers: authorization() });
      if (answer.status !== NO_WEBSOCKET) return this.#fail((await answer.text()).trim());
    } catch {
      // It is not there.
    }
    return this.#fail("the daemon does not answer");
  }

  #begin(start) {
    this.#isOpen = true;
    this.#send({ token: token(), subscribe: { encoding: "json", credits: 1, name: this.#wanted.name, ...start } });
    if (!this.#wanted.plays) return;
    this.#send({ id: "1", control: { pause: {} } });
    this.#send({ id: "2", control: { seek: { gameLoop: this.#wanted.gameLoop } } });
    this.#send({ id: "3", control: { step: { frames: 1 } } });
  }

  #take({ frame, error, end }) {
    // A playback of its own begins at its start: what comes before the seek is passed over.
    if (frame && this.#wanted.plays && (frame.gameLoop ?? 0) < this.#wanted.gameLoop) this.#send({ ack: { sequence: frame.sequence } });
    else if (frame) this.#settle(() => this.#resolve({ gameLoop: frame.gameLoop ?? 0, observation: frame.observation ?? {} }));
    else if (error) this.#fail(error.message, error.code);
    else if (end) this.#fail(end.reason, "END");
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  #fail(why, code) {
    this.#settle(() => this.#reject(Object.assign(new Refusal(why || "refused"), { code })));
  }

  #settle(how) {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    how();
    this.#socket.close();
  }
}
