// The tour's process: waits for the exchange to be ready, prints the tour, and ends.
import { sleep } from '@presage/runtime';
import { refuseArguments, watchParent } from '@presage/runtime/node';
import { createPublicClient, createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { DemoTour } from './demo-tour.ts';

refuseArguments();
const { PRESAGE_URL: url = 'http://127.0.0.1:8080', PRESAGE_PARENT_PID } = process.env;
const LOOK_EVERY_MS = 500;
const stop = new AbortController();

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
if (PRESAGE_PARENT_PID !== undefined) watchParent(() => stop.abort(), Number(PRESAGE_PARENT_PID));

async function isReady(): Promise<boolean> {
  return (await fetch(`${url}/ready`, { signal: stop.signal }).catch(() => undefined))?.ok === true;
}

try {
  while (!(await isReady())) await sleep(LOOK_EVERY_MS, stop.signal);
  const tour = new DemoTour({
    url,
    reader: createPublicClient({ url }),
    sandbox: createSandboxClient({ url }),
    visitor: createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) }),
    say: (line) => void process.stdout.write(`${line}\n`),
    signal: stop.signal,
  });
  await tour.run();
} catch (error) {
  // The exchange keeps running without the tour.
  if (!stop.signal.aborted) process.stderr.write(`The tour ended early: ${String(error)}\n`);
}
process.exit(0);
