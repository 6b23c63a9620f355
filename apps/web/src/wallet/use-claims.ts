// The wallet's claimable winnings on all chains, read again whenever the wallet changes and at an interval.
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { SharedReads } from '../state/shared-reads.ts';
import { useWatched } from '../state/store.ts';

export interface Claims {
  readonly total: bigint;
  /** Payout by market. */
  readonly payouts: ReadonlyMap<string, bigint>;
  readonly isRead: boolean;
}

const NOTHING: Claims = { total: 0n, payouts: new Map(), isRead: false };
const BEAT_MS = 15_000;
/** Shared by the top bar, the tabs and the quick screen. */
const reads = new SharedReads<Claims>();

export function useClaims(): Claims {
  const { reader, account } = usePage();
  const { chains } = useConfig();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const key = wallet ? `claims ${address}` : '';
  const read = async (signal: AbortSignal): Promise<Claims> => {
    const lists = await Promise.all(
      chains.map(({ chainId }) => reader.listClaimable(address, { chain_id: chainId }, { signal })),
    );
    const payouts = new Map<string, bigint>();
    for (const { market_id, payout } of lists.flatMap(({ claimable }) => claimable)) {
      payouts.set(market_id, (payouts.get(market_id) ?? 0n) + BigInt(payout));
    }
    return { total: [...payouts.values()].reduce((sum, each) => sum + each, 0n), payouts, isRead: true };
  };
  const { value } = useRemote(key, (signal) => reads.read(`${key} ${version}`, signal, read), {
    version,
    everyMs: BEAT_MS,
  });
  return value ?? NOTHING;
}
