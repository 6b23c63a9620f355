// Checks that the service rolls back no trade while every block stays on the chain.
import type { KeptRecord } from './kept-journal.ts';

const ON_CHAIN: ReadonlySet<string> = new Set(['mined', 'confirmed']);

/** `records` are those of one partition, in a life without a reorganization. */
export function* checkRollbacks(records: readonly KeptRecord[]): Generator<string> {
  const stages = new Map<string, string>();
  for (const { seq, record } of records) {
    if (record.type === 'chain-rewound') yield `record ${seq}: blocks above ${record.toBlock} were rolled back`;
    if (record.type === 'chain-noted' && 'type' in record.body && record.body.type === 'transaction-unmined')
      yield `record ${seq}: transaction ${record.body.hash} was rolled back`;
    if (record.type !== 'trade-moved') continue;
    const trade = `${record.marketId} ${record.tradeId}`;
    if (ON_CHAIN.has(stages.get(trade) ?? '') && !ON_CHAIN.has(record.stage))
      yield `record ${seq}: trade ${record.tradeId} was on chain and is ${record.stage}`;
    stages.set(trade, record.stage);
  }
}
