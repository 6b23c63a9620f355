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
      hasOwnChain: true,
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
    [{ PRESAGE_LOG_LEVEL: 'debug' }, { isQuiet: false, isLogShown: true }],
    [{ PRESAGE_LOG_LEVEL: 'silent' }, { isQuiet: true }],
    [{ PRESAGE_DATA_DIR: '/somewhere/else' }, { dataDir: '/somewhere/else' }],
  ])('of %o are %o', (environment, expected) => {
    expect(readSettings(environment)).toMatchObject(expected);
  });
});
