// Puts the page together: one connection, one world, and the parts that show it.

import { inSeconds, three } from "./common/format.js";
import { byId, setText } from "./common/page.js";
import { Connection, Refusal } from "./daemon/connection.js";
import { askForToken } from "./daemon/token.js";
import { listenForKeys } from "./keys.js";
import { MapTools } from "./map/map_tools.js";
import { MapView } from "./map/map_view.js";
import { MatchNumbers } from "./match/match_numbers.js";
import { stateOf } from "./match/match_state.js";
import { Names, namesOfDaemon } from "./match/names.js";
import { World } from "./match/world.js";
import { showResources } from "./panels/resources.js";
import { Compare } from "./panels/compare.js";
import { showMatch, showPlace, showRate, showState } from "./panels/match_header.js";
import { NextMatch } from "./panels/next_match.js";
import { showEmpty, showFooter, tell, tellWhyRefused } from "./panels/notices.js";
import { ProductionPanel } from "./panels/production_panel.js";
import { Recordings } from "./panels/recordings.js";
import { StreamCharts } from "./panels/stream_charts.js";
import { Subscribers } from "./panels/subscribers.js";
import { UnitList } from "./panels/unit_list.js";
import { UnitPanel } from "./panels/unit_panel.js";
import { copyLink, momentOf, saveScreenshot } from "./playback/links.js";
import { MatchEnd } from "./playback/match_end.js";
import { OpenedMoment } from "./playback/opened_moment.js";
import { Playback } from "./playback/playback.js";
import { Rewind } from "./playback/rewind.js";
import { SecondMatch } from "./playback/second_match.js";
import { startTheme } from "./theme.js";
import { DrawingLayers } from "./time/drawing_layers.js";
import { MatchDrawings } from "./time/match_drawings.js";
import { OverTime } from "./time/over_time.js";

const STATUS_MS = 500;
const PANELS_MS = 200;
const HIDDEN_MS = 1000;

const parameters = new URLSearchParams(location.search);
const recording = parameters.get("recording") ?? undefined;
const own = `dashboard ${Math.random().toString(36).slice(2, 8)}`;
const world = new World();
let names = new Names();
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

const map = new MapView(byId("map"), world, stillness.matches);
stillness.addEventListener("change", () => (map.isStill = stillness.matches));
const playback = new Playback(world, control);
const layers = new DrawingLayers();
const drawings = new MatchDrawings(layers, world, map);
const charts = new StreamCharts(byId("charts"));
const subscribers = new Subscribers(byId("subscribers"), own);
const compare = new Compare();
const unitPanel = new UnitPanel(byId("unit"), world, names, { follow, clear: () => choose(undefined) });
const unitList = new UnitList(byId("units"), world, names, (tags) => map.selection.set(tags));
const mapTools = new MapTools(map, world);
const productionPanel = new ProductionPanel(world, names);
map.selection.onChange = showSelection;
const recordings = new Recordings(recording, open, tell);
map.onFollows = (isOn) => (unitPanel.follows = isOn);
listenForKeys(
  playback,
  { follow: () => follow(!map.follows), clear: () => choose(undefined), mark: (direction) => overTime.jump(direction), copy, picture },
  mapTools.keys);
byId("copy-link").addEventListener("click", copy);
byId("screenshot").addEventListener("click", picture);
byId("zoom-in").addEventListener("click", () => zoom(1.5));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
byId("zoom-fit").addEventListener("click", () => zoom(0));

let acknowledges = false;
let canRewind = false;
let delay = 0;
let subscriptions = 0;
let panelsShown = 0;
let everOpen = false;
let matchEnd;
let connected = { state: "connecting", why: "" };
const opened = new OpenedMoment(location.hash);

const path = recording === undefined ? "v1/sync" : `v1/recordings/${encodeURIComponent(recording)}/sync`;
const connection = new Connection(new URL(path, location.href.replace(/^http/, "ws")).href, own, {
  state(state, why) {
    connected = { state, why };
    if (state === "open") everOpen = true;
    showStates();
    if (state === "lost") matchEnd.text = "";
    if (state === "lost" || state === "over") playback.take(undefined);
    if (state === "lost" && recording !== undefined && !everOpen) tellWhyRefused(path, recording);
  },
  match(match) {
    showNames(new Names(match.gameData));
    if (match.gameData === undefined) showNamesOfDaemon();
    drawings.show([]);
    if (match.runId !== world.match?.runId) {
      matchEnd.begin();
      numbers.begin();
      layers.begin();
      choose(undefined);
    }
    world.begin(match);
    map.begin();
    charts.restart();
    showMatch(match, recording);
    compare.run = recording === undefined ? undefined : match.runId;
    recordings.refresh();
    lookAtStatus();
  },
  frame(frame) {
    const now = performance.now();
    world.apply(frame, playback.isPaused ? 1 : playback.rate, now);
    charts.add(frame, now);
    map.update();
    acknowledge(frame.sequence);
  },
  matchEnded: (ended) => matchEnd.take(ended),
  unauthenticated: askForToken,
  drawings: (message) => drawings.show(message.layers),
}, recording === undefined);
const numbers = new MatchNumbers(connection);
const overTime = new OverTime({ world, playback, numbers, layers }, () => names, seek);
const other = parameters.get("with");
const second = other === null ? undefined : new SecondMatch(other, `${own} B`, layers, stillness.matches);
startTheme((theme, areForced) => {
  for (const each of [map, second?.map]) each?.setTheme(theme, areForced);
});
if (parameters.get("view") === "stream") document.body.dataset.view = "stream";

const rewind = new Rewind(
  (gameLoop, over) => {
    subscriptions++;
    acknowledges = false;
    connection.begin(gameLoop, over);
  },
  (sequence) => connection.acknowledge(sequence));
matchEnd = new MatchEnd({ world, connection, rewind, nextMatch: new NextMatch(() => rewind.leave()), changed: showStates });

function showNames(known) {
  names = unitPanel.names = unitList.names = map.names = productionPanel.names = known;
  if (second) second.map.names = known;
}

async function showNamesOfDaemon() {
  const replaced = names;
  try {
    const known = await namesOfDaemon();
    // Unless another match has come meanwhile.
    if (names === replaced) showNames(known);
  } catch {
    // The page shows the numbers.
  }
}

/** The next frame is requested when this one is visible: a page gets no more frames than it shows, and does not lag. */
function acknowledge(sequence) {
  if (acknowledges) return;
  acknowledges = true;
  const of = subscriptions;
  const answer = () => {
    // A frame of an earlier subscription has no answer in this one.
    if (of !== subscriptions) return;
    acknowledges = false;
    if (canRewind) rewind.shown(sequence, world.gameLoop);
    else connection.acknowledge(sequence);
    showPanels();
  };
  if (document.hidden) setTimeout(answer, HIDDEN_MS);
  else requestAnimationFrame(answer);
}

function showPanels(always = false) {
  showPlace(world.gameLoop);
  showStates();
  playback.show();
  const now = performance.now();
  if (!always && now - panelsShown < PANELS_MS) return;
  panelsShown = now;
  showResources(byId("resources"), world.rest);
  unitPanel.update();
  unitList.update(map.selection.tags);
  productionPanel.update();
  mapTools.showFights();
  overTime.show(second?.numbers.timeline);
}

async function lookAtStatus() {
  try {
    const status = await connection.status();
    canRewind = status.playback === undefined;
    delay = inSeconds(status.delay);
    playback.take(canRewind ? rewind.take(await matchEnd.kept(status)) : status.playback);
    numbers.look(!canRewind, canRewind ? world.match?.runId : undefined);
    second?.follow({ gameLoop: world.gameLoop, paused: playback.isPaused, rate: playback.rate });
    opened.go({ world, map, playback, choose });
    subscribers.update(status);
    showRate(status.framesPerSecond, status.playback);
    showFooter(status);
  } catch (error) {
    // The header shows that the connection is lost.
    if (!(error instanceof Refusal)) throw error;
  }
}

async function control(command) {
  try {
    return await (canRewind ? rewind : connection).control(command);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tell(error.message);
    return undefined;
  }
}

function choose(tag) {
  map.selection.set(tag === undefined ? [] : [tag]);
}

function showSelection() {
  const { single, tags } = map.selection;
  if (single === undefined) map.follows = false;
  if (tags.size > 1) unitPanel.chooseMany(tags);
  else unitPanel.choose(single);
  unitPanel.follows = map.follows;
  unitList.update(tags);
  map.invalidate();
}

function follow(isOn) {
  map.follows = isOn && unitPanel.tag !== undefined;
  if (map.follows && map.view.isWhole) map.view.zoom(3);
}

function zoom(factor) {
  map.follows = false;
  if (factor === 0) map.view.fit();
  else map.view.zoom(factor);
  map.invalidate();
}

function open(name) {
  const url = new URL(location.href);
  url.search = name === undefined ? "" : new URLSearchParams({ recording: name }).toString();
  location.assign(url);
}

function seek(gameLoop) {
  if (playback.state === undefined) tell("This match cannot be rewound: the daemon keeps no history (--history-mb).");
  else playback.seek(gameLoop);
}

function showStates() {
  if (matchEnd?.text) {
    showState({ name: "ended", text: matchEnd.text });
    showEmpty("open", everOpen, true);
    return;
  }
  showState(stateOf(connected.state, playback.state, world.gameLoop, delay), connected.why);
  showEmpty(connected.state, everOpen, world.gameLoop !== undefined);
}

async function copy() {
  tell(await copyLink(momentOf({ world, map, tag: unitPanel.tag })));
}

async function picture() {
  tell(`Saved as ${await saveScreenshot(byId("map"), `abathur-${world.gameLoop ?? 0}`)}.`);
}

setInterval(() => {
  if (!document.hidden) lookAtStatus();
}, STATUS_MS);

/** Charts move while the page is visible, even without frames. */
setInterval(() => {
  if (document.hidden) return;
  const now = performance.now();
  charts.draw(now);
  showPanels();
  const { fps, p50, p99 } = map.times.over(now, 2);
  setText(byId("drawing"), `Map drawn ${three(fps)} times a second, p50 ${three(p50)} ms, p99 ${three(p99)} ms`);
}, PANELS_MS);

/** For tests, and for users of the console. */
globalThis.dashboard = { world, map, playback, connection, unitPanel, choose, numbers, second };
