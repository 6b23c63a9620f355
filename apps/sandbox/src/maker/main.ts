// The demo maker's process: quotes until it is stopped, then cancels its quotes.
import { refuseArguments, watchParent } from '@presage/runtime/node';
import { createPublicClient, createSandboxClient, createTradingClient } from '@presage/sdk';
import { privateKeyToAccount } from 'viem/accounts';
import { DemoMaker } from './demo-maker.ts';
import { MAKER_KEY, TAKER_KEYS } from './maker-wallets.ts';

refuseArguments();
const { PRESAGE_URL: url = 'http://127.0.0.1:8080', PRESAGE_PARENT_PID } = process.env;

function say(level: number, msg: string, details: object = {}): void {
  process.stderr.write(`${JSON.stringify({ level, time: Date.now(), room: 'maker', ...details, msg })}\n`);
}

const maker = new DemoMaker({
  reader: createPublicClient({ url }),
  maker: createTradingClient({ url, account: privateKeyToAccount(MAKER_KEY) }),
  takers: TAKER_KEYS.map((key) => createTradingClient({ url, account: privateKeyToAccount(key) })),
  sandbox: createSandboxClient({ url }),
  random: Math.random,
  onTrouble: (error) => say(40, 'a round of the demo maker failed', { error: String(error) }),
});

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await maker.stop();
  say(30, 'the demo maker stopped', { rounds: maker.rounds });
  process.exit(0);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
if (PRESAGE_PARENT_PID !== undefined) watchParent(() => void stop(), Number(PRESAGE_PARENT_PID));

maker.start();
process.stdout.write(`${JSON.stringify({ type: 'ready' })}\n`);
