// One live event, and the wallet's positions in its outcomes.
import type { MarketEvent, UserPosition } from '@presage/sdk';
import { useEffect, useState } from 'react';
import { usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';

const BEAT_MS = 5_000;
/** Least interval between reads: prices of a busy event change many times a second. */
const CALM_MS = 500;

export function useEvent(eventId: string): Remote<MarketEvent> {
  const { reader, connection } = usePage();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const signs = connection.callbacksFor('event');
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      setVersion((count) => count + 1);
    };
    const follow = async () => {
      for await (const _change of reader.watchEvent(eventId, { signal, ...signs }))
        timer ??= setTimeout(readAgain, CALM_MS);
    };
    // The read below reports a refusal, with its request id.
    follow().catch(() => signs.release());
    return () => {
      controller.abort();
      clearTimeout(timer);
      signs.release();
    };
  }, [eventId, reader, connection]);
  return useRemote(`event ${eventId}`, (signal) => reader.getEvent(eventId, { signal }), {
    version,
    everyMs: BEAT_MS,
  });
}

const NOTHING: ReadonlyMap<string, UserPosition> = new Map();

/** The wallet's positions in the event, by market. */
export function useEventPositions({ id, chainId, outcomes }: MarketEvent): ReadonlyMap<string, UserPosition> {
  const { reader, account } = usePage();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const read = async (signal: AbortSignal) => {
    const { positions } = await reader.listPositions(address, { chain_id: chainId }, { signal });
    const ids = new Set(outcomes.map(({ marketId }) => marketId));
    return new Map(positions.filter(({ marketId }) => ids.has(marketId)).map((each) => [each.marketId, each]));
  };
  return useRemote(wallet ? `event positions ${id} ${address}` : '', read, { version }).value ?? NOTHING;
}
