// Killed with SIGKILL under load again and again, the chain loses nothing it acknowledged and shows the same blocks.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv, waitFor } from '@presage/testkit';
import { expect, it } from 'vitest';
import { keyOf, type SandboxRole } from '../src/sandbox-keys.ts';
import {
  ask,
  askAll,
  type ChainProcess,
  makeDataDir,
  type ReceiptView,
  readBlock,
  readBlocks,
  readReceipt,
  SOMEBODY,
  signAs,
  startChain,
} from './chain-client.ts';

const KILLS = isLongRun ? 20 : 3;
/** In one life. */
const MOST_ACKNOWLEDGED = isLongRun ? 150 : 60;
const SEED = seedFromEnv(20_261_115);
const LIVES = 2;
const BLOCKS_A_LIFE = 300;
const BLOCKS_A_SNAPSHOT = 20;
/** Gas that a block with a transfer or two counts for. */
const BLOCK_WORK = 130_000;
const SENDERS: readonly SandboxRole[] = ['owner', 'settler', 'relayer', 'feedSigner'];

/** Sends transfers of one wei until the chain dies; remembers each acknowledged transaction and every block it saw. */
class Load {
  readonly acknowledged: Hex[] = [];
  readonly seen = new Map<number, Hex>();
  readonly #nonces = new Map<SandboxRole, number>();

  async run(chain: ChainProcess): Promise<void> {
    await Promise.all([
      ...SENDERS.map((role) => this.#send(chain.url, role)),
      this.#watch(chain.url),
      this.#disturb(chain.url),
    ]);
  }

  /** Resolves in the middle of things, when so many more transactions have been acknowledged. */
  async acknowledges(count: number): Promise<void> {
    const enough = this.acknowledged.length + count;
    await waitFor(`${enough} are acknowledged`, () => this.acknowledged.length >= enough, { pollMs: 1 });
  }

  async expectSeen(url: string): Promise<void> {
    const blocks = await readBlocks(url, 0);
    expect([...this.seen.keys()].map((number) => [number, blocks[number]?.hash])).toEqual([...this.seen]);
  }

  async #send(url: string, role: SandboxRole): Promise<void> {
    try {
      // What was in flight at the kill may or may not have arrived: ask, as a real sender must.
      let nonce = Number(await ask<Hex>(url, 'eth_getTransactionCount', keyOf(role).address, 'pending'));
      expect(nonce).toBeGreaterThanOrEqual(this.#nonces.get(role) ?? 0);
      for (;;) {
        const raw = await signAs(role, { nonce, to: SOMEBODY, value: 1n });
        this.acknowledged.push(await ask<Hex>(url, 'eth_sendRawTransaction', raw));
        nonce += 1;
        this.#nonces.set(role, nonce);
      }
    } catch (error) {
      rethrowUnlessCut(error);
    }
  }

  async #watch(url: string): Promise<void> {
    try {
      for (;;) {
        const { number, hash } = await readBlock(url);
        this.seen.set(number, hash);
        const last = this.acknowledged.at(-1);
        if (last) await readReceipt(url, last);
      }
    } catch (error) {
      rethrowUnlessCut(error);
    }
  }

  async #disturb(url: string): Promise<void> {
    try {
      for (;;) {
        await ask(url, 'presage_sendAs', { from: SOMEBODY, to: SOMEBODY });
        await ask(url, 'presage_mine');
        await sleep(30);
      }
    } catch (error) {
      rethrowUnlessCut(error);
    }
  }
}

/** `terminated` when it was cut in the middle of an answer. */
function rethrowUnlessCut(error: unknown): void {
  if (!(error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message))) throw error;
}

/** A whole one: what is still being written has another ending. */
async function hasSnapshot(dataDir: string): Promise<boolean> {
  return (await readdir(join(dataDir, 'snapshots'))).some(
    (name) => name.startsWith('state-') && !name.endsWith('.tmp'),
  );
}

it(`survives ${KILLS} kills under load (seed ${SEED})`, async () => {
  const dataDir = await makeDataDir();
  const load = new Load();
  const random = new SeededRandom(SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // So little gas that a snapshot is always due: kills fall into every step of taking one.
    const chain = await startChain({ dataDir, blockIntervalMs: 50, snapshotGas: 1 });
    await load.expectSeen(chain.url);
    // A snapshot is first taken when there are enough blocks to begin from.
    if (kill === 0) await ask(chain.url, 'presage_mine', 70);
    const running = load.run(chain);
    await load.acknowledges(random.int(5, MOST_ACKNOWLEDGED));
    // On a busy machine every life before may have been too short for one.
    if (kill === KILLS - 1) await waitFor('there is a snapshot', () => hasSnapshot(dataDir), { timeoutMs: 120_000 });
    await chain.kill();
    await running;
  }
  const chain = await startChain({ dataDir });
  expect(chain.ready.replayedBlocks).toBeLessThan(chain.ready.blockNumber);
  await ask(chain.url, 'presage_mine', 3);
  await load.expectSeen(chain.url);
  const hashes = load.acknowledged.map((hash) => [hash]);
  const receipts = await askAll<ReceiptView | null>(chain.url, 'eth_getTransactionReceipt', hashes);
  expect(receipts.map((receipt) => receipt?.status)).toEqual(hashes.map(() => '0x1'));
  expect(new Set(load.acknowledged).size).toBe(load.acknowledged.length);
  const paid = BigInt(await ask<Hex>(chain.url, 'eth_getBalance', SOMEBODY, 'latest'));
  // At most one transfer of each sender was in flight, and so unacknowledged, at each kill.
  expect(paid).toBeGreaterThanOrEqual(BigInt(load.acknowledged.length));
  expect(paid).toBeLessThanOrEqual(BigInt(load.acknowledged.length + KILLS * SENDERS.length));
  console.log(
    `${KILLS} kills, ${load.acknowledged.length} acknowledged, ${load.seen.size} blocks seen, head ${chain.ready.blockNumber}`,
  );
});

it('executes a bounded number of blocks again, however long it has been busy when it is killed', async () => {
  const dataDir = await makeDataDir();
  const load = new Load();
  const executed: number[] = [];
  for (let life = 1; life <= LIVES; life += 1) {
    const chain = await startChain({ dataDir, blockIntervalMs: 0, snapshotGas: BLOCKS_A_SNAPSHOT * BLOCK_WORK });
    if (life === 1) await ask(chain.url, 'presage_mine', 70);
    const { number } = await readBlock(chain.url);
    const running = load.run(chain);
    const isLong = async () => (await readBlock(chain.url)).number >= number + BLOCKS_A_LIFE;
    await waitFor('the chain is long', isLong, { timeoutMs: 240_000, pollMs: 10 });
    await chain.kill();
    await running;
    const { ready, kill } = await startChain({ dataDir, snapshotGas: 1e12 });
    executed.push(ready.replayedBlocks);
    await kill();
  }
  console.log(`executed again: ${executed.join(', ')} blocks of ${BLOCKS_A_LIFE} in a life`);
  for (const blocks of executed) expect(blocks).toBeLessThan(BLOCKS_A_LIFE / 2);
}, 600_000);
