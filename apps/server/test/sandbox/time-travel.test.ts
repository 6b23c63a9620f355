// Time travel moves every chain or none: one that cannot be reached is named before any clock moves.
import { RpcUnavailable } from '@presage/chain';
import { describe, expect, it } from 'vitest';
import type { SandboxNode } from '../../src/sandbox/sandbox-node.ts';
import { TimeTravel } from '../../src/sandbox/time-travel.ts';

class Place {
  readonly offsets = new Map([
    [31337, 0],
    [31338, 0],
  ]);
  readonly clock = { offsetSeconds: 0, nowSeconds: () => this.clock.offsetSeconds };
  unreachable: number | undefined;
  /** Chains that were moved, in order. */
  readonly moved: number[] = [];
  /** The time at which expired orders and markets were ended, for each time that they were. */
  readonly ended: number[] = [];
  isJournalFull = false;

  readonly travel = new TimeTravel({
    nodes: () => this.#nodes,
    isQuiet: () => true,
    clock: this.clock,
    saveOffset: async (seconds) => {
      this.clock.offsetSeconds = seconds;
    },
    endExpired: async () => {
      if (this.isJournalFull) throw new Error('no space left');
      this.ended.push(this.clock.offsetSeconds);
    },
  });

  readonly #nodes = new Map([...this.offsets.keys()].map((chainId) => [chainId, this.#node(chainId)]));

  #node(chainId: number): SandboxNode {
    const answer = async <T>(work: () => T): Promise<T> => {
      if (this.unreachable === chainId) throw new RpcUnavailable('transport', 'gone');
      return work();
    };
    return {
      timeOffset: () => answer(() => this.offsets.get(chainId)),
      setTimeOffset: (seconds: number) =>
        answer(() => {
          this.moved.push(chainId);
          this.offsets.set(chainId, seconds);
        }),
    } as unknown as SandboxNode;
  }
}

describe('time travel with two chains', () => {
  it('moves both and the service', async () => {
    const place = new Place();
    const both = await Promise.all([place.travel.travel(60), place.travel.travel(40)]);
    expect(both.map(({ offsetSeconds }) => offsetSeconds)).toEqual([60, 100]);
    expect([...place.offsets.values()]).toEqual([100, 100]);
  });

  it('ends what is over by the new time before it answers, and answers although that fails', async () => {
    const place = new Place();
    await place.travel.travel(60);
    expect(place.ended).toEqual([60]);
    place.isJournalFull = true;
    expect(await place.travel.travel(40)).toMatchObject({ offsetSeconds: 100 });
  });

  it('moves nothing while a chain is unreachable, and names it', async () => {
    const place = new Place();
    place.unreachable = 31338;
    await expect(place.travel.travel(60)).rejects.toMatchObject({
      code: 'chain_unavailable',
      details: { chainId: 31338 },
    });
    expect([...place.offsets.values()]).toEqual([0, 0]);
    expect(place.clock.offsetSeconds).toBe(0);
  });

  it('leaves a chain that an interrupted journey moved where it is, and takes the service there', async () => {
    const place = new Place();
    place.offsets.set(31337, 86_400);
    expect(await place.travel.travel(60)).toEqual({ now: 86_400, offsetSeconds: 86_400 });
    expect([...place.offsets.values()]).toEqual([86_400, 86_400]);
    expect(place.moved).toEqual([31338]);
  });
});

describe('aligning the clocks at a start', () => {
  it('ends a journey that was interrupted between the chains and the service', async () => {
    const place = new Place();
    place.offsets.set(31337, 86_400);
    await place.travel.align();
    expect([...place.offsets.values()]).toEqual([86_400, 86_400]);
    expect(place.clock.offsetSeconds).toBe(86_400);
    expect(place.moved).toEqual([31338]);
  });

  it('takes a chain along that missed a journey, and waits for none that is unreachable', async () => {
    const place = new Place();
    await place.travel.travel(60);
    place.offsets.set(31337, 0);
    place.unreachable = 31338;
    await place.travel.align();
    expect(place.offsets.get(31337)).toBe(60);
    expect(place.clock.offsetSeconds).toBe(60);
  });

  it('moves nothing where all agree', async () => {
    const place = new Place();
    await place.travel.align();
    expect(place.moved).toEqual([]);
  });
});
