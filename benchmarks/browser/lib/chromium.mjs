import { existsSync } from "node:fs";
import path from "node:path";
import { Refusal } from "./errors.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const MAC = ["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome", "Microsoft Edge.app/Contents/MacOS/Microsoft Edge"];
const WINDOWS = ["Chromium\\Application\\chrome.exe", "Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];

/** The browser: the option, else CHROME, else what lies where its installers put it. */
export function findChromium(option) {
  const named = option ?? process.env.CHROME;
  if (named !== undefined && named !== "") {
    if (existsSync(named)) return named;
    throw new Refusal(2, `there is no browser at ${named} (${option === undefined ? "the environment's CHROME" : "--chromium"})`);
  }
  const found = places().find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Refusal(2, "no Chromium found: install one (Debian: apt-get install chromium), or name it by --chromium PATH or the environment's CHROME");
}

function places() {
  if (process.platform === "win32") {
    const roots = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].map((name) => process.env[name]).filter(Boolean);
    return roots.flatMap((root) => WINDOWS.map((each) => path.join(root, each)));
  }
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return process.platform === "darwin" ? [...MAC.map((each) => path.join("/Applications", each)), ...onPath] : onPath;
}
