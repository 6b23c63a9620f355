// The backing of shares: chain and view are compared as of one block, and trades on their way are counted as such.
import type { TradeBrief } from '@presage/engine';
import { SILENT_LOG } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBacking } from '../../src/api/backing.ts';
import { routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { solvencyEndpoints } from '../../src/api/routes/solvency.ts';

const CONTRACTS = { conditionalTokens: `0x${'c1'.repeat(20)}`, oracle: `0x${'02'.repeat(20)}` } as const;

/** Holds 10 until block 7, where 4 are redeemed. */
function openChain({ followedBlock = 7 as number | undefined, trades = [] as Partial<TradeBrief>[] } = {}) {
  const state = { followedBlock, trades, isReachable: true, head: 7 };
  const chain = {
    config: { chainId: 1, contracts: CONTRACTS },
    reads: { unsettledBriefs: () => state.trades as TradeBrief[] },
    wallets: {
      reads: {
        head: async () => {
          if (!state.isReachable) throw new Error('no answer');
          return state.head;
        },
        stablecoinOf: async (_: readonly string[], block: number) => [block < 7 ? 10n : 6n, 1n],
      },
    },
    actor: {
      indexer: {
        get followedBlock() {
          return state.followedBlock;
        },
        hasFollowed: async (block: number) => (state.followedBlock ?? 0) >= block,
        wake: () => undefined,
      },
    },
  };
  return { state, chain, read: () => readBacking(chain, 1) };
}

describe('the backing of shares', () => {
  it('is current while the indexer stays at the block that was read', async () => {
    const { state, read } = openChain();
    const backing = await read();
    expect(backing).toMatchObject({ block: 7, collateral: 6n, bonds: 1n });
    expect(backing.isCurrent()).toBe(true);
    state.followedBlock = 8;
    expect(backing.isCurrent()).toBe(false);
  });

  it('is read as of the block that is followed, and is not current, while a redemption is not indexed', async () => {
    const backing = await openChain({ followedBlock: 6 }).read();
    expect(backing).toMatchObject({ block: 6, collateral: 10n });
    expect(backing.isCurrent()).toBe(false);
  });

  it('counts trades that wait, that were sent, and that are in a later block', async () => {
    const { state, read } = openChain({ trades: [{ stage: 'matched' }, { stage: 'submitted' }] });
    const backing = await read();
    expect(backing.unsettledTrades()).toBe(2);
    const mined = (blockNumber: number) => ({ stage: 'mined', settlement: { blockNumber } }) as TradeBrief;
    state.trades = [7, 8, 8, 8].map(mined);
    expect(backing.unsettledTrades()).toBe(3);
    state.trades = [];
    expect(backing.unsettledTrades()).toBe(2);
  });

  it('is not known while the chain is unreachable', async () => {
    const { state, read } = openChain();
    state.isReachable = false;
    const backing = await read();
    expect(backing).toMatchObject({ block: 7, collateral: null, bonds: null });
    expect(backing.isCurrent()).toBe(false);
  });
});

describe('the report of solvency', () => {
  /** The view needs 10 until it has block 7. */
  async function askSolvency(opened: ReturnType<typeof openChain>, onView = () => undefined as unknown) {
    const { chain, state } = opened;
    const views = {
      sumMarketShares: async () => {
        const locked = (state.followedBlock ?? 0) < 7 ? 10n : 6n;
        onView();
        return new Map([[1, { markets: 1, locked }]]);
      },
      listMarketShares: async () => [],
      listEventShares: async () => [],
    };
    const services = { chains: { list: () => [chain] }, views } as unknown as Parameters<typeof solvencyEndpoints>[0];
    const listener = new HttpListener();
    onTestFinished(() => listener.close());
    const options = { listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
    openHttpServer(options, [routesOf(solvencyEndpoints(services))]);
    const answer = await fetch(`${await listener.listen(0, '127.0.0.1')}/api/v1/solvency`);
    return ((await answer.json()) as { chains: object[] }).chains[0];
  }

  it('is 0 when a redemption is indexed', async () => {
    expect(await askSolvency(openChain())).toMatchObject({ block: 7, locked: 6, collateral: 6, drift: 0 });
  });

  it('tells no difference while the service is behind the chain', async () => {
    const answer = await askSolvency(openChain({ followedBlock: 6 }));
    expect(answer).toMatchObject({ block: 6, locked: 10, collateral: 10, drift: null });
  });

  it('begins again when a block comes in between', async () => {
    const opened = openChain({ followedBlock: 6 });
    opened.state.head = 6;
    const answer = await askSolvency(opened, () => Object.assign(opened.state, { head: 7, followedBlock: 7 }));
    expect(answer).toMatchObject({ block: 7, locked: 6, collateral: 6, drift: 0 });
  });
});
