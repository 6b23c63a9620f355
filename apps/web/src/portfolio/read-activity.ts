// Reads a wallet's trades and payouts on all chains, each with its chain.
import type { CallOptions, PublicClient } from '@presage/sdk';

export type WalletActivity = Awaited<ReturnType<typeof readActivity>>;

export async function readActivity(
  reader: Pick<PublicClient, 'getUserActivity'>,
  address: string,
  chainIds: readonly number[],
  options: CallOptions,
) {
  const ofChain = async (chainId: number) => {
    const read = await reader.getUserActivity(address, { chain_id: chainId, limit: 100 }, options);
    const withChain = <T>(entries: readonly T[]) => entries.map((each) => ({ ...each, chainId }));
    return { trades: withChain(read.activity), payouts: withChain(read.settlements) };
  };
  const all = await Promise.all(chainIds.map(ofChain));
  const trades = all.flatMap((each) => each.trades);
  return {
    trades,
    payouts: all.flatMap((each) => each.payouts),
    /** Ids of markets with unsettled trades. */
    unsettled: new Set(trades.filter(({ status }) => status === 'pending').map(({ marketId }) => marketId)),
  };
}
