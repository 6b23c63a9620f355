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

  readonly travel = new TimeTravel({
    nodes: () => new Map([...this.offsets.keys()].map((chainId) => [chainId, this.#node(chainId)])),
    isQuiet: () => true,
    clock: this.clock,
    saveOffset: async (seconds) => {
      this.clock.offsetSeconds = seconds;
    },
  });

  #node(chainId: number): SandboxNode {
    const answer = async <T>(work: () => T): Promise<T> => {
      if (this.unreachable === chainId) throw new RpcUnavailable('transport', 'gone');
      return work();
    };
    return {
      timeOffset: () => answer(() => this.offsets.get(chainId)),
      setTimeOffset: (seconds: number) => answer(() => this.offsets.set(chainId, seconds)),
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
});
