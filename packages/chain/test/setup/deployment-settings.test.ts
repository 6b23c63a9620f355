// What an operator writes down for a deployment is checked whole, and filled in from what is known of the network.
import { describe, expect, it } from 'vitest';
import { planContracts } from '../../src/setup/deploy/contract-plan.ts';
import { readDeploymentSettings } from '../../src/setup/deploy/deployment-settings.ts';

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const GOOD = {
  chainId: 137,
  owner: address('a1'),
  pauser: address('a2'),
  creator: address('a3'),
  settler: address('a4'),
  relayer: address('a5'),
  settlerKey: 'env:SETTLER_KEY',
  relayerKey: 'file:/etc/presage/relayer.key',
};
const read = (changes: object = {}) => readDeploymentSettings(JSON.stringify({ ...GOOD, ...changes }));

describe('the settings of a deployment', () => {
  it('take stablecoin, oracles, confirmations and fees of a known network', () => {
    const { terms } = read();
    expect(terms).toMatchObject({
      name: 'Polygon',
      stablecoin: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      oracle: '0x5953f2538F613E05bAED8A5AeFa8e6622467AD3D',
      fees: { confirmations: 20, minTipGwei: 25 },
      bondPermitRequired: true,
    });
    expect(read({ arbitrator: address('b1') }).terms?.oracle).toEqual({
      arbitrator: address('b1'),
      secondArbitrator: GOOD.owner,
      minimumBond: 1_000_000n,
    });
    expect(read({ pyth: 'none' }).terms?.priceOracle).toBeUndefined();
  });

  it('lead to other addresses on every chain, and with another salt', () => {
    const foreign = { stablecoin: address('c1'), umaOracle: address('c2'), pyth: 'none' };
    const factoryOf = (changes: object) => {
      const { terms } = read({ ...foreign, ...changes });
      if (terms === undefined) throw new Error('refused');
      return planContracts({ ...terms, deployer: address('d1'), multicall: address('d2') }).addresses.marketFactory;
    };
    const factories = [{}, { chainId: 10 }, { salt: 1 }, { chainId: 10, salt: 1 }].map(factoryOf);
    expect(new Set(factories).size).toBe(4);
    expect(factoryOf({})).toBe(factories[0]);
  });

  it.each([
    [{ owner: undefined }, /owner: is missing; give an address/],
    [
      { settlerKey: `0x${'77'.repeat(32)}` },
      /settlerKey: give env:NAME, file:\/path or signer:.*, not a value that looks like a secret/,
    ],
    [{ relayer: address('a4') }, /relayer: is the address of settler; give each its own key/],
    [{ bond: '5' }, /bond: give a whole number of at least 1, not "5"/],
    [{ grace: 5 }, /grace: there is no such field/],
    [{ settlementGraceSeconds: 7_200 }, /settlementGraceSeconds: give a whole number from 0 to 3600/],
    [
      { chainId: 5_555 },
      /stablecoin: is missing; nothing is known of chain 5555[\s\S]*umaOracle: is missing[\s\S]*pyth: is missing/,
    ],
    [{ umaOracle: address('c2'), arbitrator: address('b1') }, /arbitrator: leave it out where umaOracle is given/],
  ])('are refused with %j', (changes, fault) => {
    const { terms, faults } = read(changes);
    expect(terms).toBeUndefined();
    expect(faults.join('\n')).toMatch(fault);
  });
});
