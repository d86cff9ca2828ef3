// The connection to the simulator: JSON out, bytes in, one reply per request, in order.

/** Takes a reply apart: its JSON, and the numbers that the JSON's lists point to. */
export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const reply = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const from = 4 + length;
  reply.payload = new Uint32Array(buffer, from, (buffer.byteLength - from) >> 2);
  return reply;
}

/** The numbers of a list `[offset, length]` of a reply, without a copy. */
export function list(payload, at) {
  return at ? payload.subarray(at[0], at[0] + at[1]) : null;
}

/** A refusal of the simulator, in words for the user; `field` names what to correct. */
export class Refused extends Error {
  constructor(reply) {
    super(reply.message);
    this.field = reply.field;
  }
}

/** The socket closed before the reply came. */
export class Disconnected extends Error {
  constructor() {
    super('The connection to the program is closed.');
  }
}

/** The token of this page, from its own address. */
const token = () => encodeURIComponent(new URLSearchParams(location.search).get('token') ?? '');

/** What the program was started with: `{}`, `{ open: SCENE }` or `{ replay: REPLAY }`. */
export async function beginning() {
  try {
    const answer = await fetch(`start.json?token=${token()}`);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

export class Connection {
  /** `onClose(reason)` is called once, when an open connection ends. */
  constructor(onClose) {
    this.onClose = onClose;
    this.waiting = [];
    this.socket = null;
  }

  open() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${scheme}://${location.host}/stage?token=${token()}`);
      socket.binaryType = 'arraybuffer';
      let opened = false;
      socket.onopen = () => {
        opened = true;
        this.socket = socket;
        resolve();
      };
      socket.onmessage = (event) => this.waiting.shift()?.resolve(decode(event.data));
      socket.onclose = (event) => {
        if (!opened) return reject(new Disconnected());
        this.socket = null;
        for (const waiter of this.waiting.splice(0)) waiter.reject(new Disconnected());
        this.onClose(event.reason);
      };
    });
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  get unanswered() {
    return this.waiting.length;
  }

  send(request) {
    if (!this.isOpen) return Promise.reject(new Disconnected());
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.socket.send(JSON.stringify(request));
    });
  }
}
