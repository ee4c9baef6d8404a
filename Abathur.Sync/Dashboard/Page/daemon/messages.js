// The messages that the page reads and writes, for wire.js: of protos/abathur/sync/v1/sync.proto and of the game's protocol those
// fields that it shows.

const Size = { 1: ["x", "int"], 2: ["y", "int"] };
const Point = { 1: ["x", "float"], 2: ["y", "float"], 3: ["z", "float"] };
const Image = { 1: ["bitsPerPixel", "int"], 2: ["size", Size], 3: ["data", "bytes"] };
const PlayerResult = { 1: ["playerId", "uint"], 2: ["result", "uint"] };
const Duration = { 1: ["seconds", "int"], 2: ["nanos", "int"] };

const GameInfo = {
  1: ["mapName", "string"],
  3: [
    "players[]",
    { 1: ["playerId", "uint"], 2: ["type", "uint"], 3: ["raceRequested", "uint"], 4: ["race", "uint"], 5: ["difficulty", "uint"],
      6: ["name", "string"] },
  ],
  4: [
    "startRaw",
    {
      1: ["mapSize", Size], 2: ["pathing", Image], 3: ["height", Image], 4: ["placement", Image],
      5: ["playable", { 1: ["p0", Size], 2: ["p1", Size] }], 6: ["startLocations[]", Point],
    },
  ],
};

export const GameData = {
  1: ["abilities[]", { 1: ["id", "uint"], 2: ["linkName", "string"], 5: ["friendlyName", "string"], 7: ["remapsTo", "uint"] }],
  2: [
    "units[]",
    {
      1: ["id", "uint"], 2: ["name", "string"], 8: ["attributes[]", "uint"], 9: ["speed", "float"],
      11: ["weapons[]", { 1: ["type", "uint"], 5: ["range", "float"] }], 12: ["minerals", "uint"], 13: ["vespene", "uint"],
      14: ["supply", "float"], 15: ["abilityId", "uint"], 17: ["buildLoops", "float"], 22: ["alias", "uint"], 25: ["sight", "float"],
    },
  ],
  3: [
    "upgrades[]",
    { 1: ["id", "uint"], 2: ["name", "string"], 3: ["minerals", "uint"], 4: ["vespene", "uint"], 5: ["researchLoops", "float"],
      6: ["abilityId", "uint"] },
  ],
  4: ["buffs[]", { 1: ["id", "uint"], 2: ["name", "string"] }],
};

/** The part of an observation that is neither units nor grids (`rest` of the columns encoding). */
export const Rest = {
  2: ["errors[]", { 1: ["unitTag", "tag"], 2: ["abilityId", "uint"], 3: ["result", "uint"] }],
  3: [
    "observation",
    {
      9: ["gameLoop", "uint"],
      1: [
        "player",
        {
          1: ["playerId", "uint"], 2: ["minerals", "uint"], 3: ["vespene", "uint"], 4: ["supplyCap", "uint"], 5: ["supplyUsed", "uint"],
          6: ["supplyArmy", "uint"], 7: ["supplyWorkers", "uint"], 8: ["idleWorkers", "uint"], 9: ["armyCount", "uint"],
          11: ["larva", "uint"],
        },
      ],
      4: ["score", { 7: ["score", "int"] }],
      5: [
        "raw",
        {
          1: ["player", { 2: ["camera", Point] }],
          3: ["mapState", { 1: ["visibility", Image], 2: ["creep", Image] }],
          4: ["event", { 1: ["deadUnits[]", "tag"] }],
          5: ["effects[]", { 1: ["id", "uint"], 2: ["at[]", Point], 3: ["alliance", "uint"], 5: ["radius", "float"] }],
        },
      ],
    },
  ],
  4: ["results[]", PlayerResult],
  5: ["chat[]", { 1: ["playerId", "uint"], 2: ["message", "string"] }],
};

export const Match = {
  1: ["matchId", "string"], 2: ["runId", "string"], 3: ["playerId", "uint"], 4: ["mapName", "string"], 5: ["gameVersion", "string"],
  6: ["tickHz", "double"], 7: ["source", "uint"], 8: ["actionsAllowed", "bool"], 9: ["simulated", "bool"], 10: ["firstGameLoop", "uint"],
  11: ["lastGameLoop", "uint"], 12: ["frameCount", "uint"], 13: ["gameInfo", GameInfo], 14: ["gameData", GameData],
  15: ["groupId", "string"],
};

const PlaybackState = {
  1: ["paused", "bool"], 2: ["rate", "double"], 3: ["gameLoop", "uint"], 4: ["sequence", "uint"], 5: ["firstGameLoop", "uint"],
  6: ["lastGameLoop", "uint"], 7: ["ended", "bool"], 8: ["loop", "bool"],
};

const Status = {
  1: ["match", Match],
  2: ["playback", PlaybackState],
  3: [
    "subscribers[]",
    {
      1: ["id", "uint"], 2: ["name", "string"], 3: ["transport", "string"], 4: ["peer", "string"], 5: ["policy", "uint"],
      6: ["encoding", "uint"],
      7: ["compression", "uint"], 8: ["framesSent", "uint"], 9: ["framesDropped", "uint"], 10: ["bytesSent", "uint"],
      11: ["framesWaiting", "uint"],
      12: ["lagGameLoops", "uint"], 13: ["keyframes", "uint"],
    },
  ],
  4: ["framesPublished", "uint"],
  7: ["framesPerSecond", "double"],
  8: ["process", { 1: ["version", "string"], 2: ["uptime", Duration], 3: ["cpuTime", Duration], 5: ["workingSetBytes", "uint"] }],
  10: ["recording", { 1: ["path", "string"], 2: ["frames", "uint"], 3: ["framesDropped", "uint"], 4: ["error", "string"] }],
  12: ["history", { 1: ["frames", "uint"], 2: ["bytes", "uint"], 3: ["firstGameLoop", "uint"], 4: ["lastGameLoop", "uint"] }],
  13: ["delay", Duration],
};

const Shape = {
  1: ["point", { 1: ["at", Point] }],
  2: ["circle", { 1: ["at", Point], 2: ["radius", "float"] }],
  3: ["line", { 1: ["from", Point], 2: ["to", Point] }],
  4: ["text", { 1: ["at", Point], 2: ["text", "string"] }],
  5: ["color", "uint"],
};

const Drawings = {
  1: ["gameLoop", "uint"],
  2: ["layers[]", { 1: ["name", "string"], 2: ["recorded", "bool"], 3: ["shapes[]", { 1: ["shape", Shape], 2: ["until", "uint"] }] }],
};

export const Timeline = {
  1: ["gameLoops", "uints"],
  2: ["columns[]", { 1: ["name", "string"], 2: ["values", "floats"] }],
  3: [
    "marks[]",
    { 1: ["gameLoop", "uint"], 2: ["kind", "string"], 3: ["lastGameLoop", "uint"], 4: ["id", "uint"], 5: ["ownLost", "float"],
      6: ["enemyLost", "float"], 7: ["at", Point], 8: ["name", "string"] },
  ],
};

export const Plots = {
  1: [
    "series[]",
    { 1: ["agent", "string"], 2: ["name", "string"], 3: ["recorded", "bool"], 4: ["gameLoops", "uints"], 5: ["values", "doubles"] },
  ],
};

export const ServerMessage = {
  1: ["match", Match],
  2: [
    "frame",
    {
      2: ["sequence", "uint"], 3: ["gameLoop", "uint"], 4: ["capturedNs", "uint"], 6: ["publishedNs", "uint"], 8: ["keyframe", "bool"],
      11: ["dropped", "uint"], 15: ["data", "bytes"], 16: ["encodedNs", "uint"], 18: ["earlier[]", "bytes"],
    },
  ],
  3: [
    "result",
    { 1: ["id", "uint"], 3: ["control", PlaybackState], 5: ["status", Status], 7: ["timeline", Timeline], 9: ["plots", Plots] },
  ],
  4: ["error", { 1: ["id", "uint"], 2: ["code", "string"], 3: ["message", "string"], 4: ["fatal", "bool"] }],
  5: ["end", { 1: ["reason", "string"] }],
  7: ["drawings", Drawings],
  8: ["matchEnded", { 1: ["runId", "string"], 2: ["reason", "string"], 3: ["results[]", PlayerResult], 4: ["lost", "bool"] }],
};

const Empty = {};

export const ClientMessage = {
  1: ["id", "uint"],
  2: [
    "subscribe",
    { 1: ["policy", "uint"], 2: ["encoding", "uint"], 8: ["credits", "uint"], 9: ["name", "string"], 11: ["drawings", "bool"],
      12: ["newest", "bool"], 13: ["startOldest", "bool"], 14: ["startGameLoop", "uint"], 17: ["runId", "string"], 18: ["follow", "bool"] },
  ],
  4: [
    "control",
    {
      1: ["pause", Empty], 2: ["resume", Empty], 3: ["step", { 1: ["frames", "uint"] }], 4: ["seek", { 1: ["gameLoop", "uint"] }],
      5: ["setRate", { 1: ["rate", "double"] }], 6: ["setLoop", { 1: ["loop", "bool"] }],
    },
  ],
  5: ["ack", { 1: ["sequence", "uint"], 2: ["matchIndex", "uint"] }],
  8: ["status", { 1: ["runId", "string"] }],
  9: ["token", "string"],
  11: ["timeline", { 1: ["afterGameLoop", "uint"], 2: ["whole", "bool"], 3: ["runId", "string"] }],
  13: ["plots", { 1: ["afterGameLoop", "uint"], 2: ["whole", "bool"], 3: ["runId", "string"] }],
};

/** Names of enum values, by number. */
export const POLICIES = ["latest", "every", "lockstep"];
export const ENCODINGS = ["auto", "proto", "json", "columns"];
export const COMPRESSIONS = ["none", "gzip", "br", "zstd", "zstd-stream", "br-stream"];
export const SOURCES = ["unknown", "playback", "live", "proxy", "push", "synth"];
export const RACES = ["", "Terran", "Zerg", "Protoss", "Random"];
export const RESULTS = ["", "victory", "defeat", "tie", "undecided"];
