// Opens proofs, by which anyone can check the exchange: receipts, the public journal, and its anchors.

import { join } from 'node:path';
import type { Rpc, SenderPort } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { readOrMakeSecret } from '@presage/runtime/node';
import type { ChainConfig, Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { type AnchorJournal, Anchors, ChainAnchors } from './anchors.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { PublicJournal } from './public-journal.ts';
import { Receipts } from './receipts.ts';

export { AnchorLedger } from './anchor-ledger.ts';
export { PublicJournal };

export function openArchiveFolder({ dataDir, dailyDir }: Pick<Config, 'dataDir' | 'dailyDir'>): ArchiveFolder {
  return new ArchiveFolder(dailyDir ?? join(dataDir, 'daily'));
}

/** Opens receipts with the configured key, or one kept in the data directory: old receipts must still verify after a restart. */
export async function openReceipts({ dataDir, receiptKey }: Pick<Config, 'dataDir' | 'receiptKey'>): Promise<Receipts> {
  return new Receipts(openSigningKey(receiptKey ?? (await readOrMakeSecret(join(dataDir, 'receipt-key')))));
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
  /** Undefined on a node that does not act on the chain: it anchors nothing and forwards requests for anchors. */
  readonly actor: { readonly relayer: { readonly address: Hex; readonly sender: SenderPort } } | undefined;
  readonly anchors: AnchorJournal;
}

/** Opens anchors on every chain with a contract for them, since each chain is an independent witness. */
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
      // The first name is from versions with a single chain, which may have been this one.
      earlierFiles: ['anchors.jsonl', `anchors-${chainId}.jsonl`].map((name) => join(dataDir, name)),
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
