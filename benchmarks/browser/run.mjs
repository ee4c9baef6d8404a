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
  const { BROWSERS, findBrowser, launch, missing } = await import("./lib/browser.mjs");
  const { endToEnd } = await import("./lib/end_to_end.mjs");
  const { environment } = await import("./lib/environment.mjs");
  const { Refusal } = await import("./lib/errors.mjs");
  const { collect } = await import("./lib/content.mjs");
  const { exchange } = await import("./lib/exchange.mjs");
  const { http } = await import("./lib/http.mjs");
  const { row, table } = await import("./lib/result.mjs");
  const { Runner } = await import("./lib/runner.mjs");
  const { serve } = await import("./lib/site.mjs");
  const { STREAMS } = await import("./lib/streams.mjs");
  const { LEVELS } = await import("./lib/sizes.mjs");

  async function run(args) {
    const options = parse(args);
    if (options.help || options.list) {
      process.stdout.write(`${options.help ? HELP : CODECS.join("\n")}\n`);
      return 0;
    }
    if (options.json && !existsSync(path.dirname(path.resolve(options.json)))) throw new Refusal(2, `there is no folder to write ${options.json} to`);
    const executablePath = findBrowser(options);
    const interrupt = { happened: false, browser: undefined };
    process.once("SIGINT", () => {
      interrupt.happened = true;
      progress("interrupted: writing what is measured");
      interrupt.browser?.close().catch(() => {});
    });
    const isCancelled = () => interrupt.happened;
    // Without a browser there is nothing to do for a codec but to say so.
    const codecs = executablePath ? options.codecs : [];
    progress("reading frames");
    const content = await collect({ ...options, codecs }, isCancelled, progress);
    progress("compiling schemas");
    const { site, failures, generated } = await build(codecs);
    Object.assign(failures, content.failures);
    if (!executablePath) for (const name of options.codecs) failures[name] = missing(options.browser);
    const given = await exchange(generated);
    const server = await serve(site, content, given);
    const browser = executablePath && (await launch(options.browser, executablePath));
    interrupt.browser = browser;
    try {
      const runner = new Runner({ browser, origin: server.origin, stored: given.stored, options, failures, progress, isCancelled });
      if (browser) {
        await runner.run().catch((error) => {
          if (!isCancelled()) throw error;
        });
      }
      const exchanges = browser && options.http ? await http(runner, options, content.frames.length, progress, isCancelled) : null;
      const stages = browser && options.endToEndFrames > 0 ? await endToEnd(runner, options, content.played, progress, isCancelled) : null;
      const rows = Object.fromEntries(Object.entries(runner.runs).map(([name, each]) => [name, row(each, numbersOf(name, content))]));
      const result = {
        environment: environment(options.browser, browser, runner),
        recording: content.recording,
        frames: content.frames.length,
        rounds: options.rounds,
        seed: options.seed,
        trim: 0.25,
        compression_levels: LEVELS,
        language: BROWSERS[options.browser].language,
        browser: options.browser,
        interrupted: interrupt.happened,
        codecs: rows,
        http: exchanges,
        end_to_end: stages,
      };
      if (options.json) {
        // First beside it, so that a full disk does not leave half a result.
        await writeFile(`${options.json}.partial`, `${JSON.stringify(result)}\n`);
        await rename(`${options.json}.partial`, options.json);
      }
      process.stdout.write(`${table(rows, exchanges, stages)}\n`);
      return interrupt.happened ? 130 : 0;
    } finally {
      await browser?.close().catch(() => {});
      server.close();
      await clean();
    }
  }

  function numbersOf(name, { frames, streamFrames }) {
    return (name in STREAMS ? streamFrames : frames).map(({ number }) => number);
  }

  return { run };
}

const isTerminal = process.stderr.isTTY;
function progress(text) {
  process.stderr.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
}

process.exitCode = await main(process.argv.slice(2));
if (isTerminal) process.stderr.write("\r\x1b[K");
