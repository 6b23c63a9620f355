// Opens what lets anyone check the exchange: receipts, the journal as it is published, and its anchors.
import { join } from 'node:path';
import type { Rpc, SenderPort } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import type { ChainConfig, Config } from '../config.ts';
import { Anchors } from './anchors.ts';
import { type ProvenLog, PublicJournal } from './public-journal.ts';
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

interface OpenAnchorsOptions {
  readonly config: Pick<Config, 'dataDir' | 'anchorMinutes'>;
  readonly chain: {
    readonly config: ChainConfig;
    readonly rpc: Rpc;
    readonly relayer: { readonly address: Hex; readonly sender: SenderPort };
  };
  readonly journal: PublicJournal;
  readonly nowMs: () => number;
  readonly log: { warn(details: object, message: string): void };
}

/** Undefined where the chain has no contract for them. */
export async function openAnchors({
  config,
  chain,
  journal,
  nowMs,
  log,
}: OpenAnchorsOptions): Promise<Anchors | undefined> {
  const { contracts, chainId } = chain.config;
  if (contracts.anchors === undefined) return undefined;
  const { address, sender } = chain.relayer;
  return Anchors.open({
    contract: contracts.anchors,
    operator: address,
    chainId,
    everyMs: config.anchorMinutes * 60_000,
    file: join(config.dataDir, 'anchors.jsonl'),
    heads: () => journal.heads(),
    sender,
    balance: async () => BigInt(String(await chain.rpc.request('eth_getBalance', [address, 'latest']))),
    nowMs,
    onTrouble: (error) => log.warn({ error: String(error) }, 'the journal could not be anchored'),
  });
}
