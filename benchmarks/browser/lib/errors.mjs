/** An end that the user is told in one line. Codes: 1 failed on the way, 2 wrong usage, 3 bad recording. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
