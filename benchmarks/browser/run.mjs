// Codecs in a real browser over the frames of a recording. See README.md and --help.
import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import path from "node:path";

const INSTALL = "the harness is not installed: run `npm ci` in benchmarks/browser";

async function main(args) {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    process.stderr.write(`browser: Node 20 or newer is needed, this is ${process.versions.node}\n`);
    return 1;
  }
  const { Refusal } = await import("./lib/errors.mjs");
  try {
    const modules = await load();
    return await modules.run(args);
  } catch (error) {
    if (!(error instanceof Refusal) && error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message = error instanceof Refusal ? error.message : INSTALL;
    process.stderr.write(`browser: ${message}\n`);
    return error instanceof Refusal ? error.code : 1;
  }
}

async function load() {
  const { HELP, parse } = await import("./lib/options.mjs");
  const { build, clean, CODECS } = await import("./lib/build.mjs");
  const { findChromium } = await import("./lib/chromium.mjs");
  const { endToEnd } = await import("./lib/end_to_end.mjs");
  const { environment } = await import("./lib/environment.mjs");
  const { Refusal } = await import("./lib/errors.mjs");
  const { read } = await import("./lib/frames.mjs");
  const { row, table } = await import("./lib/result.mjs");
  const { Runner } = await import("./lib/runner.mjs");
  const { serve } = await import("./lib/site.mjs");
  const { LEVELS } = await import("./lib/sizes.mjs");
  const { chromium } = await import("playwright-core");

  async function run(args) {
    const options = parse(args);
    if (options.help || options.list) {
      process.stdout.write(`${options.help ? HELP : CODECS.join("\n")}\n`);
      return 0;
    }
    if (options.json && !existsSync(path.dirname(path.resolve(options.json)))) throw new Refusal(2, `there is no folder to write ${options.json} to`);
    const executablePath = findChromium(options.chromium);
    const interrupt = { happened: false, browser: undefined };
    process.once("SIGINT", () => {
      interrupt.happened = true;
      progress("interrupted: writing what is measured");
      interrupt.browser?.close().catch(() => {});
    });
    const isCancelled = () => interrupt.happened;
    progress("reading frames");
    const { frames, recording, played } = await read(options, isCancelled);
    progress("compiling schemas");
    const { site, failures } = await build(options.codecs);
    const server = await serve(site, frames);
    const browser = await launch(executablePath);
    interrupt.browser = browser;
    try {
      const runner = new Runner({ browser, origin: server.origin, received: server.received, options, failures, progress, isCancelled });
      await runner.run().catch((error) => {
        if (!isCancelled()) throw error;
      });
      const stages = options.endToEndFrames > 0 ? await endToEnd(runner, options, played, progress, isCancelled) : null;
      const numbers = frames.map((frame) => frame.number);
      const codecs = Object.fromEntries(Object.entries(runner.runs).map(([name, each]) => [name, row(each, numbers)]));
      const result = {
        environment: environment(browser, runner.clock ?? null, runner.packages),
        recording,
        frames: frames.length,
        rounds: options.rounds,
        seed: options.seed,
        trim: 0.25,
        compression_levels: LEVELS,
        language: "browser",
        interrupted: interrupt.happened,
        codecs,
        end_to_end: stages,
      };
      if (options.json) {
        // First beside it, so that a full disk does not leave half a result.
        await writeFile(`${options.json}.partial`, `${JSON.stringify(result)}\n`);
        await rename(`${options.json}.partial`, options.json);
      }
      process.stdout.write(`${table(codecs, stages)}\n`);
      return interrupt.happened ? 130 : 0;
    } finally {
      await browser.close().catch(() => {});
      server.close();
      await clean();
    }
  }

  async function launch(executablePath) {
    // A container's root user has no sandbox; the pages are our own, from the loopback.
    const isRoot = process.getuid?.() === 0;
    const args = ["--js-flags=--expose-gc", "--disable-dev-shm-usage", "--disable-background-timer-throttling"];
    try {
      return await chromium.launch({ executablePath, headless: true, chromiumSandbox: !isRoot, args, handleSIGINT: false });
    } catch (error) {
      throw new Refusal(1, `${executablePath} does not start: ${String(error.message).split("\n")[0]}`);
    }
  }

  return { run };
}

const isTerminal = process.stderr.isTTY;
function progress(text) {
  process.stderr.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
}

process.exitCode = await main(process.argv.slice(2));
if (isTerminal) process.stderr.write("\r\x1b[K");
