// Runs what a test sends, a line of JSON each ({page, script, args}), in a Chromium: `script` is the body of an asynchronous function of page,
// context, args. Answers a line each: {value} or {error}. Pages are made when they are first named; what they complain of is kept in page.complaints.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(modules)("playwright-core");
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const pages = new Map();

async function pageOf(name, options) {
  if (!pages.has(name)) {
    const page = await (await browser.newContext(options)).newPage();
    page.setDefaultTimeout(60_000);
    page.complaints = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
    });
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    pages.set(name, page);
  }
  return pages.get(name);
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { page: name, options, script, args } = JSON.parse(line);
  let answer;
  try {
    const page = await pageOf(name, options);
    const value = await new AsyncFunction("page", "context", "args", script)(page, page.context(), args);
    answer = { value: value ?? null };
  } catch (error) {
    answer = { error: String(error.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
