// One WebSocket to the daemon: subscribes, asks, and comes back by itself when it is lost.

import { ColumnsError } from "../common/columns.js";
import { ClientMessage, ServerMessage } from "./messages.js";
import { subprotocols, token } from "./token.js";
import { read, WireError, write } from "./wire.js";

const COLUMNS = 3;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5000;
const MAX_PENDING = 32;

/** A request that the daemon refused, or that was lost with its connection. */
export class Refusal extends Error {}

/** How long to wait before trying for the nth time (from 0): doubled each time, to a bound, and not all pages at once. */
export function waitBefore(attempt, random = Math.random()) {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.75 + random / 2);
}

/**
 * Calls on[name] for each message: match, matchEnded (where the page follows), frame, drawings, and `state(state, text)` with one of
 * connecting, waiting (for a match), open, over (the match has ended) and lost; and unauthenticated if a token is needed. The daemon sends
 * one frame at a time, the newest when `acknowledge` has requested it: a page that lags skips frames.
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
  #start;
  #run;
  #follows;

  /** @param follows whether it goes on with the next match when one is over */
  constructor(url, name, on, follows = false) {
    [this.#url, this.#name, this.#on, this.#follows] = [url, name, on, follows];
    this.#open();
  }

  /** Requests the next frame. */
  acknowledge(sequence) {
    this.#send({ ack: { sequence } });
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

  /** Subscribes again, from a kept frame on; undefined: live. @param runId of a match that is over; then, what is live follows */
  begin(startGameLoop, runId) {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#forget("the position has changed");
    [this.#start, this.#run] = [startGameLoop, runId];
    this.#open();
  }

  /** Closes the connection for good. */
  close() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#forget("closed");
  }

  #open() {
    this.#on.state("connecting", this.#attempt > 0 ? this.#ended || "trying again" : "");
    const socket = new WebSocket(this.#url, subprotocols());
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#on.state("waiting", "");
      const subscribe = { policy: 0, encoding: COLUMNS, credits: 1, name: this.#name, drawings: true, newest: true };
      if (this.#start !== undefined) subscribe.startGameLoop = this.#start;
      if (this.#run !== undefined) subscribe.runId = this.#run;
      else if (this.#follows) subscribe.follow = true;
      // After a lost connection it goes on live.
      this.#start = undefined;
      this.#send({ token: token(), subscribe });
    };
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket && data instanceof ArrayBuffer) this.#read(new Uint8Array(data));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
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
    if (frame) this.#on.frame(frame);
    else if (drawings) this.#on.drawings(drawings);
    else if (result) this.#settle(result.id ?? 0, (request) => request.resolve(result));
    else if (match) {
      this.#attempt = 0;
      this.#ended = "";
      this.#on.match(match);
      this.#on.state("open", "");
    } else if (matchEnded) this.#on.matchEnded(matchEnded);
    else if (end) this.#ended = end.reason ?? "";
    else if (error) {
      if (error.fatal) this.#ended = error.message ?? "";
      if (error.code === "UNAUTHENTICATED") this.#on.unauthenticated();
      this.#settle(error.id ?? 0, (request) => request.reject(new Refusal(error.message ?? "refused")));
    }
  }

  #lost() {
    this.#forget("the connection was lost");
    // The match that is over has been read to its end.
    const isRead = this.#run !== undefined && this.#ended !== "";
    this.#run = undefined;
    if (isRead) {
      this.#ended = "";
      this.#open();
      return;
    }
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
