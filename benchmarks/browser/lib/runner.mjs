import { MAX_FRAMES } from "./http.mjs";
import { compressed } from "./sizes.mjs";
import { evenlySpaced } from "./frames.mjs";
import { random, shuffled } from "./statistics.mjs";

const COMPRESSED_FRAMES = 40;

/** Runs every codec in a page of its own, round by round; gives up between two pages when cancelled. */
export class Runner {
  /** @param {object} given browser, origin and stored frames of the site, options, failures (of compilers), progress(text), isCancelled() */
  constructor(given) {
    Object.assign(this, given);
    this.runs = Object.fromEntries(this.options.codecs.map((name) => [name, emptyRun(name, this.failures[name] ?? null)]));
    this.packages = new Set(["protobufjs"]);
  }

  /** Checks every frame first, in all codecs, then times. */
  async run() {
    await this.inPage(async (page) => {
      const state = await page.evaluate(() => harness.state());
      if (!state.isolated) throw new Error("the page is not cross-origin isolated");
      this.clock = await page.evaluate(() => harness.clock());
      this.canCollect = state.gc;
    });
    for (const name of this.open()) await this.attempt(name, "checking", (page, run) => this.check(page, run));
    const next = random(this.options.seed);
    for (let round = 1; round <= this.options.rounds; round++) {
      for (const name of shuffled(this.open(), next)) {
        await this.attempt(name, `round ${round} of ${this.options.rounds}: timing`, (page, run) => this.time(page, run));
      }
    }
  }

  open() {
    return Object.keys(this.runs).filter((name) => this.runs[name].failure === null);
  }

  async attempt(name, what, does) {
    if (this.isCancelled()) return;
    const run = this.runs[name];
    this.progress(`${what} ${name}`);
    try {
      await this.inPage(async (page) => {
        Object.assign(run, await page.evaluate((each) => harness.load(each), name));
        for (const each of run.packages) this.packages.add(each);
        await does(page, run);
      });
    } catch (error) {
      // A closed browser is the interrupt's, not the codec's.
      if (!this.isCancelled()) run.failure = String(error.message ?? error).split("\n")[0].replace(/^(page\.evaluate|Evaluation failed): /, "").slice(0, 200);
    }
  }

  async check(page, run) {
    run.failure = await page.evaluate(() => harness.check());
    run.cannotCarry = await page.evaluate(() => harness.cannotCarry());
    if (run.failure !== null) return;
    run.checked = run.bytes.length;
    if (run.isStream) return;
    await page.evaluate((numbers) => harness.send(numbers), evenlySpaced(run.bytes.length, COMPRESSED_FRAMES));
    run.compressed = await compressed(this.stored.codec);
  }

  async time(page, run) {
    const options = { resolutionNs: this.clock.resolution_ns, warmUpMs: this.options.warmUpMs };
    const { samples, batch } = await page.evaluate((each) => harness.time(each), options);
    run.rounds.push(samples);
    run.batch = batch;
    if (run.isStream || !this.options.http) return;
    run.fetched.push(await page.evaluate((numbers) => harness.fetch(numbers), evenlySpaced(run.bytes.length, MAX_FRAMES)));
  }

  async inPage(does) {
    const { page, close } = await this.browser.open();
    try {
      await page.goto(this.origin);
      await page.waitForFunction(() => globalThis.harness !== undefined);
      return await does(page);
    } finally {
      await close();
    }
  }
}

function emptyRun(name, failure) {
  return { label: name, footnotes: [], cannotCarry: [], packages: [], failure, checked: 0, bytes: [], keyframes: null, compressed: null, fetched: [], batch: null, rounds: [] };
}
