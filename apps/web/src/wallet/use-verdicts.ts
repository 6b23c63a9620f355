// Reports the win or loss when a market of the wallet is decided, whichever screen is open; also for markets decided since the last visit.
import type { UserPosition } from '@presage/sdk';
import { useEffect } from 'react';
import { money, moneyDown, signedMoney } from '../lib/format.ts';
import { outcomeOf, outcomeText, voidText } from '../lib/outcomes.ts';
import { isDecided } from '../lib/portfolio.ts';
import { keep, recall } from '../state/kept.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';

const BEAT_MS = 15_000;

/** Use this hook once per page. */
export function useVerdicts(): void {
  const { reader, account, toasts } = usePage();
  const { chains } = useConfig();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const read = async (signal: AbortSignal) => {
    const ofChain = ({ chainId }: { readonly chainId: number }) =>
      reader.listPositions(address, { chain_id: chainId }, { signal });
    return (await Promise.all(chains.map(ofChain))).flatMap(({ positions }) => positions.filter(isDecided));
  };
  const { value } = useRemote(address && `verdicts ${address}`, read, { version, everyMs: BEAT_MS });
  useEffect(() => {
    if (value === undefined) return;
    const key = `presage.decided ${address}`;
    const known = recall(key);
    const ids = value.map(({ marketId }) => marketId);
    // Reports nothing if the ids cannot be stored, or every read would report them again; nor on the first visit, when all results are old.
    if (!keep(key, ids) || !Array.isArray(known)) return;
    const fresh = value.filter(({ marketId }) => !known.includes(marketId));
    for (const position of fresh) toasts.show(verdictOf(position));
  }, [value, address, toasts]);
}

function verdictOf({ marketId, marketQuestion, status, winningOutcome, kind, pnl, value }: UserPosition) {
  const [profit, payout] = [BigInt(pnl), BigInt(value)];
  const isVoid = status === 'void';
  const won = payout > 0n ? `You won ${moneyDown(payout)}` : `You lost ${money(-profit)}`;
  const result = isVoid ? voidText(marketId) : `${outcomeText(outcomeOf(winningOutcome), kind)} won`;
  return {
    key: `verdict ${marketId}`,
    id: `verdict ${marketId}`,
    tone: profit >= 0n ? ('ok' as const) : ('warn' as const),
    title: isVoid ? `Void: you get ${moneyDown(payout)}` : won,
    text: `${result}. Profit ${signedMoney(profit)}. ${marketQuestion}`,
    link: payout > 0n ? { href: '/portfolio', text: `Redeem ${moneyDown(payout)}` } : undefined,
  };
}
