// The browsers: where they are, and how they are started. Playwright drives Chromium; Firefox speaks WebDriver BiDi, which Puppeteer speaks.
import { existsSync } from "node:fs";
import path from "node:path";
import { Refusal } from "./errors.mjs";

/** What is known of each browser, by its name on the command line. */
export const BROWSERS = {
  chromium: {
    label: "Chromium",
    // What a result's `language` is.
    language: "browser",
    driver: "playwright-core",
    variable: "CHROME",
    install: "apt-get install chromium",
    names: ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"],
    mac: ["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome", "Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
    windows: ["Chromium\\Application\\chrome.exe", "Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"],
    start: startChromium,
  },
  firefox: {
    label: "Firefox",
    language: "firefox",
    driver: "puppeteer-core",
    variable: "FIREFOX",
    install: "apt-get install firefox-esr",
    names: ["firefox-esr", "firefox"],
    mac: ["Firefox.app/Contents/MacOS/firefox"],
    windows: ["Mozilla Firefox\\firefox.exe", "Mozilla Firefox ESR\\firefox.exe"],
    start: startFirefox,
  },
};

/**
 * The browser's program: the option, else the environment's, else what lies where its installers put it; undefined if there is none.
 * @param {{browser: string, chromium?: string, firefox?: string}} options
 */
export function findBrowser(options) {
  const { variable } = BROWSERS[options.browser];
  const option = options[options.browser];
  const named = option ?? process.env[variable];
  if (named !== undefined && named !== "") {
    if (existsSync(named)) return named;
    throw new Refusal(2, `there is no browser at ${named} (${option === undefined ? `the environment's ${variable}` : `--${options.browser}`})`);
  }
  return places(BROWSERS[options.browser]).find((place) => existsSync(place));
}

/** What to tell a user who has none. */
export function missing(name) {
  const { label, install, variable } = BROWSERS[name];
  return `no ${label} found: install one (Debian: ${install}), or name it by --${name} PATH or the environment's ${variable}`;
}

function places({ names, mac, windows }) {
  if (process.platform === "win32") {
    const roots = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].map((name) => process.env[name]).filter(Boolean);
    return roots.flatMap((root) => windows.map((each) => path.join(root, each)));
  }
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  const onPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return process.platform === "darwin" ? [...mac.map((each) => path.join("/Applications", each)), ...onPath] : onPath;
}

/**
 * Starts a browser without a window.
 * @returns {Promise<{version: string, open: () => Promise<{page: object, close: () => Promise<void>}>, close: () => Promise<void>}>}
 * open: a page with storage of its own, which evaluates functions
 */
export async function launch(name, executablePath) {
  try {
    return await BROWSERS[name].start(executablePath);
  } catch (error) {
    throw new Refusal(1, `${executablePath} does not start: ${String(error.message).split("\n")[0]}`);
  }
}

async function startChromium(executablePath) {
  const { chromium } = await import("playwright-core");
  // A container's root user has no sandbox; the pages are our own, from the loopback.
  const isRoot = process.getuid?.() === 0;
  const args = ["--js-flags=--expose-gc", "--disable-dev-shm-usage", "--disable-background-timer-throttling"];
  const browser = await chromium.launch({ executablePath, headless: true, chromiumSandbox: !isRoot, args, handleSIGINT: false });
  return opened(browser, browser.version(), () => browser.newContext());
}

async function startFirefox(executablePath) {
  const { launch: start } = await import("puppeteer-core");
  const browser = await start({ browser: "firefox", executablePath, headless: true, handleSIGINT: false, protocolTimeout: 0 });
  const version = (await browser.version()).replace(/^\w+\//, "");
  return opened(browser, version, () => browser.createBrowserContext());
}

function opened(browser, version, newContext) {
  return {
    version,
    async open() {
      const context = await newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(0);
      return { page, close: () => context.close().catch(() => {}) };
    },
    close: () => browser.close(),
  };
}
