// What is missing for a match to begin, in words. Pure: tested in Node.

const ORDER = ["missing_bot", "missing_game", "missing_frames"];
const PUBLISHER = `async with abathur.publisher(map_name="My map") as publisher:
    await publisher.publish(observation)`;

/**
 * { steps, commands }: what a match needs, each { name, state: done, missing or later, text }; and what to copy, each { label, text }.
 * @param waiting Status.waiting in ProtoJSON; undefined: the daemon does not say
 */
export function stepsOf(waiting) {
  const at = ORDER.indexOf(waiting?.missing);
  if (at < 0) return { steps: [], commands: [] };
  const { botAddress = "", gameAddress = "" } = waiting;
  const missing = [
    botAddress ? `none has connected to ${botAddress}` : "none has connected",
    gameAddress ? `the game at ${gameAddress} does not answer` : "the game does not answer",
    "no observation has come",
  ];
  const done = ["connected", "answers", ""];
  const steps = ["Bot", "Game", "Frames"].map((name, step) => {
    if (step < at) return { name, state: "done", text: done[step] };
    return step === at ? { name, state: "missing", text: missing[step] } : { name, state: "later", text: "" };
  });
  // Where the bot publishes, there is no game.
  if (botAddress === "" && gameAddress === "") steps.splice(1, 1);
  return { steps, commands: at === 0 ? commandsOf(botAddress) : [] };
}

function commandsOf(address) {
  if (address === "") return [{ label: "Observations are published by the bot, in Python:", text: PUBLISHER }];
  const at = address.lastIndexOf(":");
  const [host, port] = [address.slice(0, at), address.slice(at + 1)];
  return [
    { label: "The bot connects to this address instead of the game's:", text: `ws://${address}/sc2api` },
    { label: "A ladder bot gets it as arguments:", text: `--LadderServer ${host} --GamePort ${port}` },
  ];
}
