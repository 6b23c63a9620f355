// What the supervisor takes from the environment, and what it leaves to the service.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/supervisor/settings.ts';

describe('the settings of the supervisor', () => {
  it('need nothing', () => {
    expect(readSettings({})).toEqual({
      dataDir: resolve('data'),
      host: '127.0.0.1',
      port: 8080,
      drainMs: 2_000,
      hasOwnChain: true,
      chainIds: [31337],
      simulation: 'unproven',
      faults: [],
      isQuiet: false,
      isLogShown: false,
    });
  });

  it.each([
    [{ PRESAGE_PORT: '9000', PORT: '7000' }, { port: 9000 }],
    [{ PORT: '7000' }, { port: 7000 }],
    [{ PRESAGE_PORT: 'http' }, { port: undefined }],
    [{ PRESAGE_PORT: '70000' }, { port: undefined }],
    [{ PRESAGE_PROFILE: 'live' }, { hasOwnChain: false, isLogShown: true }],
    [{ PRESAGE_CHAINS: 'chains.json' }, { hasOwnChain: false, isLogShown: true }],
    [{ PRESAGE_ROLES: 'engine' }, { hasOwnChain: false, isLogShown: true }],
    [{ PRESAGE_ROLES: 'gateway' }, { hasOwnChain: false, isLogShown: true }],
    [{ PRESAGE_ROLES: 'engine,settler' }, { hasOwnChain: true }],
    [{ PRESAGE_DRAIN_SECONDS: '10' }, { drainMs: 10_000 }],
    [{ PRESAGE_SANDBOX_CHAINS: '2' }, { chainIds: [31337, 31338], faults: [] }],
    [{ PRESAGE_SANDBOX_SIMULATION: '' }, { simulation: 'unproven', faults: [] }],
    [{ PRESAGE_SANDBOX_SIMULATION: 'always' }, { simulation: 'always', faults: [] }],
    [{ PRESAGE_SANDBOX_CHAINS: '' }, { chainIds: [31337], faults: [] }],
    [{ PRESAGE_LOG_LEVEL: 'debug' }, { isQuiet: false, isLogShown: true }],
    [{ PRESAGE_LOG_LEVEL: 'silent' }, { isQuiet: true }],
    [{ PRESAGE_HOST: '0.0.0.0', PRESAGE_SANDBOX_PUBLIC: 'yes' }, { faults: [] }],
    [{ PRESAGE_HOST: '0.0.0.0', PRESAGE_PROFILE: 'live' }, { faults: [] }],
    [{ PRESAGE_DATA_DIR: '/somewhere/else' }, { dataDir: '/somewhere/else' }],
  ])('of %o are %o', (environment, expected) => {
    expect(readSettings(environment)).toMatchObject(expected);
  });

  it.each([
    [{ PRESAGE_SANDBOX_CHAINS: '0' }, 'PRESAGE_SANDBOX_CHAINS=0: give the number of chains'],
    [{ PRESAGE_SANDBOX_SIMULATION: 'never' }, 'PRESAGE_SANDBOX_SIMULATION=never: give unproven or always.'],
    [{ PRESAGE_HOST: '0.0.0.0' }, 'PRESAGE_SANDBOX_PUBLIC=yes'],
    [{ PRESAGE_SANDBOX_CHAINS: '5' }, 'from 1 to 4.'],
    [{ PRESAGE_SANDBOX_CHAINS: 'two' }, 'PRESAGE_SANDBOX_CHAINS=two: give'],
    [{ PRESAGE_SANDBOX_CHAINS: '1.5' }, 'from 1 to 4.'],
    [{ PRESAGE_SANDBOX_CHAINS: '2', PRESAGE_CHAINS: 'chains.json' }, 'leave it unset where PRESAGE_CHAINS'],
  ])('of %o are refused in a sentence', (environment, sentence) => {
    expect(readSettings(environment).faults.join()).toContain(sentence);
  });
});
