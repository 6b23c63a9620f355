// Settling a market as a call; one that is settled with the same outcome already is answered with that transaction.
import { HALF, type Hex, isDecided, type SettleMarketRequest, settleMarketOperation } from '@presage/protocol';
import { poll } from '@presage/runtime';
import { checkMarketAt } from '../call-policy.ts';
import type { RelayerMarkets } from '../ports.ts';
import { proofOf } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

const INDEXER_TIMEOUT_MS = 5_000;
const POLL_MS = 50;

export const relayedSettling = relayedOperation(settleMarketOperation, {
  gas: 2_000_000n,
  check: ({ marketAddress }, policy) => checkMarketAt(policy, marketAddress),
  call: (request, { contracts }) => {
    const { marketAddress, owner, winningOutcome } = request;
    return contracts.market(marketAddress).call('settleBySig', [owner, winningOutcome, ...proofOf(request)]);
  },
  findEffect: async (request, reason, { markets }) =>
    reason.startsWith('MarketAlreadyResolved') ? findSettled(markets, request) : undefined,
});

/** The chain may know of it a moment before the journal does. */
async function findSettled(
  markets: RelayerMarkets,
  { marketAddress, winningOutcome }: SettleMarketRequest,
): Promise<Hex | undefined> {
  const findDecided = () => {
    const market = markets.at(marketAddress);
    const resolution = market && markets.resolution(market.marketId);
    return isDecided(resolution) && resolution;
  };
  const decided = await poll(findDecided, { timeoutMs: INDEXER_TIMEOUT_MS, pollMs: POLL_MS });
  const outcome = decided && (decided.winningOutcome ?? HALF);
  return outcome === winningOutcome ? decided?.resolvedAt?.transactionHash : undefined;
}
