// Keys on disk: readable by their owner only, never overwritten, never printed.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { configDirOf, isReadableByOthers, KeyFiles, walletFromEnvironment } from '../src/key-files.ts';

let dir: string;
let files: KeyFiles;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'presage-keys-'));
  files = new KeyFiles(join(dir, 'presage'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('a new wallet is read back, in a file that only its owner can read', async () => {
  const { account, source } = await files.createWallet('alice');
  expect((await files.readWallet('alice'))?.account.address).toBe(account.address);
  expect((await stat(source)).mode & 0o777).toBe(0o600);
  expect(await isReadableByOthers(source)).toBe(false);
  expect(await files.readWallet('bob')).toBeUndefined();
});

it('a wallet is never overwritten, and no name escapes the directory', async () => {
  await files.createWallet('alice');
  await expect(files.createWallet('alice')).rejects.toThrow(/already exists/);
  await expect(files.createWallet('../alice')).rejects.toThrow(/is not a wallet's name/);
});

it('API keys are stored per service and wallet, readable by their owner only', async () => {
  const [one, other] = [
    { id: 'key_1', privateKey: '1' },
    { id: 'key_2', privateKey: '2' },
  ];
  await files.writeApiKey('http://a', '0xAB', one);
  await files.writeApiKey('http://b', '0xab', other);
  expect(await files.readApiKey('http://a', '0xab')).toEqual(one);
  await files.writeApiKey('http://a', '0xab', undefined);
  expect(await files.readApiKey('http://a', '0xab')).toBeUndefined();
  expect(await files.readApiKey('http://b', '0xab')).toEqual(other);
  expect((await stat(join(files.dir, 'api-keys.json'))).mode & 0o777).toBe(0o600);
});

it('a bad key is refused without being printed', async () => {
  const secret = `0x${'12'.repeat(31)}`;
  expect(() => walletFromEnvironment({ PRESAGE_PRIVATE_KEY: secret })).toThrow(
    /^PRESAGE_PRIVATE_KEY does not hold a private key$/,
  );
  await files.createWallet('alice');
  for (const text of [secret, JSON.stringify({ privateKey: secret })]) {
    await writeFile(files.walletPath('alice'), text);
    const error = await files.readWallet('alice').catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toContain('1212');
  }
});

it('the configuration directory follows the environment', () => {
  expect(configDirOf({ PRESAGE_CONFIG_DIR: '/a' })).toBe('/a');
  expect(configDirOf({ XDG_CONFIG_HOME: '/b' })).toBe(join('/b', 'presage'));
});
