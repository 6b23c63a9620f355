// The wallet's position in one market, read again whenever the wallet changes.
import type { Position } from '@presage/sdk';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { SharedReads } from '../state/shared-reads.ts';
import { useWatched } from '../state/store.ts';

export interface Holding {
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly yesCost: bigint;
  readonly noCost: bigint;
  readonly realized: bigint;
}

const NOTHING: Holding = { yesShares: 0n, noShares: 0n, yesCost: 0n, noCost: 0n, realized: 0n };

function toHolding(position: Position | { readonly yesShares: 0; readonly noShares: 0 }): Holding {
  if (!('yesCost' in position)) return NOTHING;
  const { yesShares, noShares, yesCost, noCost, realizedPnl } = position;
  return {
    yesShares: BigInt(yesShares),
    noShares: BigInt(noShares),
    yesCost: BigInt(yesCost),
    noCost: BigInt(noCost),
    realized: BigInt(realizedPnl),
  };
}

/** Shared, because five parts of a market's screen show the position. */
const reads = new SharedReads<Holding>();

/** Undefined until it is known, and without a market; zero shares without a wallet. */
export function usePosition(marketId: string): Holding | undefined {
  const { reader, account } = usePage();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const key = wallet && marketId !== '' ? `position ${marketId} ${address}` : '';
  const read = async (signal: AbortSignal) => toHolding(await reader.getPosition(marketId, address, { signal }));
  const { value } = useRemote(key, (signal) => reads.read(`${key} ${version}`, signal, read), { version });
  return wallet ? value : NOTHING;
}
