// The table of networks is spelled right, and agrees with what UMA publishes.
import { readFileSync } from 'node:fs';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { findUmaPackage } from '../../../../contracts/test/uma-package.ts';
import { findNetwork, KNOWN_NETWORKS } from '../../src/setup/deploy/networks.ts';

/** Read as text: the package loads only beside libraries that nobody here needs. */
async function readUmaAddresses(): Promise<Map<number, string>> {
  const { addresses: path } = await findUmaPackage();
  const [, body = ''] =
    /function getOptimisticOracleV3StaticAddress\([^{]*\{([\s\S]*?)\n\}/.exec(readFileSync(path, 'utf8')) ?? [];
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

  it("have UMA's oracle where UMA has one", async () => {
    const published = await readUmaAddresses();
    expect(published.size).toBeGreaterThan(10);
    for (const { chainId, umaOracle } of KNOWN_NETWORKS) expect(published.get(chainId)).toBe(umaOracle);
    expect(findNetwork(137)?.name).toBe('Polygon');
  });
});
