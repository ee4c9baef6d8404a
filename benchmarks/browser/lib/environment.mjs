import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { BROWSERS } from "./browser.mjs";
import { HERE, ROOT } from "./paths.mjs";

/** The `environment` object of a result. */
export function environment(name, browser, runner) {
  const { label, driver } = BROWSERS[name];
  return {
    date: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    commit: commit(),
    cpu: os.cpus()[0]?.model.trim() ?? process.arch,
    cores: os.cpus().length,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    load: process.platform === "win32" ? [] : os.loadavg(),
    runtimes: { ...(browser && { [label]: browser.version }), node: process.versions.node },
    packages: Object.fromEntries([...runner.packages, driver, "esbuild", "ws"].sort().map((name) => [name, version(name)])),
    settings: settings(runner),
    clock: runner.clock ?? null,
  };
}

/** What a reader of the figures has to know of the browser. */
function settings({ canCollect }) {
  if (canCollect === undefined) return {};
  return { garbage: canCollect ? "collected before each row" : "collected when the browser does: a page cannot ask for it" };
}

function version(name) {
  const file = path.join(HERE, "node_modules", ...name.split("/"), "package.json");
  return JSON.parse(readFileSync(file, "utf8")).version;
}

function commit() {
  try {
    return execFileSync("git", ["-C", ROOT, "rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
}
