// The connections of a LinkRelay, in a thread of their own: a busy test would keep them waiting, and nodes would take each other for lost.
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { targetPort, shared } = workerData;
const carried = new BigInt64Array(shared);
const sockets = new Set();
/** 'open', 'cut' or 'silent'. */
let way = 'open';
let delayMs = 0;

function destroyAll() {
  for (const socket of sockets) socket.destroy();
}

function carry(from, to) {
  sockets.add(from);
  let last = Promise.resolve();
  from.on('error', () => undefined);
  from.on('data', (bytes) => {
    if (way === 'silent') return;
    const dueMs = performance.now() + delayMs;
    // One after the other, also when the delay ends between two.
    last = last.then(async () => {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      if (to.destroyed) return;
      to.write(bytes);
      Atomics.add(carried, 0, BigInt(bytes.length));
    });
  });
  from.once('close', () => {
    sockets.delete(from);
    to.destroy();
  });
}

const ORDERS = {
  cut: () => {
    way = 'cut';
    destroyAll();
  },
  silence: () => {
    way = 'silent';
  },
  delay: (ms) => {
    delayMs = ms;
  },
  mend: () => {
    // What was never heard would leave a gap in the middle of a message.
    if (way === 'silent') destroyAll();
    way = 'open';
    delayMs = 0;
  },
};

parentPort.on('message', ({ order, value }) => ORDERS[order](value));
const server = createServer((caller) => {
  if (way === 'cut') return void caller.destroy();
  const target = connect({ host: '127.0.0.1', port: targetPort });
  carry(caller, target);
  carry(target, caller);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
