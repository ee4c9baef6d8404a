// The three functions of node's `util` that avsc uses, for the page.
export const format = (text, ...values) => values.reduce((so_far, value) => so_far.replace(/%[sdj]/, () => String(value)), text);
export const inherits = (child, parent) => void (child.prototype = Object.create(parent.prototype, { constructor: { value: child } }));
export const inspect = { custom: Symbol.for("nodejs.util.inspect.custom") };
export const deprecate = (called) => called;
export default { format, inherits, inspect, deprecate };
