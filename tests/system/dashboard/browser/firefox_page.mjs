// Opens the dashboard in Firefox, waits until it shows the whole match, and prints what it shows as JSON.
import { createRequire } from "node:module";

const [modules, executablePath, address] = process.argv.slice(2);
const puppeteer = createRequire(modules)("puppeteer-core");
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
try {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(address);
  await page.waitForFunction(
    () => dashboard.world.gameLoop !== undefined && dashboard.numbers.timeline.gameLoops.length > 50
      && document.getElementById("lead").innerText !== "" && document.getElementById("state").innerText === "paused");
  const found = await page.evaluate(() => {
    const canvas = document.querySelector(".graph canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let at = 3; at < data.length; at += 4) painted += data[at] > 0 ? 1 : 0;
    return {
      gameLoop: dashboard.world.gameLoop,
      state: document.getElementById("state").innerText,
      rows: dashboard.numbers.timeline.gameLoops.length,
      lead: document.getElementById("lead").innerText,
      painted: (100 * painted) / (data.length / 4),
    };
  });
  console.log(JSON.stringify({ ...found, errors }));
} finally {
  await browser.close();
}
