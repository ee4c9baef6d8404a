// How the stream to this page goes. Stamps are all of the daemon's clock; the page's own clock only measures the gaps between arrivals.

import { Chart } from "../charts/chart.js";
import { bytes, three } from "../common/format.js";
import { byId, setText } from "../common/page.js";

const ms = (value) => `${three(value)} ms`;
const REFRESH_MS = 200;

export class StreamCharts {
  #publish;
  #encode;
  #gap;
  #bytes;
  #dropped;
  #arrived;
  #drawn = 0;

  constructor(parent) {
    this.#publish = new Chart(parent, { title: "Capture to publish", format: ms });
    this.#encode = new Chart(parent, { title: "Publish to encoded", format: ms });
    this.#gap = new Chart(parent, { title: "Gap between arrivals", format: ms });
    this.#bytes = new Chart(parent, { title: "Bytes a frame (columns)", format: bytes });
    this.#dropped = new Chart(parent, { title: "Frames dropped", format: (value) => String(Math.round(value)), bars: true });
  }

  /** A new connection: the gap to its first frame is not counted. */
  restart() {
    this.#arrived = undefined;
  }

  /** @param isPast whether the page is in the past: then a frame is encoded when it is asked for, as the first one of a connection is */
  add(frame, now, isPast) {
    this.#publish.add(now, (frame.publishedNs - frame.capturedNs) / 1e6);
    if (frame.encodedNs && this.#arrived !== undefined && !isPast) this.#encode.add(now, (frame.encodedNs - frame.publishedNs) / 1e6);
    if (this.#arrived !== undefined) this.#gap.add(now, now - this.#arrived);
    this.#arrived = now;
    this.#bytes.add(now, frame.data.length + frame.earlier.reduce((sum, each) => sum + each.length, 0));
    this.#dropped.add(now, frame.dropped ?? 0);
  }

  /** @param times of the drawings of the map */
  draw(now, times) {
    if (now - this.#drawn < REFRESH_MS) return;
    this.#drawn = now;
    for (const chart of [this.#publish, this.#encode, this.#gap, this.#bytes, this.#dropped]) chart.draw(now);
    const { fps, p50, p99 } = times.over(now, 2);
    setText(byId("drawing"), `Map drawn ${three(fps)} times a second, p50 ${three(p50)} ms, p99 ${three(p99)} ms`);
  }
}
