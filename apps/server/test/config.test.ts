// Configuration is read once, complains about everything at once, and never shows a secret.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../src/config/setting-names.ts';
import { type ConfigInvalid, printableConfig, readConfig } from '../src/config.ts';
import { UNSOUND_KEYS } from './auth/unsound-keys.ts';

const ROOT = new URL('../../../', import.meta.url);

const dir = mkdtempSync(join(tmpdir(), 'presage-config-'));
afterAll(() => rmSync(dir, { recursive: true }));

const address = (byte: string) => `0x${byte.repeat(20)}`;
const chain = {
  chainId: 31_337,
  rpcUrls: ['http://127.0.0.1:8545'],
  settlerKey: `0x${'77'.repeat(32)}`,
  relayerKey: `0x${'88'.repeat(32)}`,
  contracts: {
    settlement: address('01'),
    conditionalTokens: address('02'),
    stablecoin: address('03'),
    marketFactory: address('04'),
    oracle: address('06'),
    multicall: address('05'),
  },
};
/** What the live profile asks for beyond it. */
const live = {
  ...chain,
  chainId: 137,
  settlerKey: 'env:SETTLER_KEY',
  relayerKey: 'env:RELAYER_KEY',
  ownerAddress: address('a1'),
  pauserAddress: address('a2'),
  creatorAddress: address('a3'),
};
const liveKeys = { SETTLER_KEY: chain.settlerKey, RELAYER_KEY: chain.relayerKey };

function chainsFile(chains: unknown): string {
  const path = join(dir, `chains-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(path, JSON.stringify({ chains }));
  return path;
}

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigInvalid).faults;
  }
}

describe('configuration', () => {
  const PRESAGE_CHAINS = chainsFile([chain]);

  it('has the published defaults', () => {
    const config = readConfig({ PRESAGE_CHAINS });
    expect(config).toMatchObject({ profile: 'sandbox', host: '127.0.0.1', port: 8080, auth: 'off', autofund: true });
    expect(config.chains[0]).toMatchObject({ collateralCheck: 'off', confirmations: 1 });
    expect(Object.isFrozen(config.chains[0]?.contracts)).toBe(true);
  });

  it('takes the single node of a chains file of an earlier version', () => {
    const { rpcUrls, ...others } = chain;
    const [rpcUrl] = rpcUrls;
    const older = chainsFile([{ ...others, rpcUrl }]);
    expect(readConfig({ PRESAGE_CHAINS: older }).chains[0]?.rpcUrls).toEqual([rpcUrl]);
    expect(faultsOf({ PRESAGE_CHAINS: chainsFile([{ ...others, rpcUrl: 7 }]) }).join()).toContain('rpcUrls');
  });

  it('reads the keys of operators with their rights, and names every mistake in them', () => {
    const key = 'EA4A6C63E29C520ABEF5507B132EC5F9954776AEBEBE7B92421EEA691446D22C';
    const other = '1398f62c6d1a457c51ba6a4b5f3dbd2f69fca93216218dc8997e416bd17d93ca';
    const read = (keys: string) => readConfig({ PRESAGE_CHAINS, PRESAGE_OPERATOR_KEYS: keys }).operatorKeys;
    expect(read(`alice=${key}, bob=${other}:read+trading`)).toEqual([
      { name: 'alice', publicKey: key.toLowerCase(), rights: ['read', 'markets', 'trading', 'wallets', 'keys'] },
      { name: 'bob', publicKey: other, rights: ['read', 'trading'] },
    ]);
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_OPERATOR_KEYS: `alice=${key},bob=${key.toLowerCase()}:read` })).toEqual([
      'PRESAGE_OPERATOR_KEYS: "bob" has the key of "alice": each has one of their own',
    ]);
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_OPERATOR_KEYS: `carol=abc,dan=${key}:root` })).toEqual([
      'PRESAGE_OPERATOR_KEYS: "carol": write NAME=PUBLIC_KEY or NAME=PUBLIC_KEY:right+right, the key as 64 hex digits',
      'PRESAGE_OPERATOR_KEYS: "dan" has no right root; use some of read, markets, trading, wallets, keys',
    ]);
    for (const unsound of UNSOUND_KEYS) {
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_OPERATOR_KEYS: `eve=${unsound}` }).join()).toContain(
        'no sound Ed25519 key',
      );
    }
  });

  it('has an admin listener on the loopback in live, and in a sandbox where one is asked for', () => {
    expect(readConfig({ PRESAGE_CHAINS }).admin).toBeUndefined();
    expect(readConfig({ PRESAGE_CHAINS, PRESAGE_ADMIN_PORT: '9' }).admin).toEqual({ host: '127.0.0.1', port: 9 });
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_ADMIN_PORT: '8080' })).toEqual([
      'PRESAGE_ADMIN_PORT: give another port than PRESAGE_PORT',
    ]);
  });

  it('publishes at once and anchors every ten minutes in the sandbox, unless set otherwise', () => {
    const settings = {
      PRESAGE_JOURNAL_DELAY: '90',
      PRESAGE_ANCHOR_MINUTES: '0',
      PRESAGE_RECEIPT_KEY: `0x${'AB'.repeat(32)}`,
    };
    expect(readConfig({ PRESAGE_CHAINS })).toMatchObject({ journalDelaySeconds: 0, anchorMinutes: 10 });
    const config = readConfig({ PRESAGE_CHAINS, ...settings });
    expect(config).toMatchObject({ journalDelaySeconds: 90, anchorMinutes: 0, receiptKey: 'ab'.repeat(32) });
    expect(JSON.stringify(printableConfig(config))).not.toContain('abab');
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_JOURNAL_DELAY: '-1', PRESAGE_RECEIPT_KEY: 'x' })).toHaveLength(2);
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_ARCHIVE_DAYS: 'soon' })).toHaveLength(1);
  });

  it('refuses to delete records before they are published', () => {
    const delay = { PRESAGE_CHAINS, PRESAGE_JOURNAL_DELAY: '172800' };
    expect(faultsOf({ ...delay, PRESAGE_ARCHIVE_DAYS: '2' })).toEqual([
      'PRESAGE_ARCHIVE_DAYS: keep records for longer than PRESAGE_JOURNAL_DELAY (172800 s)',
    ]);
    expect(faultsOf({ ...delay, PRESAGE_ARCHIVE_DAYS: '3' })).toEqual([]);
    expect(faultsOf(delay)).toEqual([]);
  });

  it('knows where transactions can be looked up, if anywhere', () => {
    expect(readConfig({ PRESAGE_CHAINS }).chains[0]).not.toHaveProperty('explorerUrl');
    const named = chainsFile([{ ...chain, explorerUrl: 'https://explorer.example/' }]);
    expect(readConfig({ PRESAGE_CHAINS: named }).chains[0]?.explorerUrl).toBe('https://explorer.example');
    const wrong = chainsFile([{ ...chain, explorerUrl: 'javascript:alert(1)' }]);
    expect(faultsOf({ PRESAGE_CHAINS: wrong })).toEqual([
      expect.stringContaining('explorerUrl: give the http(s) URL of a block explorer, not "javascript:alert(1)"'),
    ]);
  });

  it('prefers PRESAGE_PORT to PORT', () => {
    expect(readConfig({ PRESAGE_CHAINS, PORT: '9000' }).port).toBe(9000);
    expect(readConfig({ PRESAGE_CHAINS, PORT: '9000', PRESAGE_PORT: '9001' }).port).toBe(9001);
  });

  it('refuses a name that is almost that of a setting, and leaves the names of others alone', () => {
    const typos = {
      PRESAGE_PORTT: '1',
      PRESAGE_RATE_LIMIT: 'on',
      presage_host: '0.0.0.0',
      PRESAGE_QIUCK_ASSETS: 'off',
      PRESAGE_DATA: '/data',
    };
    expect(faultsOf({ PRESAGE_CHAINS, ...typos })).toEqual([
      'PRESAGE_PORTT: there is no such setting; PRESAGE_PORT is the nearest',
      'PRESAGE_RATE_LIMIT: there is no such setting; PRESAGE_RATE_LIMITS is the nearest',
      'presage_host: there is no such setting; PRESAGE_HOST is the nearest',
      'PRESAGE_QIUCK_ASSETS: there is no such setting; PRESAGE_QUICK_ASSETS is the nearest',
      'PRESAGE_DATA: there is no such setting; PRESAGE_DATA_DIR is the nearest',
    ]);
    const others = [
      'OPERATOR_KEY',
      'ADMIN_URL',
      'URL',
      'WALLET',
      'PRIVATE_KEY',
      'BOT_KEY',
      'KEY',
      'SERVICE_HOST',
      'SEED',
    ];
    expect(faultsOf({ PRESAGE_CHAINS, ...Object.fromEntries(others.map((name) => [`PRESAGE_${name}`, '1'])) })).toEqual(
      [],
    );
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_PORTT: '' })).toEqual([]);
  });

  it('says who set a port that nobody typed', () => {
    const [fault] = faultsOf({ PRESAGE_CHAINS, PRESAGE_PORT: 'tcp://10.0.0.7:80' });
    expect(fault).toMatch(/^PRESAGE_PORT=tcp:.*Kubernetes.*enableServiceLinks: false$/);
  });

  it('describes every setting', async () => {
    const pages = await Promise.all(
      ['docs/settings.md', 'docs/scale-out.md'].map((page) => readFile(new URL(page, ROOT), 'utf8')),
    );
    const described = new Set(pages.join('\n').match(/PRESAGE_[A-Z_]+/g));
    const inner = ['PRESAGE_LANE', 'PRESAGE_OPERATOR_KEY', 'PRESAGE_PARENT_PID'];
    expect(SETTING_NAMES.filter((name) => !described.has(name) && !inner.includes(name))).toEqual([]);
  });

  it('enforces collateral when wallets are not funded automatically, unless set otherwise', () => {
    const off = { PRESAGE_CHAINS, PRESAGE_SANDBOX_AUTOFUND: 'off' };
    expect(readConfig(off).chains[0]?.collateralCheck).toBe('enforce');
    expect(readConfig({ ...off, PRESAGE_COLLATERAL_CHECK: 'off' }).chains[0]?.collateralCheck).toBe('off');
  });

  it('reports every fault in one message, each with its remedy', () => {
    const faults = faultsOf({
      PRESAGE_PORT: '99999',
      PRESAGE_AUTH: 'maybe',
      PRESAGE_SANDBOX_AUTOFUND: 'yes',
      PRESAGE_DATABASE_URL: 'mysql://x',
      PRESAGE_LOG_LEVEL: 'loud',
      PRESAGE_CHAINS: chainsFile([{ ...chain, settlerKey: 5, contracts: { ...chain.contracts, multicall: 'x' } }]),
    });
    expect(faults.length).toBe(7);
    expect(faults.join('\n')).toMatch(/PRESAGE_PORT.*\n.*PRESAGE_AUTH=maybe: use one of off, required/s);
    expect(faultsOf({ PRESAGE_CHAINS: join(dir, 'absent.json') })[0]).toContain('ENOENT');
    expect(faultsOf({})[0]).toContain('npm start');
  });

  it('keeps a sandbox to this machine unless it is told otherwise, and lets no other page write', () => {
    expect(readConfig({ PRESAGE_CHAINS })).toMatchObject({ isPublic: false, corsOrigins: [], allowedHosts: [] });
    for (const host of ['localhost', '127.0.0.2', '::1']) {
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_HOST: host })).toEqual([]);
    }
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'box.example']) {
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_HOST: host }).join()).toContain('PRESAGE_SANDBOX_PUBLIC=yes');
    }
    const open = { PRESAGE_HOST: '0.0.0.0', PRESAGE_SANDBOX_PUBLIC: 'yes', PRESAGE_ALLOWED_HOSTS: 'Box.example' };
    expect(readConfig({ PRESAGE_CHAINS, ...open })).toMatchObject({ isPublic: true, allowedHosts: ['box.example'] });
  });

  it.each([
    'postgres://user:hush@db.example:5432/x',
    'postgres://user:hu:sh@db.example/x',
    'postgres://user:a@hush@db.example/x',
    'postgres://user:hu%2Fsh@db.example/x',
    'postgres://user@db.example/x?sslmode=require&password=hush',
    'postgres://user:hush@one.example:5432,two.example/x',
  ])('prints %s without its password', (url) => {
    const printed = JSON.stringify(printableConfig(readConfig({ PRESAGE_CHAINS, PRESAGE_DATABASE_URL: url })));
    for (const part of ['hush', 'hu:', 'hu%', 'sh@']) expect(printed).not.toContain(part);
  });

  it.each([
    'postgres://user:hu#sh@db.example/x',
    'postgres://user:hu/sh@db.example/x',
    'postgres://user:hu%sh@db.example/x',
    'postgres://user:hush@db.example:port/x',
    'postgres://user:hush@[broken/x',
  ])('refuses %s, which no client could read, without showing its password', (url) => {
    const shared = { PRESAGE_JOURNAL_URL: url, PRESAGE_RECEIPT_KEY: '11'.repeat(32) };
    const faults = faultsOf({ PRESAGE_CHAINS, PRESAGE_DATABASE_URL: url, ...shared });
    expect(faults).toEqual([
      expect.stringMatching(/^PRESAGE_DATABASE_URL: use postgres:.* a password as %23/),
      expect.stringMatching(/^PRESAGE_JOURNAL_URL: use postgres:/),
    ]);
    for (const part of ['hu#', 'hu/', 'hush', 'sh@']) expect(faults.join()).not.toContain(part);
  });

  it('refuses an address of a receiver or a hook that could never be called', () => {
    const secret = { PRESAGE_WEBHOOK_SECRET: 'long enough for a secret' };
    const faultsAt = (url: string) =>
      faultsOf({ PRESAGE_CHAINS, ...secret, PRESAGE_WEBHOOK_URL: url, PRESAGE_ADMISSION_HOOK: url });
    expect(faultsAt('https://hooks.example/in?key=1')).toEqual([]);
    for (const url of ['http://', 'https://me:hush@hooks.example/in', 'https://me@hooks.example/in']) {
      expect(faultsAt(url)).toEqual([
        expect.stringMatching(/^PRESAGE_ADMISSION_HOOK: /),
        expect.stringMatching(/^PRESAGE_WEBHOOK_URL: /),
      ]);
      expect(faultsAt(url).join()).not.toContain('hush');
    }
  });

  it('believes no proxy unless it is named by address or prefix', () => {
    expect(readConfig({ PRESAGE_CHAINS }).proxies).toEqual({ trusted: [], header: 'x-forwarded-for' });
    const named = { PRESAGE_TRUSTED_PROXIES: '10.0.0.0/8, ::1', PRESAGE_FORWARDED_HEADER: 'forwarded' };
    expect(readConfig({ PRESAGE_CHAINS, ...named }).proxies).toEqual({
      trusted: ['10.0.0.0/8', '::1'],
      header: 'forwarded',
    });
    const wrong = faultsOf({ PRESAGE_CHAINS, PRESAGE_TRUSTED_PROXIES: 'proxy,10.0.0.0/33,1.2.3.4/8/9' });
    expect(wrong).toHaveLength(3);
  });

  it('has gas, fees, bonds and grace as settings of a chain', () => {
    const [read] = readConfig({ PRESAGE_CHAINS }).chains;
    expect(read).toMatchObject({ minTipGwei: 1, maxFeeGwei: 10_000, settlementGraceSeconds: 300 });
    expect(read).not.toHaveProperty('transactionGasCap');
    const given = { transactionGasCap: 8_000_000, minTipGwei: 30, maxFeeGwei: 500, sponsoredBondsPerDay: 5_000_000 };
    expect(readConfig({ PRESAGE_CHAINS: chainsFile([{ ...chain, ...given }]) }).chains[0]).toMatchObject(given);
    const wrong = { transactionGasCap: 21_000, maxFeeGwei: -1, sponsoredBondsPerDay: -1 };
    const faults = faultsOf({ PRESAGE_CHAINS: chainsFile([{ ...chain, ...wrong }]) }).join('\n');
    for (const name of ['transactionGasCap', 'maxFeeGwei', 'sponsoredBondsPerDay']) expect(faults).toContain(name);
  });

  it('refuses in the live profile what only a sandbox may do', () => {
    const faults = faultsOf({ PRESAGE_CHAINS, PRESAGE_PROFILE: 'live', PRESAGE_AUTH: 'off' }).join('\n');
    expect(faults).toContain('requires authentication');
    expect(faults).toContain('PRESAGE_SERVICE_NAME');
    expect(faults).toContain('sandbox chain 31337');
  });

  it('asks no external source for prices in a sandbox unless configured, and the real ones in the live profile', () => {
    const { prices } = readConfig({ PRESAGE_CHAINS });
    expect(prices.assets.map(({ asset }) => asset)).toEqual(['BTC', 'ETH']);
    expect(Object.keys(prices)).toEqual(['assets']);
    const settings = {
      PRESAGE_PROFILE: 'live',
      PRESAGE_SERVICE_NAME: 'Mine',
      PRESAGE_BINANCE_URL: 'off',
      PRESAGE_PYTH_KEY: 'hush',
      PRESAGE_CHAINS: chainsFile([live]),
      ...liveKeys,
    };
    const config = readConfig(settings);
    expect(config.prices.pythKey).toBe('hush');
    expect([config.prices.pythUrl, config.prices.coinbaseUrl, config.prices.binanceUrl]).toEqual([
      'https://hermes.pyth.network',
      'wss://ws-feed.exchange.coinbase.com',
      undefined,
    ]);
    expect(JSON.stringify(printableConfig(config))).not.toContain('hush');
  });

  it('takes further assets with their feeds, and refuses those it knows nothing of', () => {
    const PRESAGE_PRICE_FEEDS = JSON.stringify({ pepe: { pyth: `0x${'AB'.repeat(32)}`, binance: 'pepeusdt' } });
    const { prices } = readConfig({ PRESAGE_CHAINS, PRESAGE_PRICE_FEEDS, PRESAGE_QUICK_ASSETS: ' btc , PEPE,btc' });
    expect(prices.assets).toMatchObject([
      { asset: 'BTC', coinbase: 'BTC-USD', binance: 'BTCUSDT' },
      { asset: 'PEPE', pyth: `0x${'ab'.repeat(32)}`, binance: 'PEPEUSDT' },
    ]);
    const faults = faultsOf({
      PRESAGE_CHAINS,
      PRESAGE_QUICK_ASSETS: 'BTC,PEPE',
      PRESAGE_PRICE_FEEDS: '{"PEPE":{"pyth":"0x12"}}',
      PRESAGE_PYTH_URL: 'ftp://x',
      PRESAGE_COINBASE_URL: 'https://x',
      PRESAGE_BINANCE_URL: 'wss://me:hush@x',
    });
    expect(faults.join('\n')).toMatch(
      /PRESAGE_PRICE_FEEDS: PEPE\.pyth is no feed id.*PEPE is unknown.*PYTH_URL.*COINBASE_URL.*BINANCE_URL: leave out the password/s,
    );
  });

  it('has no quick markets where they are switched off', () => {
    expect(readConfig({ PRESAGE_CHAINS, PRESAGE_QUICK_ASSETS: 'off' }).prices.assets).toEqual([]);
  });

  it('has what new markets charge, by category, for quick markets and for the rest', () => {
    const charging = chainsFile([{ ...chain, treasury: address('ee') }]);
    const PRESAGE_MARKET_FEES = 'default=100:2500, sports=0,crypto=700:10000,quick=50';
    expect(readConfig({ PRESAGE_CHAINS: charging, PRESAGE_MARKET_FEES }).fees).toEqual({
      rest: { feeRateBps: 100, makerShareBps: 2_500 },
      quick: { feeRateBps: 50, makerShareBps: 0 },
      categories: {
        sports: { feeRateBps: 0, makerShareBps: 0 },
        crypto: { feeRateBps: 700, makerShareBps: 10_000 },
      },
    });
    expect(readConfig({ PRESAGE_CHAINS }).fees).toEqual({ rest: {}, quick: {}, categories: {} });
  });

  it.each(['default', 'default=701', 'default=1:10001', 'default=-1', 'No Category=1', 'default=1.5'])(
    'refuses the fee %s',
    (PRESAGE_MARKET_FEES) => {
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_MARKET_FEES })).toEqual([
        expect.stringMatching(/PRESAGE_MARKET_FEES: .* is no fee/),
      ]);
    },
  );

  it('refuses fees that nobody gets, and the same name twice', () => {
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_MARKET_FEES: 'quick=1' })).toEqual([
      expect.stringMatching(/PRESAGE_MARKET_FEES: chain \d+ has no treasury/),
    ]);
    expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_MARKET_FEES: 'quick=0,quick=0' })).toEqual([
      'PRESAGE_MARKET_FEES: quick is named twice',
    ]);
  });

  it('refuses in the live profile a publicly known key', () => {
    const published = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
    const faults = faultsOf({
      PRESAGE_PROFILE: 'live',
      PRESAGE_SERVICE_NAME: 'Mine',
      PRESAGE_CHAINS: chainsFile([live]),
      ...liveKeys,
      SETTLER_KEY: published.toUpperCase().replace('0X', '0x'),
    });
    expect(faults).toEqual(['PRESAGE_CHAINS: chain 137 uses a key of the published test mnemonic; use your own']);
  });

  it('reads the keys of its chains on a settler only', () => {
    const settings = {
      PRESAGE_PROFILE: 'live',
      PRESAGE_SERVICE_NAME: 'Mine',
      PRESAGE_CHAINS: chainsFile([live]),
      PRESAGE_JOURNAL_URL: 'postgres://db/journal',
      PRESAGE_CLUSTER_SECRET: 'a secret of all nodes',
      PRESAGE_RECEIPT_KEY: '11'.repeat(32),
    };
    expect(readConfig({ ...settings, PRESAGE_ROLES: 'gateway' }).chains[0]?.keys).toBeUndefined();
    expect(readConfig({ ...settings, ...liveKeys, PRESAGE_ROLES: 'gateway,engine' }).chains[0]?.keys).toBeUndefined();
    expect(faultsOf({ ...settings, PRESAGE_ROLES: 'settler' }).join('\n')).toMatch(/SETTLER_KEY is not set/);
    expect(readConfig({ ...settings, ...liveKeys, PRESAGE_ROLES: 'settler' }).chains[0]?.keys).toBeDefined();
  });

  it('lanes belong to a service with its journal in files, and are told a secret of this start', () => {
    const { lanes, cluster } = readConfig({ PRESAGE_CHAINS, PRESAGE_LANES: '2' });
    expect(lanes).toBe(2);
    expect(cluster).toMatchObject({ host: '127.0.0.1', port: 0 });
    expect(readConfig({ PRESAGE_CHAINS, PRESAGE_LANES: '2' }).cluster?.secret).not.toBe(cluster?.secret);
    expect(readConfig({ PRESAGE_CHAINS })).toMatchObject({ lanes: 0, lane: undefined, cluster: undefined });
    for (const PRESAGE_LANES of ['-1', 'all', '1.5', '65'])
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_LANES }).join()).toContain('use a whole number from 0 to 64');
    const shared = { PRESAGE_JOURNAL_URL: 'postgres://db/journal', PRESAGE_RECEIPT_KEY: '11'.repeat(32) };
    for (const more of [shared, { PRESAGE_ROLES: 'gateway' }])
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_LANES: '1', ...more }).join()).toContain('start gateways');
    for (const PRESAGE_LANE of ['2', 'first'])
      expect(faultsOf({ PRESAGE_CHAINS, PRESAGE_LANE }).join()).toContain('set PRESAGE_LANES');
  });

  it('a node with a role of its own needs the shared journal, its key and a secret; an engine needs no chain', () => {
    const shared = { PRESAGE_CHAINS, PRESAGE_JOURNAL_URL: 'postgres://db/journal' };
    const clustered = { PRESAGE_CLUSTER_SECRET: 'a secret of all nodes', PRESAGE_RECEIPT_KEY: '11'.repeat(32) };
    expect(faultsOf({ ...shared, PRESAGE_ROLES: 'gateway' }).join('\n')).toMatch(
      /PRESAGE_RECEIPT_KEY.*PRESAGE_CLUSTER_SECRET/s,
    );
    expect(faultsOf({ PRESAGE_CHAINS, ...clustered, PRESAGE_ROLES: 'gateway,broker' }).join('\n')).toMatch(
      /PRESAGE_ROLES=broker.*PRESAGE_ROLES: several nodes share one journal/s,
    );
    const { PRESAGE_CHAINS: _, ...unchained } = shared;
    expect(readConfig({ ...unchained, ...clustered, PRESAGE_ROLES: 'engine' })).toMatchObject({
      roles: ['engine'],
      chains: [],
    });
    expect(readConfig({ ...shared, ...clustered, PRESAGE_ROLES: 'settler,gateway' }).roles).toEqual([
      'gateway',
      'settler',
    ]);
    expect(readConfig({ PRESAGE_CHAINS }).roles).toEqual(['gateway', 'engine', 'settler']);
    expect(faultsOf({ ...shared, PRESAGE_JOURNAL_URL: 'mysql://db' }).join('\n')).toContain('PRESAGE_JOURNAL_URL: use');
    const config = readConfig({ ...shared, PRESAGE_RECEIPT_KEY: '11'.repeat(32) });
    expect(config).toMatchObject({ journalUrl: 'postgres://db/journal', leaseSeconds: 5 });
    const secret = readConfig({
      ...shared,
      PRESAGE_RECEIPT_KEY: '11'.repeat(32),
      PRESAGE_JOURNAL_URL: 'postgres://me:hush@db/j',
    });
    expect(JSON.stringify(printableConfig(secret))).not.toContain('hush');
  });

  it('prints itself without keys and passwords', () => {
    const PRESAGE_CHAINS = chainsFile([{ ...chain, rpcUrls: ['https://node.example/v2/hunter3'] }]);
    const config = readConfig({ PRESAGE_CHAINS, PRESAGE_DATABASE_URL: 'postgres://me:hunter2@db/presage' });
    const printed = JSON.stringify(printableConfig(config));
    expect(printed).toContain('https://node.example');
    expect(printed).not.toMatch(/hunter/);
    expect(printed).not.toContain('7777');
  });

  it('refuses a chain that is listed twice, and two whose markets could have the same ids', () => {
    const other = { ...chain, chainId: 5, contracts: { ...chain.contracts, marketFactory: address('14') } };
    expect(faultsOf({ PRESAGE_CHAINS: chainsFile([chain, other]) })).toEqual([]);
    const twice = faultsOf({ PRESAGE_CHAINS: chainsFile([chain, { ...other, chainId: chain.chainId }]) });
    expect(twice).toEqual([expect.stringContaining(`chains[1].chainId: ${chain.chainId} is listed already`)]);
    const twins = faultsOf({ PRESAGE_CHAINS: chainsFile([chain, { ...chain, chainId: 5 }]) });
    expect(twins).toEqual([
      expect.stringMatching(/chains\[1\]\.contracts\.marketFactory: .* deploy it with another salt/),
    ]);
  });
});
