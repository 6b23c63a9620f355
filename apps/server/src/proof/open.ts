// Opens what lets anyone check the exchange: receipts, the journal as it is published, and its anchors.

import { join } from 'node:path';
import type { Rpc, SenderPort } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import type { ChainConfig, Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { type AnchorJournal, Anchors } from './anchors.ts';
import { ChainAnchors } from './chain-anchors.ts';
import { PublicJournal } from './public-journal.ts';
import type { ProvenLog } from './published-partition.ts';
import { openReceiptKey } from './receipt-key.ts';
import { Receipts } from './receipts.ts';

export { AnchorLedger } from './anchor-ledger.ts';

export async function openReceipts({ dataDir, receiptKey }: Pick<Config, 'dataDir' | 'receiptKey'>): Promise<Receipts> {
  return new Receipts(await openReceiptKey(dataDir, receiptKey));
}

interface OpenPublicJournalOptions {
  readonly config: Pick<Config, 'journalDelaySeconds'>;
  readonly markets: readonly ProvenLog[];
  readonly others: () => readonly ProvenLog[];
  readonly receipts: Receipts;
  readonly nowMs: () => number;
}

export function openPublicJournal({ config, ...options }: OpenPublicJournalOptions): PublicJournal {
  return new PublicJournal({ ...options, delayMs: config.journalDelaySeconds * 1_000 });
}

interface OpenAnchorsOptions {
  readonly config: Pick<Config, 'dataDir' | 'anchorMinutes' | 'chains'>;
  readonly journal: PublicJournal;
  readonly nowMs: () => number;
  readonly log: Log;
}

interface AnchoringChain {
  readonly config: ChainConfig;
  readonly rpc: Rpc;
  /** Undefined on a node that does not act on the chain: it anchors nothing, and passes requests for anchors on. */
  readonly actor: { readonly relayer: { readonly address: Hex; readonly sender: SenderPort } } | undefined;
  readonly anchors: AnchorJournal;
}

/** On every chain that has a contract for them: each is a witness of its own. */
export function openAnchors({ config, journal, nowMs, log }: OpenAnchorsOptions): ChainAnchors<AnchoringChain> {
  const { dataDir } = config;
  const open = async ({ config: chain, rpc, actor, anchors }: AnchoringChain) => {
    const { contracts, chainId } = chain;
    if (contracts.anchors === undefined || actor === undefined) return undefined;
    const { address, sender } = actor.relayer;
    return Anchors.open({
      contract: contracts.anchors,
      operator: address,
      chainId,
      everyMs: config.anchorMinutes * 60_000,
      journal: anchors,
      // The older of the two is of the time when one chain was anchored on: what it opens may be on this one.
      formerFiles: ['anchors.jsonl', `anchors-${chainId}.jsonl`].map((name) => join(dataDir, name)),
      heads: () => journal.heads(),
      sender,
      balance: async () => BigInt(String(await rpc.request('eth_getBalance', [address, 'latest']))),
      nowMs,
      onTrouble: (error) => log.warn({ chainId, error: String(error) }, 'the journal could not be anchored'),
    });
  };
  const order = config.chains.map(({ chainId }) => chainId);
  return new ChainAnchors(order, open);
}
