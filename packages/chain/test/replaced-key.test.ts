// What one key left when another takes its place: sent transactions, and operations that were never signed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { NEXT_SETTLER, SETTLER } from './sandbox-accounts.ts';
import { SenderBench } from './sender-bench.ts';

let chain: ChainFixture;
let index = 0;
beforeAll(async () => {
  chain = await ChainFixture.open();
});
afterAll(() => chain.close());

describe('a key that takes the place of another', () => {
  it('begins at its own nonce once everything before is final, also after a restart in the midst of it', async () => {
    const before = new SenderBench(chain, { finalityDepth: 2 });
    for (let sent = 0; sent < 3; sent += 1) {
      await before.sender.send(chain.mint(++index));
      await before.until(`mint-${index}`, ({ final }) => final);
    }
    await before.sender.close();
    const first = new SenderBench(chain, { account: NEXT_SETTLER, records: before.memory.records });
    await chain.holdMining(true);
    await first.sender.send(chain.mint(++index));
    await first.sender.close();
    const records = [...before.memory.records, ...first.memory.records];
    const second = new SenderBench(chain, { account: NEXT_SETTLER, records });
    await second.sender.send(chain.mint(++index));
    await chain.holdMining(false);
    await second.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
    expect((await chain.transactionsOf(NEXT_SETTLER.address)).map(({ nonce }) => nonce)).toEqual([0, 1]);
    expect([...first.alarmTypes(), ...second.alarmTypes()]).toEqual([]);
    expect([await chain.mintedBy(index - 1), await chain.mintedBy(index)]).toEqual([
      amountOf(index - 1),
      amountOf(index),
    ]);
  });
});

describe('a key that takes the place of another whose transactions are under way', () => {
  it('follows them to their end first, and none is sent by both', async () => {
    const before = new SenderBench(chain);
    await before.sender.send(chain.mint(++index));
    await before.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
    await chain.holdMining(true);
    const late = chain.mint(++index);
    await before.sender.send(late);
    await before.sender.close();
    const sentBefore = (await chain.transactionsOf(NEXT_SETTLER.address)).length;
    const next = new SenderBench(chain, { account: NEXT_SETTLER, records: before.memory.records, finalityDepth: 4 });
    await expect(next.sender.enqueue(chain.mint(++index))).rejects.toMatchObject({ reason: 'held' });
    await chain.holdMining(false);
    await next.until(late.operationId, ({ final }) => final);
    await next.sender.enqueue(chain.mint(index));
    await next.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
    expect(next.alarmTypes()).toEqual(['replaced-key']);
    expect(await chain.mintedBy(index - 1)).toBe(amountOf(index - 1));
    expect(await chain.transactionsOf(NEXT_SETTLER.address)).toHaveLength(sentBefore + 1);
  });

  it('says that it can neither replace nor free them', async () => {
    const before = new SenderBench(chain);
    await chain.holdMining(true);
    await before.sender.send(chain.mint(++index));
    await before.sender.abandon(`mint-${index}`, 'not wanted any more');
    await before.sender.close();
    const next = new SenderBench(chain, { account: NEXT_SETTLER, records: before.memory.records });
    await next.sender.advance();
    expect(next.alarmTypes()).toEqual(['replaced-key', 'unsigned']);
    expect(next.records('transaction-signed')).toEqual([]);
    await chain.holdMining(false);
    await next.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
  });
});

describe('a key that takes the place of another which could not sign any more', () => {
  const dumb = {
    ...SETTLER,
    signTransaction: () => Promise.reject(new Error('the signer is gone')),
  };

  it('sends what was reserved and never signed at its own nonces', async () => {
    const before = new SenderBench(chain, { finalityDepth: 2 });
    for (let sent = 0; sent < 4; sent += 1) {
      await before.sender.send(chain.mint(++index));
      await before.until(`mint-${index}`, ({ final }) => final);
    }
    await before.sender.close();
    const speechless = new SenderBench(chain, { account: dumb, records: before.memory.records });
    for (let reserved = 0; reserved < 2; reserved += 1) await speechless.sender.enqueue(chain.mint(++index));
    await speechless.sender.close();
    const known = (await chain.transactionsOf(NEXT_SETTLER.address)).length;
    const records = [...before.memory.records, ...speechless.memory.records];
    const next = new SenderBench(chain, { account: NEXT_SETTLER, records, maxInFlight: 3 });
    await next.sender.enqueue(chain.mint(++index));
    await next.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
    const nonces = (await chain.transactionsOf(NEXT_SETTLER.address)).map(({ nonce }) => nonce);
    expect(nonces.slice(known)).toEqual([known, known + 1, known + 2]);
    for (const mint of [index - 2, index - 1, index]) expect(await chain.mintedBy(mint)).toBe(amountOf(mint));
  });

  it('does so once what was sent before is final', async () => {
    const before = new SenderBench(chain);
    await before.sender.send(chain.mint(++index));
    await before.sender.close();
    const speechless = new SenderBench(chain, { account: dumb, records: before.memory.records });
    await speechless.sender.enqueue(chain.mint(++index));
    await speechless.sender.close();
    const known = (await chain.transactionsOf(NEXT_SETTLER.address)).length;
    const records = [...before.memory.records, ...speechless.memory.records];
    const next = new SenderBench(chain, { account: NEXT_SETTLER, records, finalityDepth: 4 });
    await next.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
    expect(await chain.transactionsOf(NEXT_SETTLER.address)).toHaveLength(known + 1);
    for (const mint of [index - 1, index]) expect(await chain.mintedBy(mint)).toBe(amountOf(mint));
    // A restart continues at the nonces of the new key.
    const again = new SenderBench(chain, { account: NEXT_SETTLER, records: [...records, ...next.memory.records] });
    await again.sender.enqueue(chain.mint(++index));
    await again.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
    expect(await chain.transactionsOf(NEXT_SETTLER.address)).toHaveLength(known + 2);
  });
});
