// Loaded into a node before its program: its clock can be moved, and its calls to other nodes lead through relays that can be broken.
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const LOOK_MS = 50;
const { TEST_CLOCK_FILE, TEST_LINK_RELAYS = '{}' } = process.env;

/** From the port that a node listens on to that of the relay before it. */
const relays = new Map(Object.entries(JSON.parse(TEST_LINK_RELAYS)));
const connect = Socket.prototype.connect;
Socket.prototype.connect = function connectByRelay(...args) {
  // `net.connect` hands on a list of its own making, everybody else the options.
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const relay = relays.get(String(options?.port));
  if (relay !== undefined) options.port = relay;
  return connect.apply(this, args);
};

const TrueDate = Date;
let aheadMs = 0;

class MovedDate extends TrueDate {
  constructor(...args) {
    if (args.length === 0) super(MovedDate.now());
    else super(...args);
  }

  static now() {
    return TrueDate.now() + aheadMs;
  }
}

if (TEST_CLOCK_FILE !== undefined) {
  globalThis.Date = MovedDate;
  const look = () => {
    aheadMs = Number(readFileSync(TEST_CLOCK_FILE, 'utf8'));
  };
  look();
  setInterval(look, LOOK_MS).unref();
}
