// Colours of the map. Those that tell units apart are of the Okabe-Ito palette, which colour-blind people can tell apart; shapes say
// the same once more.

const DARK = {
  ground: "#0e141b", low: [27, 36, 47], high: [92, 106, 118], blocked: [14, 20, 27], placeable: 6,
  own: "#56b4e9", ally: "#2fc39b", neutral: "#9aa4ad", enemy: "#e8701a", outline: "#0b1016",
  fog: [6, 9, 13], creep: [204, 121, 167], camera: "#f2f4f6", hit: "#f0e442", select: "#ffffff", text: "#f2f4f6", effect: "#cc79a7",
  floor: "#46525e", lines: "rgb(242 244 246 / 9%)", noWalking: [232, 112, 26], building: [47, 195, 155],
  order: "#e6f3a8", weapon: "#ff9d8a", sight: "#cfd6dc", fight: "#ff8a75", health: "#3ccf9b", shield: "#9cc3ff",
};

const LIGHT = {
  ground: "#c9d1d8", low: [186, 196, 205], high: [246, 248, 250], blocked: [157, 168, 178], placeable: 5,
  own: "#0072b2", ally: "#00805d", neutral: "#5e6973", enemy: "#c14f00", outline: "#ffffff",
  fog: [104, 118, 131], creep: [170, 70, 125], camera: "#11161b", hit: "#b3261e", select: "#000000", text: "#11161b", effect: "#8f3a6d",
  floor: "#e4e9ed", lines: "rgb(17 22 27 / 10%)", noWalking: [193, 79, 0], building: [0, 128, 93],
  order: "#3f5200", weapon: "#b3261e", sight: "#3b454e", fight: "#b3261e", health: "#00704f", shield: "#3461c1",
};

/** What is read or followed with the eye, where the system forces its colours. Units and ground keep theirs: they mean something. */
const FORCED = {
  outline: "Canvas", text: "CanvasText", camera: "CanvasText", select: "CanvasText", order: "LinkText", sight: "CanvasText",
};

/** The colours of a theme, "light" or "dark". */
export function paletteOf(theme, areForced = false) {
  const colors = theme === "light" ? LIGHT : DARK;
  return areForced ? { ...colors, ...FORCED } : colors;
}

/** How much larger the half diagonal of an enemy's diamond is than the radius of a unit. */
export const DIAMOND = 1.2;

/** Its colour for each alliance, by number. */
export function allianceColors({ own, ally, neutral, enemy }) {
  return [neutral, own, ally, neutral, enemy];
}
