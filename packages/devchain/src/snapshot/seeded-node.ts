// Starts a node whose newest block is a given block of the chain with its state, and verifies that state by its root.
import type { Hex } from '@presage/protocol';
import { hardforkOf } from '../chain-record.ts';
import { EdrNode } from '../edr-node.ts';
import { LEAST_ORIGIN_NUMBER } from './least-origin.ts';
import { SLOT_BYTES, type Storage, type WorldState } from './world-state.ts';

export interface NodeOrigin {
  readonly chainId: number;
  readonly blockGasLimit: number;
  readonly hardfork?: 'Osaka';
  readonly number: number;
  readonly time: number;
  readonly hash: Hex;
  readonly stateRoot: Hex;
  readonly prevRandao: Hex;
  /** Seed of the counter with which the node fills the parentBeaconBlockRoot of its blocks: see `beaconSeedBlock`. */
  readonly beaconSeed: Hex;
}

/** `for (p = 0; p < calldatasize; p += 64) sstore(calldataload(p), calldataload(p + 32))` */
const WRITER = Buffer.from('5f5b3681101560175780602001358135556040016001565b00', 'hex');
/** A block may have 8 MiB; this leaves room for everything else in it. */
const MAX_WRITE_BYTES = 80_000 * SLOT_BYTES;
/** Upper bound of a transaction's size beside its data. */
const ENVELOPE_BYTES = 256;
const NO_LIMIT = '0xfffffffffffff';
const WRITE_GAS = '0x1000000000';
/** Number of beacon roots that the node uses up while it skips blocks and mines the last one. */
const BEACON_ROOTS_OF_SKIP = 3;

interface Write {
  readonly address: string;
  readonly data: Buffer;
}

interface SetupPlan {
  readonly sender: string | undefined;
  /** Writes of each setup block. */
  readonly blocks: readonly (readonly Write[])[];
  /** Slots of contracts for which the sender has no nonce left, set one by one. */
  readonly singles: readonly Write[];
}

/** The block whose parentBeaconBlockRoot must be the seed, so that the block after the origin gets its original value. */
export function beaconSeedBlock(number: number, state: WorldState): number {
  return number - BEACON_ROOTS_OF_SKIP - planSetup(state).blocks.length;
}

export async function openNodeAt(origin: NodeOrigin, state: WorldState): Promise<EdrNode> {
  const plan = planSetup(state);
  const node = await EdrNode.open({
    chainId: origin.chainId,
    hardfork: hardforkOf(origin),
    blockGasLimit: origin.blockGasLimit,
    genesisTime: origin.time,
    beaconSeed: origin.beaconSeed,
    accounts: [...toGenesisAccounts(state, plan)],
  });
  await writeStorage(node, plan, origin);
  await restoreAccounts(node, plan, state);
  await node.request('evm_setBlockGasLimit', [toHex(origin.blockGasLimit)]);
  // The node's clock runs from its start; without this a second may have passed.
  await node.request('evm_setNextBlockTimestamp', [toHex(origin.time)]);
  await node.request('hardhat_mine', [toHex(origin.number - plan.blocks.length - 1), '0x0']);
  await node.request('hardhat_setPrevRandao', [origin.prevRandao]);
  await node.request('evm_setNextBlockTimestamp', [toHex(origin.time)]);
  await node.request('evm_mine', []);
  await assertOrigin(node, origin);
  await node.adoptHead(origin.hash);
  return node;
}

/**
 * Plans the storage writes. The node accepts no storage at its start, and setting slots one by one takes ten times as
 * long as having a contract write them. Each write costs its sender a nonce, which cannot be undone, so the account
 * with the highest nonce sends them.
 */
function planSetup(state: WorldState): SetupPlan {
  const people = [...state.accounts].filter(([, { code }]) => code === '0x');
  const busiest = people.reduce<(typeof people)[number] | undefined>(
    (most, entry) => (entry[1].nonce > (most?.[1].nonce ?? 0) ? entry : most),
    undefined,
  );
  const all = [...state.accounts].flatMap(([address, { storage }]) => toWrites(address, storage));
  const bySize = all.toSorted((a, b) => b.data.length - a.data.length);
  const most = busiest?.[1].nonce ?? 0;
  const blocks = toBlocks(bySize.slice(0, most));
  const late = blocks.splice(LEAST_ORIGIN_NUMBER / 2).flat();
  return { sender: busiest?.[0], blocks, singles: [...late, ...bySize.slice(most)] };
}

function toBlocks(writes: readonly Write[]): Write[][] {
  const blocks: Write[][] = [];
  let space = 0;
  for (const write of writes) {
    const bytes = write.data.length + ENVELOPE_BYTES;
    if (bytes > space) {
      blocks.push([]);
      space = MAX_WRITE_BYTES + ENVELOPE_BYTES;
    }
    blocks.at(-1)?.push(write);
    space -= bytes;
  }
  return blocks;
}

function toWrites(address: string, storage: Storage): Write[] {
  const packed = storage.pack();
  const writes: Write[] = [];
  for (let at = 0; at < packed.length; at += MAX_WRITE_BYTES) {
    writes.push({ address, data: packed.subarray(at, at + MAX_WRITE_BYTES) });
  }
  return writes;
}

function* toGenesisAccounts(state: WorldState, plan: SetupPlan) {
  const written = writtenBy(plan);
  for (const [address, account] of state.accounts) {
    const code = written.has(address) ? WRITER : Buffer.from(account.code.slice(2), 'hex');
    const balance = BigInt(account.balance);
    // The node would keep an empty account, which the chain does not have.
    if (code.length === 0 && balance === 0n && account.nonce === 0) continue;
    const nonce = address === plan.sender ? 0n : BigInt(account.nonce);
    const named = { address: Buffer.from(address.slice(2), 'hex'), balance, nonce };
    yield code.length === 0 ? named : { ...named, code };
  }
}

function writtenBy({ blocks }: SetupPlan): Set<string> {
  return new Set(blocks.flat().map(({ address }) => address));
}

async function writeStorage(node: EdrNode, { sender, blocks }: SetupPlan, { time }: NodeOrigin): Promise<void> {
  if (sender === undefined || blocks.length === 0) return;
  await node.request('hardhat_impersonateAccount', [sender]);
  await node.request('evm_setBlockGasLimit', [NO_LIMIT]);
  for (const writes of blocks) {
    for (const { address, data } of writes) {
      const call = { from: sender, to: address, gas: WRITE_GAS, gasPrice: '0x0', data: `0x${data.toString('hex')}` };
      await node.request('eth_sendTransaction', [call]);
    }
    await node.request('evm_setNextBlockTimestamp', [toHex(time)]);
    await node.request('evm_mine', []);
  }
  await node.request('hardhat_stopImpersonatingAccount', [sender]);
}

async function restoreAccounts(node: EdrNode, plan: SetupPlan, state: WorldState): Promise<void> {
  for (const address of writtenBy(plan)) {
    await node.request('hardhat_setCode', [address, state.accounts.get(address)?.code]);
  }
  for (const { address, data } of plan.singles) {
    for (let at = 0; at < data.length; at += SLOT_BYTES) {
      const key = BigInt(`0x${data.toString('hex', at, at + 32)}`);
      const value = `0x${data.toString('hex', at + 32, at + SLOT_BYTES)}`;
      await node.request('hardhat_setStorageAt', [address, `0x${key.toString(16)}`, value]);
    }
  }
  const sender = plan.sender === undefined ? undefined : state.accounts.get(plan.sender);
  if (sender) await node.request('hardhat_setNonce', [plan.sender, toHex(sender.nonce)]);
}

async function assertOrigin(node: EdrNode, origin: NodeOrigin): Promise<void> {
  const head = await node.read<Record<string, string>>('eth_getBlockByNumber', ['latest', false]);
  const { number, timestamp, stateRoot } = head;
  if (Number(number) !== origin.number || Number(timestamp) !== origin.time) {
    throw new Error(`the node begins at block ${Number(number)} instead of ${origin.number}`);
  }
  if (stateRoot === origin.stateRoot) return;
  throw new Error(`the state of block ${origin.number} has the root ${stateRoot}, not ${origin.stateRoot}`);
}

function toHex(value: number): Hex {
  return `0x${value.toString(16)}`;
}
