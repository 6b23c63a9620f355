// Takes the past along: a wallet's fills as CSV, and what its resting orders have earned, computed from the public journal.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { DailyArchive, listPublishedPartitions, readPublishedFrames } from '@presage/sdk/archive';
import { exportText } from '@presage/sdk/export';
import { RewardCount } from '@presage/sdk/rewards';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const open = () => createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const [maker, taker] = [open(), open()];
const market = await createSandboxClient({ url }).createMarket({ question: 'Is the past of use?' });
const { nowMs } = await maker.getTime();

await maker.placeOrder({ marketId: market.id, side: 'buy', price: '0.48', size: '20' });
await maker.placeOrder({ marketId: market.id, side: 'sell', price: '0.52', size: '20' });
await taker.placeOrder({ marketId: market.id, side: 'buy', price: '0.52', size: '5' });

// An export of any length arrives in parts.
export let csv = '';
for await (const part of exportText({ url, dataset: 'fills', address: taker.address })) csv += part;

// Every frame of the journal, each checked against the hash chain.
const hour = { fromMs: nowMs, toMs: nowMs + 3_600_000, epochMs: 3_600_000 };
const terms = {
  ...hour,
  marketId: market.id as `0x${string}`,
  spread: 30_000,
  minSize: 1_000_000n,
  pool: 100_000_000n,
};
const count = new RewardCount(terms);
const archive = new DailyArchive();
export const days = new Set<string>();
const [partition = 'm0'] = await listPublishedPartitions({ url });
for await (const frame of readPublishedFrames(partition, { url })) {
  for (const record of frame.records) count.add(record);
  count.reach(frame.timeMs);
  for (const { day } of archive.add(frame)) days.add(day);
}
export const [epoch] = count.epochs();
console.log(`${csv.split('\n').length - 2} fills, ${epoch?.rewards.length} wallets earned, ${days.size} days`);
await maker.cancelAll();
