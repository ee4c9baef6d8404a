// One WebSocket to the daemon: subscribes, asks, and comes back by itself when it is lost.

import { ColumnsError } from "../common/columns.js";
import { ClientMessage, ServerMessage } from "./messages.js";
import { Refusal } from "./refusal.js";
import { subprotocols, token } from "./token.js";
import { read, WireError, write } from "./wire.js";

const COLUMNS = 3;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5000;
const MAX_PENDING = 32;

/** How long to wait before trying for the nth time (from 0): doubled each time, to a bound, and not all pages at once. */
export function waitBefore(attempt, random = Math.random()) {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.75 + random / 2);
}

/**
 * Calls on[name] for each message: match, matchEnded (where the page follows), frame, drawings, and `state(state, text)` with one of
 * connecting, waiting (for a match), open, over (the match has ended) and lost; unauthenticated if a token is needed, and refused(message)
 * where a match cannot be read. The daemon sends one frame at a time, the newest when `acknowledge` has requested it: a page that lags
 * skips frames.
 */
export class Connection {
  #url;
  #name;
  #on;
  #socket;
  #timer;
  #attempt = 0;
  #nextId = 1;
  #pending = new Map();
  #ended = "";
  #isOpen = false;
  #isRefused = false;
  #follows;
  #wanted;
  #matchIndex = 0;

  /**
   * @param follows whether it goes on with the next match when one is over
   * @param wanted what to read, as `begin` takes it; null: nothing until `begin`
   */
  constructor(url, name, on, follows = false, wanted = {}) {
    [this.#url, this.#name, this.#on, this.#follows] = [url, name, on, follows];
    if (wanted !== null) this.#openFor(wanted);
  }

  /** Whether it reads a match that is over. */
  get isOver() {
    return this.#wanted?.isOver ?? false;
  }

  /** Requests the next frame. */
  acknowledge(sequence) {
    this.#send({ ack: { sequence, matchIndex: this.#matchIndex } });
  }

  /** Controls the playback; resolves to its new state. */
  async control(command) {
    return (await this.#request({ control: command })).control;
  }

  /** The status of the daemon. @param runId of a match; undefined: of the one that runs */
  async status(runId) {
    return (await this.#request({ status: { runId } })).status;
  }

  /** The numbers of the match after a game loop; of a recording all of it. */
  async timeline(afterGameLoop, runId) {
    return (await this.#request({ timeline: { afterGameLoop, whole: true, runId } })).timeline;
  }

  /** The series of agents after a game loop; of a recording all of it. */
  async plots(afterGameLoop, runId) {
    return (await this.#request({ plots: { afterGameLoop, whole: true, runId } })).plots;
  }

  /**
   * Subscribes again.
   * @param wanted { run, start, isOver, holds }: the run_id of a match (undefined: the one that runs, else the next); a kept frame to begin
   * with (undefined: live); whether the match is over, or the one on the page is; whether only requests are answered, and no frame is read
   */
  begin(wanted) {
    this.close();
    this.#openFor(wanted);
  }

  /** Closes the connection for good. */
  close() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#forget("the position has changed");
  }

  #openFor(wanted) {
    this.#wanted = wanted;
    this.#open();
  }

  #open() {
    this.#on.state("connecting", this.#attempt > 0 ? this.#ended || "trying again" : "");
    const socket = new WebSocket(this.#url, subprotocols());
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#on.state("waiting", "");
      [this.#matchIndex, this.#isOpen, this.#isRefused] = [0, false, false];
      this.#send({ token: token(), subscribe: this.#subscription() });
    };
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket && data instanceof ArrayBuffer) this.#read(new Uint8Array(data));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
  }

  #subscription() {
    const { run: runId, start: startGameLoop, isOver, holds } = this.#wanted;
    const subscribe = { policy: 0, encoding: COLUMNS, credits: 1, name: this.#name, drawings: true, newest: true, runId };
    // The first frame is not acknowledged: the connection stays, and answers.
    if (holds) return runId === undefined ? subscribe : { ...subscribe, startOldest: true };
    if (startGameLoop !== undefined) subscribe.startGameLoop = startGameLoop;
    if (this.#follows && !isOver) subscribe.follow = true;
    return subscribe;
  }

  /** After a message that cannot be read, as a whole or in its frame, the connection is another one. */
  #read(bytes) {
    try {
      this.#take(read(ServerMessage, bytes));
    } catch (error) {
      if (!(error instanceof ColumnsError || error instanceof WireError)) throw error;
      this.#ended = `a message could not be read: ${error.message}`;
      this.#socket?.close();
    }
  }

  #take({ match, matchEnded, frame, result, error, end, drawings }) {
    const holds = this.#wanted.holds ?? false;
    if (result) this.#settle(result.id ?? 0, (request) => request.resolve(result));
    else if (match) {
      [this.#attempt, this.#isOpen, this.#ended] = [0, true, ""];
      if (!holds) this.#on.match(match);
      this.#on.state("open", "");
      // After a lost connection it goes on live.
      if (!this.isOver) this.#wanted = { ...this.#wanted, start: undefined };
    } else if (matchEnded) {
      this.#matchIndex++;
      this.#wanted = {};
      this.#on.matchEnded(matchEnded);
    } else if (end) this.#ended = end.reason ?? "";
    else if (error) {
      if (error.fatal) [this.#ended, this.#isRefused] = [error.message ?? "", !this.#isOpen];
      if (error.code === "UNAUTHENTICATED") this.#on.unauthenticated();
      this.#settle(error.id ?? 0, (request) => request.reject(new Refusal(error.message ?? "refused")));
    } else if (holds) return;
    else if (frame) this.#on.frame(frame);
    else if (drawings) this.#on.drawings(drawings);
  }

  #lost() {
    this.#forget("the connection was lost");
    const { run, isOver = false, holds = false } = this.#wanted;
    const [why, isRefused] = [this.#ended, this.#isRefused];
    if (why !== "" && isRefused && run !== undefined && !holds) this.#on.refused?.(why);
    if (why !== "" && (holds ? !isRefused || run !== undefined : run !== undefined && (isOver || !isRefused))) {
      // Read to its end, it stays; and if it cannot be held, being one frame or not kept any more, another one answers.
      this.#ended = "";
      this.#openFor({ run: holds ? undefined : run, isOver: true, holds: true });
      return;
    }
    if (isOver) this.#wanted = { run, isOver, holds: true };
    else if (isRefused) this.#wanted = {};
    const wait = waitBefore(this.#attempt++);
    this.#on.state(this.#ended === "end of recording" ? "over" : "lost", this.#ended, wait);
    this.#timer = setTimeout(() => this.#open(), wait);
  }

  #request(message) {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) reject(new Refusal("not connected"));
      else if (this.#pending.size >= MAX_PENDING) reject(new Refusal("too many requests wait for their answers"));
      else {
        const id = this.#nextId++;
        this.#pending.set(id, { resolve, reject });
        this.#send({ id, ...message });
      }
    });
  }

  #settle(id, how) {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    if (request) how(request);
  }

  #forget(why) {
    for (const request of this.#pending.values()) request.reject(new Refusal(why));
    this.#pending.clear();
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(write(ClientMessage, message));
  }
}
