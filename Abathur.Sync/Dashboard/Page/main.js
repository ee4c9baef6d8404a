// Puts the page together: one connection, one world, and the parts that show it.

import { inSeconds, three } from "./common/format.js";
import { byId, setText } from "./common/page.js";
import { Connection } from "./daemon/connection.js";
import { MatchList } from "./daemon/match_list.js";
import { Refusal } from "./daemon/refusal.js";
import { askForToken } from "./daemon/token.js";
import { listenForKeys } from "./keys.js";
import { MapTools } from "./map/map_tools.js";
import { MapView } from "./map/map_view.js";
import { MatchNumbers } from "./match/match_numbers.js";
import { stateOf } from "./match/match_state.js";
import { World } from "./match/world.js";
import { showResources } from "./panels/resources.js";
import { Compare } from "./panels/compare.js";
import { EmptyState } from "./panels/empty_state.js";
import { showMatch, showPlace, showRate, showState } from "./panels/match_header.js";
import { Matches } from "./panels/matches.js";
import { NextMatch } from "./panels/next_match.js";
import { showFooter, tell, tellWhyRefused } from "./panels/notices.js";
import { ProductionPanel } from "./panels/production_panel.js";
import { RawMessage } from "./panels/raw_message.js";
import { Recordings } from "./panels/recordings.js";
import { ShownNames } from "./panels/shown_names.js";
import { StreamCharts } from "./panels/stream_charts.js";
import { Subscribers } from "./panels/subscribers.js";
import { UnitList } from "./panels/unit_list.js";
import { UnitPanel } from "./panels/unit_panel.js";
import { FirstMatch } from "./playback/first_match.js";
import { forgetRun } from "./playback/links.js";
import { MatchEnd } from "./playback/match_end.js";
import { MomentButtons } from "./playback/moment_buttons.js";
import { OpenedMoment } from "./playback/opened_moment.js";
import { BothPlayers } from "./playback/other_player.js";
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
const run = recording === undefined ? parameters.get("run") ?? undefined : undefined;
const own = `dashboard ${Math.random().toString(36).slice(2, 8)}`;
const world = new World();
const shownNames = new ShownNames(showNames);
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

const map = new MapView(byId("map"), world, stillness.matches);
stillness.addEventListener("change", () => (map.isStill = stillness.matches));
const playback = new Playback(world, control);
const layers = new DrawingLayers();
const drawings = new MatchDrawings(layers, world, map);
const charts = new StreamCharts(byId("charts"));
const subscribers = new Subscribers(byId("subscribers"), own);
const compare = new Compare();
const unitPanel = new UnitPanel(byId("unit"), world, shownNames.names, { follow, clear: () => choose(undefined) });
const unitList = new UnitList(byId("units"), world, shownNames.names, (tags) => map.selection.set(tags));
const mapTools = new MapTools(map, world);
const productionPanel = new ProductionPanel(world, shownNames.names);
map.selection.onChange = showSelection;
const recordings = new Recordings(recording, open, tell);
map.onFollows = (isOn) => (unitPanel.follows = isOn);
const list = new MatchList();
const empty = new EmptyState(tell);
const matches = new Matches(list, () => (recording === undefined ? world.match?.runId : undefined), () => recordings.names);
const both = new BothPlayers({ world, list, own, layers, isStill: stillness.matches });
const moment = new MomentButtons({ world, map, recording, tell, tag: () => unitPanel.tag, run: () => runOfLink() });
const path = recording === undefined ? "v1/sync" : `v1/recordings/${encodeURIComponent(recording)}/sync`;
const raw = new RawMessage({ world, path, plays: recording !== undefined, name: own, tell });
listenForKeys(
  playback,
  { follow: () => follow(!map.follows), clear: () => choose(undefined), mark: (way) => overTime.jump(way), moment, matches, both },
  { ...mapTools.keys, ...raw.keys });

let acknowledges = false;
let canRewind = false;
let delay = 0;
let subscriptions = 0;
let panelsShown = 0;
let everOpen = false;
let [matchEnd, first] = [];
let connected = { state: "connecting", why: "", isLost: false };
const opened = new OpenedMoment(location.hash);

const connection = new Connection(new URL(path, location.href.replace(/^http/, "ws")).href, own, {
  state(state, why) {
    connected = { state, why, isLost: state === "lost" || (connected.isLost && state === "connecting") };
    if (state === "open") everOpen = true;
    showStates();
    if (state === "lost" || state === "over") playback.take(undefined);
    if (state === "lost" && recording !== undefined && !everOpen) tellWhyRefused(path, recording);
  },
  match(match) {
    shownNames.begin(match);
    drawings.show([]);
    matches.players.add(match);
    const isNew = match.runId !== world.match?.runId;
    world.begin(match);
    if (isNew) {
      matchEnd.begin();
      numbers.begin();
      layers.begin();
      choose(undefined);
      both.begin();
      if (match.runId !== run) forgetRun();
    }
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
  matchEnded(ended) {
    [subscriptions, acknowledges] = [subscriptions + 1, false];
    matchEnd.take(ended);
  },
  refused: tell,
  unauthenticated: askForToken,
  drawings: (message) => drawings.show(message.layers),
}, recording === undefined, run === undefined ? {} : null);
const numbers = new MatchNumbers(connection);
const overTime = new OverTime({ world, playback, numbers, layers }, () => shownNames.names, seek);
const other = parameters.get("with");
const second = other === null ? undefined : new SecondMatch(other, `${own} B`, layers, stillness.matches);
let setTheme = () => {};
startTheme((theme, areForced) => {
  setTheme = (each) => each?.setTheme(theme, areForced);
  for (const each of [map, second?.map, both.other?.map]) setTheme(each);
});
both.onChange = (other) => {
  setTheme(other?.map);
  showNames(shownNames.names);
};
if (parameters.get("view") === "stream") document.body.dataset.view = "stream";

const rewind = new Rewind(
  (wanted) => {
    [subscriptions, acknowledges] = [subscriptions + 1, false];
    connection.begin(wanted);
  },
  (sequence) => connection.acknowledge(sequence));
const nextMatch = new NextMatch((runId) => rewind.leave(runId));
matchEnd = new MatchEnd({ world, connection, rewind, list, nextMatch, changed: showStates });
if (recording === undefined) first = new FirstMatch({ world, connection, list, empty, matchEnd }, run);

function showNames(known) {
  unitPanel.names = unitList.names = map.names = productionPanel.names = known;
  for (const each of [second, both.other]) if (each) each.map.names = known;
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
  overTime.show((second ?? both.other)?.numbers.timeline);
}

async function lookAtStatus() {
  if (connected.state === "waiting") {
    // It answers requests when there is a match.
    await first?.wait();
    return;
  }
  try {
    const status = await connection.status();
    canRewind = status.playback === undefined;
    delay = inSeconds(status.delay);
    const shown = canRewind ? await matchEnd.statusOf(status) : status;
    playback.take(canRewind ? rewind.take(shown?.history) : status.playback);
    numbers.look(!canRewind, canRewind ? world.match?.runId : undefined);
    const isLive = canRewind && !rewind.isAway && !rewind.isOver;
    (second ?? both.other)?.follow({ gameLoop: world.gameLoop, paused: playback.isPaused, rate: playback.rate, isLive });
    if (second === undefined) both.look(status.match?.runId);
    moment.recording = shown?.recording;
    moment.update();
    opened.go({ world, map, playback, choose });
    subscribers.update(status);
    showRate(shown?.framesPerSecond, status.playback);
    showFooter({ ...status, recording: shown?.recording });
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
  const { state, why, isLost } = connected;
  const hasFrame = world.gameLoop !== undefined;
  if (matchEnd?.text && isLost) showState({ name: "reconnecting", text: `${matchEnd.text} · reconnecting` }, why);
  else if (matchEnd?.text) showState({ name: "ended", text: matchEnd.text });
  else showState(stateOf(state, playback.state, world.gameLoop, delay), why);
  empty.show(matchEnd?.text && hasFrame ? "open" : state, everOpen, hasFrame);
}

/** The run_id that a link to the moment names: a playback has one match only. */
function runOfLink() {
  return canRewind && recording === undefined ? world.match?.runId : undefined;
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
globalThis.dashboard = { world, map, playback, connection, unitPanel, choose, numbers, second, both, list };
