// Opens what lets anyone check the exchange: receipts, and the journal as it is published.
import type { Config } from '../config.ts';
import { PublicJournal, type ProvenLog } from './public-journal.ts';
import { openReceiptKey } from './receipt-key.ts';
import { Receipts } from './receipts.ts';

export async function openReceipts({ dataDir, receiptKey }: Pick<Config, 'dataDir' | 'receiptKey'>): Promise<Receipts> {
  return new Receipts(await openReceiptKey(dataDir, receiptKey));
}

interface OpenPublicJournalOptions {
  readonly config: Pick<Config, 'journalDelaySeconds'>;
  readonly markets: ProvenLog;
  readonly others: readonly ProvenLog[];
  readonly receipts: Receipts;
  readonly nowMs: () => number;
}

export function openPublicJournal({ config, ...options }: OpenPublicJournalOptions): PublicJournal {
  return new PublicJournal({ ...options, delayMs: config.journalDelaySeconds * 1_000 });
}
