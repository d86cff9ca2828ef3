// Numbers as people read them.

export const count = (value) => Math.round(value).toLocaleString('en-US');

export function length(value) {
  return value >= 1000 ? count(value) : value.toFixed(1);
}

export function bytes(value) {
  if (value < 1000) return `${Math.round(value)} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(value < 1e4 ? 1 : 0)} kB`;
  return `${(value / 1e6).toFixed(1)} MB`;
}

export function time(nanos) {
  return nanos < 1e6 ? `${Math.round(nanos / 1000)} µs` : `${(nanos / 1e6).toFixed(1)} ms`;
}

/** Ticks per second, for the label of the slider. */
export function speed(value) {
  return value < 10 ? value.toFixed(value % 1 ? 1 : 0) : count(value);
}

/** "1 move", "2 moves". */
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** A slider from 0 to 1000 on a logarithmic scale between two bounds. */
export const toLog = (value, low, high) => Math.round((1000 * Math.log(value / low)) / Math.log(high / low));

export function fromLog(position, low, high) {
  const exact = low * (high / low) ** (position / 1000);
  if (exact < 20) return Math.round(exact);
  // Two digits that matter: round numbers are easier to say.
  const unit = 10 ** (Math.floor(Math.log10(exact)) - 1);
  return Math.min(high, Math.round(exact / unit) * unit);
}
