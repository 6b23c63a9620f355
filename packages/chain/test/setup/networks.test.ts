// The table of networks is spelled right, and agrees with what UMA publishes.
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { readUmaFiles } from '../../../../contracts/test/uma-package.ts';
import { findNetwork, KNOWN_NETWORKS } from '../../src/setup/deploy/networks.ts';

/** Read as text: the package loads only beside libraries that nobody here needs. */
function readUmaAddresses(): Map<number, string> {
  const [, body = ''] =
    /function getOptimisticOracleV3StaticAddress\([^{]*\{([\s\S]*?)\n\}/.exec(readUmaFiles().addresses) ?? [];
  return new Map(
    [...body.matchAll(/case "(\d+)":\s*return "(0x\w+)"/g)].map(([, id, address]) => [Number(id), address as string]),
  );
}

describe('the known networks', () => {
  it('are listed once each, with addresses whose checksums are right', () => {
    expect(new Set(KNOWN_NETWORKS.map(({ chainId }) => chainId)).size).toBe(KNOWN_NETWORKS.length);
    for (const { stablecoin, umaOracle, pyth } of KNOWN_NETWORKS) {
      for (const address of [stablecoin, umaOracle, pyth])
        if (address !== undefined) expect(getAddress(address)).toBe(address);
    }
  });

  it("have UMA's oracle where UMA has one", () => {
    const published = readUmaAddresses();
    expect(published.size).toBeGreaterThan(10);
    for (const { chainId, umaOracle } of KNOWN_NETWORKS) expect(published.get(chainId)).toBe(umaOracle);
    expect(findNetwork(137)?.name).toBe('Polygon');
  });
});
