// Opens what lets anyone check the exchange: receipts, the journal as it is published, and its anchors.
import { join } from 'node:path';
import type { Rpc, SenderPort } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { readOrMakeSecret } from '@presage/runtime/node';
import type { ChainConfig, Config } from '../config.ts';
import { type AnchorJournal, Anchors } from './anchors.ts';
import { ChainAnchors } from './chain-anchors.ts';
import { PublicJournal } from './public-journal.ts';
import type { ProvenLog } from './published-partition.ts';
import { Receipts } from './receipts.ts';

export { AnchorLedger } from './anchor-ledger.ts';

/** Signs with the configured key, or with one that stays in the data directory: old receipts must still verify after a restart. */
export async function openReceipts({ dataDir, receiptKey }: Pick<Config, 'dataDir' | 'receiptKey'>): Promise<Receipts> {
  return new Receipts(openSigningKey(receiptKey ?? (await readOrMakeSecret(join(dataDir, 'receipt-key')))));
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
  readonly config: Pick<Config, 'dataDir' | 'anchorMinutes' | 'chains' | 'roles'>;
  readonly journal: PublicJournal;
  readonly nowMs: () => number;
  readonly log: { warn(details: object, message: string): void };
}

interface AnchoringChain {
  readonly config: ChainConfig;
  readonly rpc: Rpc;
  readonly relayer: { readonly address: Hex; readonly sender: SenderPort };
  readonly anchors: AnchorJournal;
}

/** Anchors on every chain that has a contract for them: each is an independent witness. */
export function openAnchors({ config, journal, nowMs, log }: OpenAnchorsOptions): ChainAnchors<AnchoringChain> {
  const { dataDir } = config;
  // The node that acts on the chain anchors; the others only list what it wrote.
  const isActing = config.roles.includes('settler');
  const open = async ({ config: chain, rpc, relayer: { address, sender }, anchors }: AnchoringChain) => {
    const { contracts, chainId } = chain;
    if (contracts.anchors === undefined) return undefined;
    return Anchors.open({
      contract: contracts.anchors,
      operator: address,
      chainId,
      everyMs: isActing ? config.anchorMinutes * 60_000 : 0,
      journal: anchors,
      // The first name is from versions with a single chain: its anchors may be on this one.
      earlierFiles: isActing ? ['anchors.jsonl', `anchors-${chainId}.jsonl`].map((name) => join(dataDir, name)) : [],
      heads: () => journal.heads(),
      sender,
      balance: async () => BigInt(String(await rpc.request('eth_getBalance', [address, 'latest']))),
      nowMs,
      onTrouble: (error) => log.warn({ chainId, error: String(error) }, 'anchoring the journal failed'),
    });
  };
  const order = config.chains.map(({ chainId }) => chainId);
  return new ChainAnchors(order, open);
}
