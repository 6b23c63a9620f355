// The service in a simulated process: its trading part, composed as in the service, with a simulated disk, network and view.
import { type Address, openKeccak, UsedTokens } from '@presage/protocol';
import { createApiKeyPair, openPublicKey, openSigningKey, signBearerToken } from '@presage/protocol/ed25519';
import { openSignerRecovery } from '@presage/protocol/signer';
import { Shutdown } from '@presage/runtime';
import type { ProcessProbe } from '@presage/runtime/node';
import { SILENT_LOG } from '@presage/testkit';
import type { Admission } from '../../apps/server/src/admission/admission.ts';
import { TokenChecker } from '../../apps/server/src/auth/token-checker.ts';
import type { ChainActor } from '../../apps/server/src/chains/chain-actor.ts';
import type { Chains } from '../../apps/server/src/chains/chains.ts';
import { ServiceClock } from '../../apps/server/src/clock.ts';
import { openCluster } from '../../apps/server/src/cluster/open.ts';
import { openExchange } from '../../apps/server/src/compose-exchange.ts';
import type { DeadManSwitches } from '../../apps/server/src/host/dead-man-switches.ts';
import { type Journal, type OpenHost, openJournal } from '../../apps/server/src/host/open.ts';
import type { PartitionLog } from '../../apps/server/src/host/partition-log.ts';
import type { Prices } from '../../apps/server/src/prices/prices.ts';
import type { Views } from '../../apps/server/src/projections/views.ts';
import { Receipts } from '../../apps/server/src/proof/receipts.ts';
import type { OpenJournalDatabase } from '../../apps/server/src/store/journal-database.ts';
import { FetchPost } from './fetch-post.ts';
import type { ProcessRun } from './machine.ts';
import { addressOf, RECEIPT_KEY, type SimConfigOptions, toConfig } from './sim-config.ts';
import type { SimDisk } from './sim-disk.ts';

/** Small, so that a short life already has several segments and archives. */
const SEGMENT = { segmentBytes: 96 * 1024, growBytes: 16 * 1024 };
/** Frequent, so that a kill may hit a checkpoint. */
export const CHECKPOINT_EVERY = 12;

/** Compiled once, outside virtual time: equal for every process of the world. */
const recovery = await openSignerRecovery();
await openKeccak();
const signers = {
  recover: async (digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined> =>
    recovery.recover(digest, signature),
};

const KEY_PAIR = createApiKeyPair(new Uint8Array(32).fill(7));
const TOKEN_KEY = {
  keyId: 'key-of-the-simulation',
  publicKey: openPublicKey(KEY_PAIR.publicKeyHex),
  isRevoked: false,
  expiresAt: undefined,
};

/** Signed with the one key that every simulated node knows. */
export function issueToken(nonce: string, issuedAt: number): string {
  return signBearerToken({ kid: TOKEN_KEY.keyId, ts: issuedAt, n: nonce }, KEY_PAIR.privateKeyHex);
}

/** Shared by all lives: opening a key costs more than a signature. */
const receipts = new Receipts(openSigningKey(RECEIPT_KEY));

export interface SimServiceOptions extends SimConfigOptions {
  readonly disk: SimDisk;
  readonly probe: ProcessProbe;
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
  readonly prices: Pick<Prices, 'boundaryUpdate' | 'isFresh'>;
  readonly openViews: (sources: readonly PartitionLog[]) => Promise<SimViews>;
  readonly run: Pick<ProcessRun, 'onWarning' | 'onFatal' | 'onStandBy'>;
}

interface SimViews {
  readonly views: Views;
  /** Number of records that the view has not reached. */
  readonly lag: () => number;
  close(): Promise<void>;
}

export interface SimService {
  readonly admission: Admission;
  readonly host: OpenHost;
  readonly chains: Chains;
  /** The actor of the chain; undefined if another node has it. */
  readonly actor: ChainActor | undefined;
  readonly switches: DeadManSwitches;
  readonly clock: ServiceClock;
  /** Market partitions, m0 first. */
  readonly markets: readonly PartitionLog[];
  readonly viewLag: () => number;
  /** Resolves when the use of a bearer token is durable. */
  readonly useToken: (token: string) => Promise<void>;
  /** Whether this node has applied the partition up to a sequence in time. */
  readonly reached: Journal['reached'];
  /** Whether this node sees the other nodes. */
  readonly isSound: () => boolean;
  /** Closes the service like an operator. */
  close(): Promise<void>;
}

export async function openSimService(options: SimServiceOptions): Promise<SimService> {
  const { run, disk, probe, prices, openDatabase, place } = options;
  const { onFatal, onWarning } = run;
  const shutdown = new Shutdown((name, error) => onWarning(`${name} did not close: ${String(error)}`));
  const config = toConfig(options);
  const clock = new ServiceClock();
  const onProgress = () => undefined;
  const warn = (details: object, message: string) => onWarning(`${message} ${JSON.stringify(details)}`);
  const log = { ...SILENT_LOG, warn, error: warn };
  const address = addressOf(place?.machine ?? 'service');
  const common = { config, address, openDatabase, onWarning, receiptKey: receipts.publicKey };
  const cluster = config.cluster && (await openCluster(common));
  shutdown.add('cluster', () => cluster?.close());
  try {
    // A gateway keeps showing what it has shown. A settler's writes depend on what it has read, so it restarts and
    // reads everything again.
    const onDiffers = place?.roles.includes('settler') ? onFatal : undefined;
    const journal = await openJournal({
      ...common,
      disk: { files: disk, probe, ...SEGMENT },
      nowMs: clock.nowMs,
      onProgress,
      onFatal,
      onDiffers,
      onSealed: () => undefined,
      onStandBy: () => run.onStandBy(),
      checkpointEvery: CHECKPOINT_EVERY,
      others: cluster,
    });
    shutdown.add('journal', () => journal.close());
    const tokens = new UsedTokens();
    const { chains, host, admission, switches, view, start } = await openExchange({
      config,
      clock,
      log,
      shutdown,
      journal,
      receipts,
      signers,
      checkpointEvery: CHECKPOINT_EVERY,
      controlFollowers: [tokens],
      onMaker: () => undefined,
      onProgress,
      onFatal,
      // Only the parts that markets use.
      openPrices: async () => prices as Prices,
      openView: async () => {
        const projections = await options.openViews(journal.markets);
        shutdown.add('projections', () => projections.close());
        return projections;
      },
      openHeads: () => ({ isLive: false, start: () => undefined, close: () => undefined }),
      openPost: (url) => new FetchPost(url),
      pace: 'live',
    });
    start();
    // Runs first, as in the service: calls that wait for an engine or a journal would block the other steps.
    shutdown.add('waiting', () => {
      cluster?.hurry();
      journal.stopWaiting();
    });
    const { actor } = chains.first;
    const { markets, reached } = journal;
    const isDecidedElsewhere = config.cluster !== undefined;
    const keys = { find: () => TOKEN_KEY };
    const node = config.cluster && address;
    const tokenUses = { tokens, wallMs: Date.now, journal: journal.note, node, isDecidedElsewhere };
    const checker = new TokenChecker({ keys, ...tokenUses });
    const useToken = async (token: string) => checker.check(`Bearer ${token}`).used;
    const isSound = () => journal.isFollowing() && cluster?.areEnginesHeard() !== false;
    const parts = { admission, host, chains, actor, switches, clock, markets, useToken, reached, isSound };
    return { ...parts, viewLag: view.lag, close: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
