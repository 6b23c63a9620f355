// Disputes a proposal with a wallet that has gas and the bond, and decides the dispute as the oracle's arbitrator.
import { createPublicClient, type OracleCall } from '@presage/sdk';
import type { Hex } from 'viem';

const reader = createPublicClient({ url: process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080' });

/** `send` is your wallet's: it resolves when the transaction is mined. */
export async function dispute(marketId: Hex, disputer: Hex, send: (call: OracleCall) => Promise<void>): Promise<void> {
  for (const call of await reader.getDisputeCalls(marketId, disputer)) await send(call);
}

export async function arbitrate(marketId: Hex, send: (call: OracleCall) => Promise<void>): Promise<void> {
  await send(await reader.getArbitrationCall(marketId, false));
}
