import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ROOT } from "./build.mjs";

/** The `environment` object of a result. */
export function environment(browser, clock, packages) {
  return {
    date: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    commit: commit(),
    cpu: os.cpus()[0]?.model.trim() ?? process.arch,
    cores: os.cpus().length,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    load: process.platform === "win32" ? [] : os.loadavg(),
    runtimes: { Chromium: browser.version(), node: process.versions.node },
    packages: Object.fromEntries([...packages, "playwright-core", "esbuild", "ws"].sort().map((name) => [name, version(name)])),
    clock,
  };
}

function version(name) {
  const file = path.join(ROOT, "benchmarks", "browser", "node_modules", ...name.split("/"), "package.json");
  return JSON.parse(readFileSync(file, "utf8")).version;
}

function commit() {
  try {
    return execFileSync("git", ["-C", ROOT, "rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
}
