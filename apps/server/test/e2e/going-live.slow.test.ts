// A stranger's path: foreign chains, docs/going-live.md typed as it stands, and a market from its first trade to its last payout, with our oracle and with UMA's.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { marketAbi, optimisticOracleAbi } from '@presage/contracts';
import { findFreePort } from '@presage/runtime/node';
import { createPublicClient, createTradingClient, type TradingClient } from '@presage/sdk';
import { waitFor } from '@presage/testkit';
import { type Address, erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { UmaOracle } from '../../../../contracts/test/uma-oracle.ts';
import { openSigner, signAs } from '../../../../packages/chain/test/setup/local-signer.ts';
import { type Block, type Document, fillIn, readDocument } from '../documents/document.ts';
import { Reader } from '../documents/reader.ts';
import { ForeignChain, newPerson, type Person } from './foreign-chain.ts';
import { Operator } from './live-service.ts';

const people = {
  deployer: newPerson(),
  owner: newPerson(),
  pauser: newPerson(),
  creator: newPerson(),
  settler: newPerson(),
  relayer: newPerson(),
  arbitrator: newPerson(),
  disputer: newPerson(),
  treasury: newPerson(),
};
const MILLION = 1_000_000n;
/** Long enough to trade on a busy machine; the test waits for what is left of it. */
const LIFETIME_SECONDS = 20;
const SLOW = { timeoutMs: 120_000, pollMs: 1_000 };

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
let operator: Operator;
let reader: Reader;
let document: Document;
let values: Record<string, string>;
let ours: ForeignChain;
let theirs: ForeignChain;
let uma: UmaOracle;
let signer: Awaited<ReturnType<typeof openSigner>>;

beforeAll(async () => {
  operator = await Operator.open({
    DEPLOYER_KEY: people.deployer.key,
    SETTLER_KEY: people.settler.key,
    RELAYER_KEY: people.relayer.key,
    CREATOR_KEY: people.creator.key,
    OWNER_KEY: people.owner.key,
  });
  [ours, theirs] = await Promise.all([ForeignChain.open(70_001), ForeignChain.open(70_002)]);
  for (const chain of [ours, theirs]) await chain.giveGasMoney(...Object.values(people));
  uma = await theirs.deployUma();
  signer = await openSigner(signAs(people.settler.account));
  document = await readDocument('docs/going-live.md');
  toType.push(...document.blocks.filter(({ language }) => language === 'sh'));
  await openReader();
});

/** In the operator's folder, with the command line on the path, on ports that are free. */
async function openReader(): Promise<void> {
  const [port, adminPort] = [await findFreePort(), await findFreePort()];
  const [url, adminUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`];
  const bin = join(operator.dir, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'presage'),
    `#!/bin/sh\nexec "${process.execPath}" "${ROOT}apps/cli/bin/presage.mjs" "$@"\n`,
  );
  await chmod(join(bin, 'presage'), 0o755);
  values = {
    'a key file': join(operator.dir, 'relayer.key'),
    'a node': ours.url,
    'the keys': `SETTLER_KEY=${people.settler.key} CREATOR_KEY=${people.creator.key}`,
    'a database': operator.databaseUrl,
    'the service': url,
    'its admin listener': adminUrl,
  };
  reader = new Reader(operator.dir, {
    PATH: [bin, process.env.PATH].join(delimiter),
    DEPLOYER_KEY: people.deployer.key,
    // For the other chain, whose keys are elsewhere.
    RELAYER_KEY: people.relayer.key,
    PRESAGE_PORT: String(port),
    PRESAGE_ADMIN_PORT: String(adminPort),
    PRESAGE_DATA_DIR: join(operator.dir, 'data'),
    PRESAGE_CONFIG_DIR: join(operator.dir, 'config'),
    PRESAGE_LOG_LEVEL: 'warn',
    // No internet here.
    PRESAGE_QUICK_ASSETS: 'off',
    PRESAGE_COINBASE_URL: 'off',
    PRESAGE_BINANCE_URL: 'off',
  });
  operator.useService(url, adminUrl);
}

/** The next blocks of the page, up to the one that has this in it. */
async function typeUntil(words: string): Promise<string> {
  for (;;) {
    const block = toType.shift();
    if (block === undefined) throw new Error(`the page has no further block with ${words}`);
    const text = fillIn(block.text, document, values);
    const printed = block.mark === 'meanwhile' ? await startService(text) : await reader.type(text);
    if (text.includes(words)) return printed;
  }
}

async function startService(commands: string): Promise<string> {
  await reader.start(commands, operator.url);
  return '';
}

afterAll(async () => {
  await reader?.stop();
  await operator?.close();
  signer?.close();
  await Promise.all([ours?.close(), theirs?.close()]);
});

const toType: Block[] = [];

interface Report {
  readonly contracts: Record<'settlement' | 'marketFactory', Address>;
  readonly steps: readonly string[];
  readonly cost: string;
  readonly files: readonly string[];
  readonly toAccept: readonly Address[];
  readonly faults: readonly { readonly detail: string; readonly isFatal: boolean }[];
}

async function writeSettings(chain: ForeignChain, own: object): Promise<string> {
  const { owner, pauser, creator, settler, relayer } = people;
  const roles = Object.entries({ owner, pauser, creator, settler, relayer }).map(([role, { account }]) => [
    role,
    account.address,
  ]);
  const printed = document.blocks.find(({ name }) => name === 'deploy.json')?.text ?? '';
  const path = join(operator.dir, chain === ours ? 'deploy.json' : `deploy-${chain.chainId}.json`);
  const settings = {
    ...(JSON.parse(fillIn(printed, document, values)) as object),
    chainId: chain.chainId,
    stablecoin: chain.stablecoin,
    pyth: 'none',
    ...Object.fromEntries(roles),
    confirmations: 1,
    ...own,
  };
  await writeFile(path, JSON.stringify(settings));
  return path;
}

function deployArguments(chain: ForeignChain, config: string): string[] {
  return ['deploy', '--rpc', chain.url, '--key', 'env:DEPLOYER_KEY', '--config', config, '--json'];
}

async function deploy(chain: ForeignChain, config: string, ...further: string[]): Promise<Report> {
  const { code, stdout, stderr } = await operator.presage([...deployArguments(chain, config), ...further]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Report;
}

/** The owner takes over what they were offered, before any service runs. */
async function acceptOwnership({ url, chainId }: ForeignChain): Promise<void> {
  const access = ['--rpc', url, '--key', 'env:OWNER_KEY', '--chain', String(chainId)];
  const chains = join(operator.dir, 'deployment', 'chains.json');
  const { code, stderr } = await operator.presage(['owner', 'accept', '--chains', chains, ...access]);
  expect(code, stderr).toBe(0);
}

/** As an operator types it: the service sends it in the creator's name. One of the chains has a treasury, and its market a fee. */
async function createMarketAsOperator({ chainId }: ForeignChain, question: string): Promise<Hex> {
  const fees = chainId === ours.chainId ? ['--fee', '200', '--maker-share', '2500'] : [];
  const common = ['--description', 'YES if it does.', '--expires', `${LIFETIME_SECONDS}s`];
  const terms = [...common, '--chain', String(chainId), ...fees];
  const { code, stdout, stderr } = await operator.presage(['admin', 'markets', 'create', question, ...terms, '--json']);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { marketId: Hex }).marketId;
}

it('is walked by deploying, trading without gas money, disputing, settling and redeeming, on two chains at once', async () => {
  // A coin that is none is refused before anything is sent.
  const noCoin = await writeSettings(ours, {
    arbitrator: people.arbitrator.account.address,
    stablecoin: people.owner.account.address,
  });
  const refused = await operator.presage(deployArguments(ours, noCoin));
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('stablecoin') });

  // What it would cost is said first, and nothing is sent. One chain has its keys in the environment and in a file, the other at a signer too.
  await writeFile(values['a key file'] as string, people.relayer.key, { mode: 0o600 });
  const settings = [
    await writeSettings(ours, {
      arbitrator: people.arbitrator.account.address,
      treasury: people.treasury.account.address,
    }),
    await writeSettings(theirs, {
      umaOracle: uma.address,
      timelockSeconds: 0,
      settlerKey: `signer:${signer.url}#${people.settler.account.address}`,
      relayerKey: 'env:RELAYER_KEY',
    }),
  ] as const;
  const estimate = await deploy(ours, settings[0], '--dry-run');
  expect(estimate.steps).toContain('deploy settlement');
  expect(Number(estimate.cost)).toBeGreaterThan(0);
  expect(await ours.client.getCode({ address: estimate.contracts.settlement })).toBeUndefined();

  // A run that is killed half-way is finished by the next one.
  const killed = await operator.presage(deployArguments(ours, settings[0]), (said, kill) => {
    if (said.split('sent: ').length > 4) kill();
  });
  expect(killed.code).toBeNull();
  expect(await typeUntil('presage deploy')).toContain(estimate.contracts.settlement);
  const first = await deploy(ours, settings[0], '--verify');
  const second = await deploy(theirs, settings[1]);
  expect(first.steps).toEqual([]);
  expect(first.contracts.settlement).toBe(estimate.contracts.settlement);
  expect(second.contracts.marketFactory).not.toBe(first.contracts.marketFactory);
  expect([...first.faults, ...second.faults].filter(({ isFatal }) => isFatal)).toEqual([]);
  // A timelock has accepted by itself; an owner without one accepts.
  expect(first.toAccept).toEqual([]);
  expect(second.toAccept.length).toBeGreaterThan(0);
  await acceptOwnership(theirs);
  expect(await deploy(theirs, settings[1], '--verify')).toMatchObject({ steps: [], faults: [], toAccept: [] });

  // The doctor has nothing to say about the chains, and then the page is typed to its end.
  const healthy = await typeUntil('presage doctor');
  expect(healthy.split('\n').filter((line) => /^(ok|BAD|\?) +chain/.test(line))).toHaveLength(3);
  expect(healthy).not.toContain('BAD');
  expect(await typeUntil('presage markets')).toContain('Does it rain in Lisbon');
  operator.addSettings({ PRESAGE_OPERATOR_KEY: (await reader.type('printenv PRESAGE_OPERATOR_KEY')).trim() });
  expect(toType).toEqual([]);
  const { authRequired, sandbox } = await createPublicClient({ url: operator.url }).getConfig();
  expect({ authRequired, sandbox }).toEqual({ authRequired: true, sandbox: false });
  await Promise.all([playMarket(ours, arbitrateOurs), playMarket(theirs, voteAtUma)]);
});

type Judge = (chain: ForeignChain, assertionId: Hex, market: Address) => Promise<void>;

/** Whoever deployed with an arbitrator has them decide, which settles at once. */
const arbitrateOurs: Judge = async (chain, assertionId, market) => {
  const oracle = await oracleOf(chain, market);
  await chain.call(people.arbitrator.account, oracle, optimisticOracleAbi, 'arbitrate', [assertionId, true]);
};

/** UMA's voters decide, and then anybody settles. */
const voteAtUma: Judge = async (chain, assertionId, market) => {
  await uma.decide(assertionId, true);
  await chain.call(people.disputer.account, market, marketAbi, 'settle', []);
};

async function playMarket(chain: ForeignChain, judge: Judge): Promise<void> {
  const [alice, bob] = await Promise.all([openTrader(chain), openTrader(chain)]);
  const marketId = await createMarketAsOperator(chain, `Does ${chain.chainId} go live?`);
  const isListed = () =>
    alice.client.getMarket(marketId).then(
      (market) => market,
      () => undefined,
    );
  const market = await waitFor('the market is listed', isListed, SLOW);
  const address = market.contractAddress as Address;

  await alice.client.placeOrder({ marketId, side: 'buy', outcome: 'YES', price: '0.6', size: '100' });
  const taken = await bob.client.placeOrder({ marketId, side: 'sell', outcome: 'YES', price: '0.6', size: '100' });
  expect(taken.matches).toBe(1);
  const { settled } = await taken.waitForSettlement();
  expect(settled).toHaveLength(1);
  if (chain === ours) await expectRevenue(chain, marketId);

  const isExpired = async () => (await alice.client.getMarket(marketId)).status !== 'open';
  await waitFor('the market has expired', isExpired, SLOW);
  await (await alice.client.proposeResolution(marketId, 'YES')).wait();
  const assertionId = await chain.client.readContract({ address, abi: marketAbi, functionName: 'resolution' });
  await dispute(chain, address, assertionId.assertionId);
  const isDisputed = async () => (await alice.client.getResolution(marketId)).status === 'disputed';
  await waitFor('the dispute is known', isDisputed, SLOW);
  await judge(chain, assertionId.assertionId, address);
  const isResolved = async () => (await alice.client.getResolution(marketId)).status === 'resolved';
  await waitFor('the market is resolved', isResolved, SLOW);

  const before = await chain.balanceOf(alice.person.account.address);
  const { transactions, totalPayout } = await alice.client.redeemAll({ markets: [marketId] });
  for (const transaction of transactions) await transaction.wait();
  expect(totalPayout).toBe(100n * MILLION);
  expect((await chain.balanceOf(alice.person.account.address)) - before).toBe(100n * MILLION);
  for (const { person } of [alice, bob]) {
    expect(await chain.client.getBalance({ address: person.account.address })).toBe(0n);
  }
}

/** 2 % of 100 shares at 0.6 x 0.4, of which three quarters are the treasury's. */
async function expectRevenue(chain: ForeignChain, marketId: Hex): Promise<void> {
  expect(await chain.balanceOf(people.treasury.account.address)).toBe(360_000n);
  const shown = async () => {
    const { code, stdout, stderr } = await operator.presage(['admin', 'revenue', '--json']);
    expect(code, stderr).toBe(0);
    return (JSON.parse(stdout) as { revenue: object[] }).revenue;
  };
  const expected = { marketId, trades: 1, fees: 480_000, makerRebates: 120_000, revenue: 360_000, settled: 360_000 };
  await vi.waitFor(async () => expect(await shown()).toMatchObject([expected]), { timeout: 60_000, interval: 1_000 });
}

/** A wallet with stablecoin and without gas money. */
async function openTrader(chain: ForeignChain): Promise<{ readonly person: Person; readonly client: TradingClient }> {
  const person = newPerson();
  await chain.giveStablecoin(person.account.address, 10_000n * MILLION);
  const client = createTradingClient({ url: operator.url, account: person.account, chainId: chain.chainId });
  await client.setup();
  return { person, client };
}

async function dispute(chain: ForeignChain, market: Address, assertionId: Hex): Promise<void> {
  const { account } = people.disputer;
  const oracle = await oracleOf(chain, market);
  await chain.giveStablecoin(account.address, 10_000n * MILLION);
  await chain.call(account, chain.stablecoin, erc20Abi, 'approve', [oracle, 10_000n * MILLION]);
  await chain.call(account, oracle, optimisticOracleAbi, 'disputeAssertion', [assertionId, account.address]);
}

function oracleOf(chain: ForeignChain, address: Address): Promise<Address> {
  return chain.client.readContract({ address, abi: marketAbi, functionName: 'oracle' });
}
