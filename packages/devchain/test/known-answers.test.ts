// What the chain answers from memory between two blocks, and what it asks the node for again.
import { describe, expect, it } from 'vitest';
import type { BlockView } from '../src/ledger.ts';
import { type ChainPoint, KnownAnswers } from '../src/rpc/known-answers.ts';

const BLOCK_5: ChainPoint = { head: { number: 5, hash: '0x05' }, branch: 0 };
const BLOCK_6: ChainPoint = { head: { number: 6, hash: '0x06' }, branch: 0 };
const OTHER_6: ChainPoint = { head: { number: 6, hash: '0x66' }, branch: 1 };

function viewOf(block: number): BlockView {
  const number = `0x${block.toString(16)}` as const;
  return { number, hash: number, timestamp: '0x0', gasUsed: '0x0', transactions: [] };
}

/** Says how often the node was asked. */
function openAnswers() {
  const known = new KnownAnswers();
  let asked = 0;
  const find = (point: ChainPoint, method: string, ...params: readonly unknown[]) =>
    known.find(point, [method, params], async () => ++asked);
  return { known, find, askedTimes: () => asked };
}

describe('a known answer', () => {
  it('lasts until the next block', async () => {
    const { find } = openAnswers();
    const nonce = (point: ChainPoint, account = '0xa') => find(point, 'eth_getTransactionCount', account, 'latest');
    expect([await nonce(BLOCK_5), await nonce(BLOCK_5), await nonce(BLOCK_5, '0xb')]).toEqual([1, 1, 2]);
    expect([await nonce(BLOCK_6), await nonce(BLOCK_6)]).toEqual([3, 3]);
  });

  it('about an old block lasts until blocks are taken back', async () => {
    const { find } = openAnswers();
    const block = (point: ChainPoint, number: string) => find(point, 'eth_getBlockByNumber', number, false);
    expect([await block(BLOCK_5, '0x5'), await block(BLOCK_6, '0x5'), await block(OTHER_6, '0x5')]).toEqual([1, 1, 2]);
    expect([await block(BLOCK_5, '0x6'), await block(BLOCK_6, '0x6')]).toEqual([3, 4]);
  });

  it.each([
    ['what waits in the pool', 'eth_getBlockByNumber', ['pending', false]],
    ['logs up to what waits', 'eth_getLogs', [{ toBlock: 'pending' }]],
    ['a call, which depends on the time', 'eth_call', [{}, '0x5']],
  ])('is none about %s', async (_name, method, params) => {
    const { find, askedTimes } = openAnswers();
    for (let times = 0; times < 2; times++) await find(BLOCK_5, method, ...params);
    expect(askedTimes()).toBe(2);
  });

  it('is no refusal', async () => {
    const { known, find } = openAnswers();
    const refusal = known.find(BLOCK_5, ['eth_getCode', ['0xa']], () => Promise.reject(new Error('refused')));
    await expect(refusal).rejects.toThrow('refused');
    expect(await find(BLOCK_5, 'eth_getCode', '0xa')).toBe(1);
  });

  it('about the newest block is there before anybody asks, and forgotten when there are too many', async () => {
    const { find, askedTimes } = openAnswers();
    for (let number = 1; number <= 300; number++) {
      const headView = viewOf(number);
      const point = { head: { number, hash: headView.hash }, headView, branch: 0 };
      expect(await find(point, 'eth_getBlockByNumber', 'latest', false)).toBe(headView);
      expect(await find(point, 'eth_getBlockByNumber', headView.number, false)).toBe(headView);
      expect(await find(point, 'eth_blockNumber')).toBe(headView.number);
    }
    expect(askedTimes()).toBe(0);
    expect(
      await find({ head: { number: 300, hash: viewOf(300).hash }, branch: 0 }, 'eth_getBlockByNumber', '0x1', false),
    ).toBe(1);
  });

  it('is forgotten when there are too many', async () => {
    const { find } = openAnswers();
    for (let account = 0; account < 300; account++) await find(BLOCK_5, 'eth_getBalance', `0x${account}`, 'latest');
    expect(await find(BLOCK_5, 'eth_getBalance', '0x0', 'latest')).toBe(301);
  });
});
