// Rebuilds a market's state after a given step with the engine, from the journal.
import { Engine } from '@presage/engine';
import { asHex, isEngineEvent, type MarketFacts } from '@presage/protocol';
import { UsageError } from '../exit-codes.ts';
import { type NamedMarket, pickMarket } from '../find-market.ts';
import type { JournalDir } from './journal-dir.ts';

export interface JournalMarket extends NamedMarket {
  readonly partition: string;
  readonly facts: MarketFacts;
}

export interface RebuiltMarket {
  readonly engine: Engine;
  readonly facts: MarketFacts;
  /** The market's step at which the state is current. */
  readonly seq: number;
  /** Time of that step, Unix milliseconds. */
  readonly timeMs: number;
}

export async function findJournalMarket(journal: JournalDir, text: string): Promise<JournalMarket> {
  const markets = new Map<string, JournalMarket>();
  for (const partition of journal.marketPartitions) {
    for await (const { record } of journal.read(partition)) {
      if (record.type === 'market-listed') {
        const { marketId: id, market: facts } = record;
        markets.set(id, { id, question: facts.question, isOpen: true, partition, facts });
      } else if (record.type === 'market-closed') {
        const closed = markets.get(record.marketId);
        if (closed) markets.set(closed.id, { ...closed, isOpen: false });
      }
    }
  }
  return pickMarket([...markets.values()], text);
}

/** Events of other markets are skipped: no market's state depends on another's. */
export async function rebuildMarket(
  journal: JournalDir,
  market: JournalMarket,
  at: number | undefined,
): Promise<RebuiltMarket> {
  const engine = new Engine();
  const wanted = at ?? Number.POSITIVE_INFINITY;
  for await (const { record } of journal.read(market.partition)) {
    if (!isEngineEvent(record) || record.marketId !== market.id) continue;
    if (record.step > wanted) break;
    engine.evolve(record);
  }
  const view = engine.market(asHex(market.id));
  if (view === undefined || (at !== undefined && view.step < at)) {
    throw new UsageError(`the market has no step ${at}`, `The journal has steps 1 to ${view?.step ?? 0}.`);
  }
  return { engine, facts: market.facts, seq: view.step, timeMs: view.updatedMs };
}
