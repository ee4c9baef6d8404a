// Puts the page together: one connection, one world, and the parts that show it.

import { inSeconds } from "./common/format.js";
import { byId } from "./common/page.js";
import { listenOnPopups } from "./common/popups.js";
import { Connection } from "./daemon/connection.js";
import { MatchList } from "./daemon/match_list.js";
import { Refusal } from "./daemon/refusal.js";
import { ShownFrames } from "./daemon/shown_frames.js";
import { askForToken } from "./daemon/token.js";
import { listenForKeys } from "./keys.js";
import { MapTools } from "./map/map_tools.js";
import { MapView } from "./map/map_view.js";
import { MatchNumbers } from "./match/match_numbers.js";
import { stateOf } from "./match/match_state.js";
import { World } from "./match/world.js";
import { showResources } from "./panels/resources.js";
import { ChosenUnits } from "./panels/chosen_units.js";
import { Compare } from "./panels/compare.js";
import { EmptyState } from "./panels/empty_state.js";
import { showMatch, showPlace, showRate, showState } from "./panels/match_header.js";
import { Matches } from "./panels/matches.js";
import { NextMatch } from "./panels/next_match.js";
import { showFooter, tell, whyRefused } from "./panels/notices.js";
import { PlayerBar } from "./panels/player_bar.js";
import { ProductionPanel } from "./panels/production_panel.js";
import { RawOpener } from "./panels/raw_opener.js";
import { Recordings } from "./panels/recordings.js";
import { ShownNames } from "./panels/shown_names.js";
import { StreamCharts } from "./panels/stream_charts.js";
import { Subscribers } from "./panels/subscribers.js";
import { UnitList } from "./panels/unit_list.js";
import { UnitPanel } from "./panels/unit_panel.js";
import { FirstMatch } from "./playback/first_match.js";
import { forgetRun, parseMoment } from "./playback/links.js";
import { MatchEnd } from "./playback/match_end.js";
import { MomentButtons } from "./playback/moment_buttons.js";
import { OpenedMoment } from "./playback/opened_moment.js";
import { BothPlayers } from "./playback/other_player.js";
import { Playback } from "./playback/playback.js";
import { Rewind } from "./playback/rewind.js";
import { startTheme } from "./theme.js";
import { DrawingLayers } from "./time/drawing_layers.js";
import { MatchDrawings } from "./time/match_drawings.js";
import { OverTime } from "./time/over_time.js";
import { WholeMatch } from "./time/whole_match.js";

const STATUS_MS = 500;
const PANELS_MS = 200;

const parameters = new URLSearchParams(location.search);
const recording = parameters.get("recording") ?? undefined;
/** Loaded where it is used. */
const { SecondMatch } = parameters.has("with") ? await import("./playback/second_match.js") : {};
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
const unitPanel = new UnitPanel(
  byId("unit"), world, shownNames.names, { follow: (isOn) => chosen.follow(isOn), clear: () => chosen.choose(undefined) });
const unitList = new UnitList(byId("units"), world, shownNames.names, (tags) => map.selection.set(tags));
const mapTools = new MapTools(map, world);
const productionPanel = new ProductionPanel(world, shownNames.names, (tags) => map.selection.set(tags));
const chosen = new ChosenUnits(map, unitPanel, unitList);
const recordings = new Recordings(recording, open, tell);
const list = new MatchList();
const empty = new EmptyState(tell, () => recordings.names);
const matches = new Matches(list, () => (recording === undefined ? world.match?.runId : undefined), () => recordings.names);
const both = new BothPlayers({ world, list, own, layers, isStill: stillness.matches, connection: () => connection });
const whole = new WholeMatch(parseMoment(location.hash).whole);
const moment = new MomentButtons({
  world, map, recording, tell, tag: () => unitPanel.tag, run: () => runOfLink(), whole: () => (isSeenAlready() ? undefined : whole.isOn),
});
const path = recording === undefined ? "v1/sync" : `v1/recordings/${encodeURIComponent(recording)}/sync`;
const raw = new RawOpener({ world, path, plays: recording !== undefined, name: own, tell });
listenForKeys(
  playback,
  { follow: () => chosen.follow(), clear: () => chosen.choose(undefined), mark: (way) => overTime.jump(way), moment, matches, both, whole },
  { ...mapTools.keys, ...raw.keys });
listenOnPopups();

const shownFrames = new ShownFrames();
let canRewind = false;
let delay = 0;
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
    if (state === "lost" && recording !== undefined && !everOpen) whyRefused(path, recording).then((reason) => (empty.note = reason));
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
      chosen.choose(undefined);
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
    const [now, isFirst] = [performance.now(), world.gameLoop === undefined];
    world.apply(frame, playback.isPaused ? 1 : playback.rate, now);
    charts.add(frame, now, rewind.isAway);
    if (isFirst) showStates();
    map.update();
    shownFrames.take(() => acknowledge(frame.sequence));
  },
  matchEnded(ended) {
    shownFrames.restart();
    matchEnd.take(ended);
  },
  refused: tell,
  unauthenticated: askForToken,
  drawings: (message) => drawings.show(message.layers),
}, recording === undefined, run === undefined ? {} : null);
const numbers = new MatchNumbers(connection);
const bar = new PlayerBar(world, numbers.timeline);
const overTime = new OverTime({ world, playback, numbers, layers }, () => shownNames.names, seek);
const other = parameters.get("with");
const second = other === null ? undefined : new SecondMatch(other, recording, `${own} B`, layers, stillness.matches);
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
    shownFrames.restart();
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

function acknowledge(sequence) {
  if (canRewind) rewind.shown(sequence, world.gameLoop);
  else connection.acknowledge(sequence);
  showPanels();
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
  mapTools.showFights();
  const compared = second && { name: other, world: second.world, timeline: second.numbers.timeline };
  productionPanel.update(both.exact?.world ?? second?.world, second === undefined ? "Enemy" : "B");
  whole.isOffered = !isSeenAlready();
  bar.show({ exact: both.exact, compared, name: recording });
  overTime.show({ exact: both.exact?.timeline, compared: compared?.timeline }, whole.isOn || isSeenAlready());
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
    both.lookAtNumbers();
    moment.recording = shown?.recording;
    moment.update();
    opened.go({ world, map, playback, choose: (tag) => chosen.choose(tag) });
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

function open(name) {
  const url = new URL(location.href);
  url.search = name === undefined ? "" : new URLSearchParams({ recording: name }).toString();
  location.assign(url);
}

function seek(gameLoop) {
  if (playback.state === undefined) tell("This match cannot be rewound: the daemon keeps no history (--history-mb).");
  else playback.seek(gameLoop);
}

/** Whether what happens after the moment that is shown is no news: the match runs, or has been watched to its end. */
function isSeenAlready() {
  return canRewind && recording === undefined && !matchEnd.wasOver;
}

/** How the match ended, where that may be told: "" before the end that is not known yet. */
function endText() {
  const isAtEnd = whole.isOn || isSeenAlready() || world.gameLoop >= (playback.state?.lastGameLoop ?? 0);
  return isAtEnd || !matchEnd?.text ? matchEnd?.text : "the match is over";
}

function showStates() {
  const { state, why, isLost } = connected;
  const hasFrame = world.gameLoop !== undefined;
  const ended = endText();
  if (ended && isLost) showState({ name: "reconnecting", text: `${ended} · reconnecting` }, why);
  else if (ended) showState({ name: "ended", text: ended });
  else showState(stateOf(state, playback.state, world.gameLoop, delay), why);
  empty.show(ended && hasFrame ? "open" : state, everOpen, hasFrame);
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
  charts.draw(now, map.times);
  showPanels();
}, PANELS_MS);

/** For tests, and for users of the console. */
globalThis.dashboard = { world, map, playback, connection, unitPanel, choose: (tag) => chosen.choose(tag), numbers, second, both, list };
