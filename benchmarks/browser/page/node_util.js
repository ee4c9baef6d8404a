// What avsc uses of node's `util`, for the page.
export const format = (text, ...values) => values.reduce((soFar, value) => soFar.replace(/%[sdj]/, () => String(value)), text);
export const inherits = (child, parent) => Object.setPrototypeOf(child.prototype, parent.prototype);
export const deprecate = (called) => called;
export const debuglog = () => () => {};
export const inspect = { custom: Symbol.for("nodejs.util.inspect.custom") };
export default { format, inherits, deprecate, debuglog, inspect };
