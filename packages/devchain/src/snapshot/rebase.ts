// Extracts the chain's state and old blocks from the running node, and starts another node from them.
import type { Hex } from '@presage/protocol';
import { type GenesisRecord, hardforkOf } from '../chain-record.ts';
import { type EdrNode, toGenesisState } from '../edr-node.ts';
import { Ledger, type LedgerBlock } from '../ledger.ts';
import { type ArchivedBlock, type BlockSegment, type ReceiptView, SegmentBuilder } from './block-segment.ts';
import type { ChainPast } from './chain-past.ts';
import { beaconSeedBlock, type NodeOrigin, openNodeAt } from './seeded-node.ts';
import { type StateDiff, Storage, WorldState } from './world-state.ts';

const DIFF_TRACER = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };

export interface RebaseParams {
  readonly past: ChainPast;
  readonly ledger: Ledger;
  /** The block whose state is taken. */
  readonly block: LedgerBlock;
  /** State of an earlier block, taken from the same node on the same branch. */
  readonly earlier?: TakenState | undefined;
  /** Runs one short request to the node in its turn; throws to give up. */
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>;
  /** Resolves when the next requests may be made; absent if no other client needs the node. */
  readonly rest?: () => Promise<void>;
}

/** The state of a block, from which another node can begin. */
export interface TakenState {
  readonly origin: NodeOrigin;
  readonly state: WorldState;
  /** Blocks up to the origin that are not archived yet. */
  readonly segments: readonly BlockSegment[];
}

export interface RebasedLedger extends TakenState {
  readonly ledger: Ledger;
}

/** Returns a ledger whose node begins at the block. The running node is only queried, one transaction at a time. */
export async function rebase(params: RebaseParams): Promise<RebasedLedger> {
  const taken = await takeState(params);
  const node = await openNodeAt(taken.origin, taken.state);
  return { ...taken, ledger: await Ledger.resume({ node, base: params.block }, params.past) };
}

/** Continues from the state of an earlier block, which it modifies; without one it starts at the base of the running node. */
export async function takeState(params: RebaseParams): Promise<TakenState> {
  const { past, ledger, block, ask, earlier } = params;
  if (earlier?.origin.hash === block.hash) return earlier;
  const blocks = [...(await ask(async () => blocksUpTo(ledger, block)))];
  const state = earlier?.state ?? (await loadState(past, ledger.base));
  const first = (earlier?.origin.number ?? past.archive.last) + 1;
  const builder = new SegmentBuilder(first);
  let last: ArchivedBlock | undefined;
  const missing = blocks.filter(({ number }) => number >= first);
  for await (const archived of takeBlocks(params, missing, state)) {
    last = archived;
    await builder.add(archived);
  }
  if (!last) throw new Error(`there is nothing to take out of the node at block ${block.number}`);
  const seedBlock = await ask(() => readSeedBlock(params, beaconSeedBlock(block.number, state)));
  const origin = toOrigin(past, last, seedBlock.parentBeaconBlockRoot);
  const segment = await past.store.writeSegment(first, block, builder);
  return { origin, state, segments: [...(earlier?.segments ?? []), segment] };
}

/** Genesis is archived with the first blocks; any other base is archived already. */
function blocksUpTo(ledger: Ledger, block: LedgerBlock): readonly LedgerBlock[] {
  const known = ledger.known.filter(({ number }) => number <= block.number);
  if (known.at(-1)?.hash !== block.hash) throw new Error(`block ${block.number} is no longer part of the chain`);
  return known;
}

async function loadState(past: ChainPast, base: number): Promise<WorldState> {
  if (base === 0) return toGenesisWorld(past.genesis);
  for (const name of await past.store.list()) {
    if (name.number !== base) continue;
    const snapshot = await past.store.read(name, past.genesis);
    if (snapshot && past.archive.findBlock(snapshot.origin.hash) === base) return snapshot.state;
  }
  throw new Error(`the snapshot of block ${base} cannot be read`);
}

function toGenesisWorld(genesis: GenesisRecord): WorldState {
  return new WorldState(
    toGenesisState(hardforkOf(genesis)).map(({ address, balance = 0n, nonce = 0n, code = new Uint8Array() }) => [
      `0x${Buffer.from(address).toString('hex')}`,
      {
        balance: `0x${balance.toString(16)}`,
        nonce: Number(nonce),
        code: `0x${Buffer.from(code).toString('hex')}`,
        storage: new Storage(),
      },
    ]),
  );
}

/**
 * Each turn lasts as long as all other work since the previous one, pauses excluded: so it keeps up with a chain that
 * is never quiet, and delays it by the cost of tracing each transaction once.
 */
async function* takeBlocks(
  { ledger, ask, rest }: RebaseParams,
  blocks: readonly LedgerBlock[],
  state: WorldState,
): AsyncGenerator<ArchivedBlock> {
  const steps = listSteps(ledger.node, blocks, state);
  let endedMs = performance.now();
  for (let isDone = false; !isDone; ) {
    const taken: ArchivedBlock[] = [];
    const restsMs = performance.now();
    await rest?.();
    const restedMs = performance.now() - restsMs;
    isDone = await ask(async () => {
      const startedMs = performance.now();
      const budgetMs = startedMs - endedMs - restedMs;
      do {
        const step = steps.next();
        if (step.done) return true;
        const archived = await step.value();
        if (archived) taken.push(archived);
        endedMs = performance.now();
      } while (endedMs - startedMs < budgetMs);
      return false;
    });
    yield* taken;
  }
}

/** One step per transaction, which advances the state, and one per block, which reads it. */
function* listSteps(
  node: EdrNode,
  blocks: readonly LedgerBlock[],
  state: WorldState,
): Generator<() => Promise<ArchivedBlock | undefined>> {
  for (const block of blocks) {
    for (const { hash } of block.transactions) {
      yield async () => {
        state.apply(await node.read<StateDiff>('debug_traceTransaction', [hash, DIFF_TRACER]));
        return undefined;
      };
    }
    yield () => readArchived(node, block);
  }
}

async function readArchived(node: EdrNode, { hash, branch, transactions }: LedgerBlock): Promise<ArchivedBlock> {
  const block = await node.read<ArchivedBlock['block'] | null>('eth_getBlockByHash', [hash, true]);
  if (!block) throw new Error(`block ${hash} is no longer part of the chain`);
  const receipts: ReceiptView[] = [];
  for (const transaction of transactions) {
    receipts.push(await node.read<ReceiptView>('eth_getTransactionReceipt', [transaction.hash]));
  }
  return { block, receipts, branch, bodies: transactions.map(({ body }) => body) };
}

async function readSeedBlock({ ledger, past }: RebaseParams, number: number): Promise<ArchivedBlock['block']> {
  if (number <= past.archive.last) return (await past.archive.read(number)).block;
  const tag = `0x${number.toString(16)}`;
  return ledger.node.read<ArchivedBlock['block']>('eth_getBlockByNumber', [tag, false]);
}

function toOrigin({ genesis }: ChainPast, { block }: ArchivedBlock, beaconSeed: Hex): NodeOrigin {
  const { chainId, blockGasLimit, hardfork } = genesis;
  const { hash, stateRoot, mixHash: prevRandao } = block;
  const [number, time] = [Number(block.number), Number(block.timestamp)];
  const rules = hardfork && { hardfork };
  return { chainId, blockGasLimit, ...rules, number, time, hash, stateRoot, prevRandao, beaconSeed };
}
