// Kills the sender before and after every single step it takes, and looks at the chain afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TransactionSender } from '../src/sender/transaction-sender.ts';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { KillSwitch, MemoryJournal } from './kill-switch.ts';
import { CHAIN_ID, SETTLER } from './sandbox-accounts.ts';

const OPERATIONS = 2;

let chain: ChainFixture;
let nextIndex = 0;
beforeAll(async () => {
  chain = await ChainFixture.open();
});
afterAll(() => chain.close());

/** Runs the operations to confirmation unless the switch strikes first; says where it did. */
async function run(indexes: readonly number[], memory: MemoryJournal, life: KillSwitch): Promise<string | null> {
  const sender = new TransactionSender({
    rpc: life.rpc(chain.rpc),
    chainId: CHAIN_ID,
    account: SETTLER,
    journal: life.journal(memory),
    records: memory.records,
    confirmations: 2,
    finalityDepth: 3,
  });
  const finish = async () => {
    await Promise.all(indexes.map((index) => sender.enqueue(chain.mint(index))));
    while (indexes.some((index) => sender.status(`mint-${index}`)?.final !== true)) {
      await sender.advance();
      await chain.mine();
    }
    return null;
  };
  return Promise.race([finish(), life.died]);
}

async function expectContiguousNonces(): Promise<void> {
  const nonces = (await chain.transactionsOf(SETTLER.address)).map(({ nonce }) => nonce);
  expect(nonces).toEqual(nonces.map((_, position) => position));
}

/** Steps on both sides of which a crash must have happened at least once. */
const STEPS = [
  'nonce-reserved',
  'transaction-signed',
  'transaction-broadcast',
  'transaction-mined',
  'batch of eth_sendRawTransaction',
];
const PLACES = STEPS.flatMap((step) => [`before ${step}`, `after ${step}`]);
/** Two operations race, so the n-th step is not the same in every pass: a place missed in one is hit in another. */
const MOST_PASSES = 5;

/** Kills at the first step, the second, and so on, until a run outlives its switch. */
async function strikeEveryStep(journal: MemoryJournal, places: Set<string>): Promise<void> {
  for (let killAt = 1; ; killAt += 1) {
    const indexes = Array.from({ length: OPERATIONS }, () => nextIndex++);
    const place = await run(indexes, journal, new KillSwitch(killAt));
    if (place !== null) {
      places.add(place);
      await run(indexes, journal, new KillSwitch(Number.POSITIVE_INFINITY));
    }
    for (const index of indexes) expect(await chain.mintedBy(index), `killed ${place}`).toBe(amountOf(index));
    if (place === null) return;
  }
}

describe('a sender killed at any step', () => {
  it('executes every operation exactly once after a restart', async () => {
    const journal = new MemoryJournal();
    const places = new Set<string>();
    const missed = () => PLACES.filter((place) => !places.has(place));
    for (let pass = 0; pass < MOST_PASSES && missed().length > 0; pass++) await strikeEveryStep(journal, places);
    expect(missed()).toEqual([]);
    await expectContiguousNonces();
  });
});
