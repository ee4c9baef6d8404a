// A request without an answer.

/** A request that the daemon refused, or that was lost with its connection. */
export class Refusal extends Error {}
