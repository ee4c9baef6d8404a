import { parseArgs } from "node:util";
import { BROWSERS } from "./browser.mjs";
import { CODECS } from "./build.mjs";
import { Refusal } from "./errors.mjs";

export const HELP = `Usage: node benchmarks/browser/run.mjs FILE.mcap [options]

Decodes and encodes frames of a recording with each codec in a browser without a window, then takes them from the daemon by WebSocket.

  --browser NAME            chromium or firefox (default chromium)
  --codecs A,B              codecs (default: all); --list names them
  --frames N                frames, evenly spaced (default 200)
  --rounds R                times that each codec runs, each in a fresh page, in shuffled order (default 3)
  --json OUT                file to write the result to
  --seed N                  start of the random order of the codecs (default 1)
  --warm-up MS              least time that each operation runs before it is timed (default 400)
  --end-to-end-frames N     frames that each end to end run takes; 0: none (default 224, 10 s at 22.4 Hz)
  --no-http                 without requests and posts of frames by HTTP
  --start-offset SECONDS    game time to leave out at the start
  --playback-duration SECONDS  game time to take (default: to the end)
  --chromium PATH           Chromium, Chrome or Edge; else the environment's CHROME, else the usual places
  --firefox PATH            Firefox; else the environment's FIREFOX, else the usual places
  --daemon PATH             abathur-sync or abathur-sync.dll (default: this checkout's Release build)
  --list, --help

Exit codes: 0 done, 1 failed on the way, 2 wrong usage, 3 bad recording, 130 interrupted (what is measured is written).`;

const FLAGS = { "no-http": { type: "boolean" }, list: { type: "boolean" }, help: { type: "boolean", short: "h" } };
const TEXTS = ["codecs", "frames", "rounds", "json", "seed", "warm-up", "end-to-end-frames", "start-offset", "playback-duration", "browser", "chromium",
  "firefox", "daemon"];

/** The command line as an object; throws a Refusal that says what is wrong. */
export function parse(args) {
  let parsed;
  try {
    const options = { ...FLAGS, ...Object.fromEntries(TEXTS.map((name) => [name, { type: "string" }])) };
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Refusal(2, error.message.split("\n")[0]);
  }
  const { values, positionals } = parsed;
  if (values.help || values.list) return values;
  if (positionals.length !== 1) throw new Refusal(2, "which FILE.mcap? One, please; see --help");
  const codecs = values.codecs === undefined ? CODECS : [...new Set(values.codecs.split(",").map((name) => name.trim()).filter(Boolean))];
  if (codecs.length === 0) throw new Refusal(2, "--codecs is empty");
  const unknown = codecs.find((name) => !CODECS.includes(name));
  if (unknown !== undefined) throw new Refusal(2, `there is no codec ${unknown}; there are ${CODECS.join(", ")}`);
  const browser = values.browser ?? "chromium";
  if (!Object.hasOwn(BROWSERS, browser)) throw new Refusal(2, `there is no browser ${browser}; there are ${Object.keys(BROWSERS).join(", ")}`);
  const number = (name, fallback, least, most, whole = true) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (value === undefined) return undefined;
    if (!(value >= least && value <= most) || (whole && !Number.isInteger(value))) throw new Refusal(2, `--${name} must be ${least} to ${most}`);
    return value;
  };
  return {
    file: positionals[0],
    codecs,
    frames: number("frames", 200, 1, 100_000),
    rounds: number("rounds", 3, 1, 1000),
    seed: number("seed", 1, 0, 2 ** 31),
    warmUpMs: number("warm-up", 400, 0, 60_000),
    endToEndFrames: number("end-to-end-frames", 224, 0, 100_000),
    startOffset: number("start-offset", undefined, 0, 1e6, false),
    playbackDuration: number("playback-duration", undefined, 0, 1e6, false),
    http: !values["no-http"],
    json: values.json,
    browser,
    chromium: values.chromium,
    firefox: values.firefox,
    daemon: values.daemon,
  };
}
