// Reads pending trades, failed trades with their reasons, and the settlement of one transaction.
import { createPublicClient } from '@presage/sdk';

const client = createPublicClient({ url: process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080' });

export const { pendingTrades } = await client.listPendingTrades();
for (const { tradeId, stage, attempts } of pendingTrades) console.log(`${tradeId}: ${stage}, attempt ${attempts}`);

export const { failedTrades } = await client.listFailedTrades();
for (const { tradeId, reason, faultParty } of failedTrades)
  console.log(`${tradeId}: ${reason}, fault of ${faultParty}`);

export const unknown = await client.getSettlement(`0x${'00'.repeat(32)}`);
console.log(unknown.found ? unknown.stage : 'no such transaction');
