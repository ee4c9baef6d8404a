import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { Refusal } from "./errors.mjs";
import { ROOT } from "./paths.mjs";

const BUILT = path.join(ROOT, "artifacts", "bin", "Abathur.Sync", "release", "abathur-sync.dll");

/**
 * Starts `abathur-sync play` on free ports. It stops when this process ends.
 * @returns {Promise<{url: string, stop: () => Promise<void>}>} the WebSocket's address
 */
export async function play(options, ...more) {
  const program = options.daemon ?? BUILT;
  if (!existsSync(program)) {
    throw new Refusal(options.daemon ? 2 : 1, `${program} is missing: run \`dotnet make.cs setup\` first, or name the daemon by --daemon`);
  }
  const ports = ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0"];
  const args = ["play", options.file, ...ports, "--wait-agents", "1", "--stop-with-parent", ...more];
  const [command, first] = program.endsWith(".dll") ? ["dotnet", [program]] : [program, []];
  const child = spawn(command, [...first, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.once("error", (error) => (errors += error.message));
  const lines = createInterface({ input: child.stdout });
  const ready = await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
  const address = /(?:^| )http=(\S+)/.exec(String(ready))?.[1];
  if (address === undefined) {
    const code = await ended;
    throw new Refusal(code === 3 ? 3 : code === 2 ? 2 : 1, `the daemon: ${errors.trim().split("\n")[0] || "did not start"}`);
  }
  lines.on("line", () => {});
  return {
    url: `ws://${address.replace(/^\w+:\/\//, "")}/v1/sync`,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** The part of the recording that is played, as the daemon's options. */
export function window(options) {
  const given = [];
  if (options.startOffset !== undefined) given.push("--start-offset", String(options.startOffset));
  if (options.playbackDuration !== undefined) given.push("--playback-duration", String(options.playbackDuration));
  return given;
}
