// How a match ended, in words. Pure: tested in Node.

const [VICTORY, TIE] = [1, 3];
const OUTCOMES = ["", "victory", "defeat", "tie", "undecided"];

/** "the match is over", and who won. @param ended the message matchEnded, if it came @param players of game_info */
export function resultText(ended, players = []) {
  if (ended?.lost) return "the match is over: the connection to the game or the bot was lost";
  const results = ended?.results ?? [];
  const winners = results.filter(({ result }) => result === VICTORY).map(({ playerId }) => {
    const player = players.find((each) => each.playerId === playerId);
    return player?.name || `player ${playerId}`;
  });
  if (winners.length > 0) return `the match is over: ${winners.join(" and ")} won`;
  return results.some(({ result }) => result === TIE) ? "the match is over: a tie" : "the match is over";
}

/** What the match was for one player: victory, defeat, tie, undecided, lost; "" where it is not known. */
export function resultOf({ results, lost }, playerId) {
  const own = results.find((each) => each.playerId === playerId)?.result ?? 0;
  return OUTCOMES[own] || (lost ? "connection lost" : "");
}
