// Transactions that an operator sends from the command line: settlement is stopped and resumed, a proposal disputed and the dispute decided.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerTimelockAbi, presageSettlementAbi } from '@presage/contracts';
import { ownerTimelockBytecode } from '@presage/contracts/bytecode';
import { keyOf as keyOfRole } from '@presage/devchain';
import type { Hex } from '@presage/protocol';
import { portOf } from '@presage/runtime/node';
import { openSandbox, type SandboxProcess, waitFor, withoutQuickMarkets } from '@presage/testkit';
import { createPublicClient, createWalletClient, http, keccak256, stringToHex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { Presage } from './presage.ts';

const DELAY_SECONDS = 3_600;
const HOLDERS = ['owner', 'pauser', 'creator', 'settler', 'relayer'];
const owner = testAccount(0);
const keyOf = (index: number): Hex => toHex(testAccount(index).getHdKey().privateKey!);
let sandbox: SandboxProcess;
let presage: Presage;
let market: { readonly id: string; readonly settlementAddress: Hex };

beforeAll(async () => {
  sandbox = await openSandbox(withoutQuickMarkets({}));
  presage = await Presage.open({
    PRESAGE_URL: sandbox.url,
    OWNER: keyOf(0),
    STRANGER: keyOf(9),
    DISPUTER: keyOfRole('disputer').privateKey,
    ARBITRATOR: keyOfRole('arbitrator').privateKey,
  });
  market = await createMarket('Is it settled?', 30 * 86_400);
});
afterAll(async () => {
  await presage?.close();
  await sandbox?.discard();
});

async function createMarket(question: string, expiresIn: number): Promise<typeof market> {
  const body = JSON.stringify({ question, expiresIn });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${sandbox.url}/sandbox/markets`, { method: 'POST', body, headers });
  return (await answer.json()) as typeof market;
}

const words = (key: string, rpc = sandbox.rpcUrl) => ['--rpc', rpc, '--key', `env:${key}`];
const readPaused = () => presage.json<{ pausedMarkets: object[] }>('admin', 'stopped');

function pausedIs(count: number): Promise<unknown> {
  return waitFor(`${count} markets are paused`, async () => (await readPaused()).pausedMarkets.length === count);
}

describe('presage resolve', () => {
  const ofRole = (role: string) => ['--rpc', sandbox.rpcUrl, '--key', `env:${role}`];

  it('disputes a proposal and decides the dispute, each with a key of its own', async () => {
    const { id } = await createMarket('Is it disputed?', 3_600);
    await presage.text('time', 'warp', '61m');
    const early = await presage.run('resolve', 'dispute', id, ...ofRole('DISPUTER'));
    expect([early.code, early.stderr]).toEqual([expect.any(Number), expect.stringContaining('propos')]);
    expect(early.code).not.toBe(0);
    await presage.json('resolve', 'propose', id, 'yes');
    const { balance } = await fundDisputer();
    expect(Number(balance)).toBeGreaterThan(0);
    await waitFor('the proposal is seen', async () => (await statusOf(id)) === 'proposed');
    expect(await presage.json('resolve', 'dispute', id, ...ofRole('DISPUTER'))).toMatchObject({ done: 'disputed' });
    await waitFor('the dispute is seen', async () => (await statusOf(id)) === 'disputed');
    const stranger = await presage.run('resolve', 'arbitrate', id, 'true', ...ofRole('STRANGER'));
    expect([stranger.code, stranger.stderr]).toEqual([2, expect.stringContaining('the contract refuses this of')]);
    const unclear = await presage.run('resolve', 'arbitrate', id, 'maybe', ...ofRole('ARBITRATOR'));
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining('Write true')]);
    await presage.json('resolve', 'arbitrate', id, 'true', ...ofRole('ARBITRATOR'));
    await waitFor('the verdict is seen', async () => (await statusOf(id)) !== 'disputed');
  });

  const statusOf = async (id: string) => (await presage.json<{ status: string }>('resolve', 'status', id)).status;

  async function fundDisputer(): Promise<{ readonly balance: string | number }> {
    const { address } = keyOfRole('disputer');
    const body = JSON.stringify({ address, amount: 1_000_000_000 });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${sandbox.url}/sandbox/fund`, { method: 'POST', body, headers });
    return (await answer.json()) as { balance: string };
  }
});

describe('presage owner', () => {
  const hasRole = async (role: string, account: Hex) => {
    const reader = createPublicClient({ transport: http(sandbox.rpcUrl) });
    const args = [keccak256(stringToHex(role)), account] as const;
    const { settlementAddress: address } = market;
    return reader.readContract({ address, abi: presageSettlementAbi, functionName: 'hasRole', args });
  };

  it('grants and revokes a role, and refuses who does not own the contracts', async () => {
    const stranger = testAccount(9).address;
    expect(await presage.text('owner', 'grant', 'pauser', stranger, ...words('OWNER'))).toContain(
      `pauser granted to ${stranger}`,
    );
    expect(await hasRole('PAUSER_ROLE', stranger)).toBe(true);
    await presage.text('owner', 'revoke', 'pauser', stranger, ...words('OWNER'));
    expect(await hasRole('PAUSER_ROLE', stranger)).toBe(false);
    const refused = await presage.run('owner', 'grant', 'pauser', stranger, ...words('STRANGER'));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the owner of the contracts is')]);
    const unknown = await presage.run('owner', 'grant', 'king', stranger, ...words('OWNER'));
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('"king" is not a role')]);
  });

  it('offers ownership, which the other side accepts, and gives it back', async () => {
    const other = keyOfRole('arbitrator').address;
    const nothing = await presage.run('owner', 'accept', ...words('ARBITRATOR'));
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nothing was offered')]);
    const offered = await presage.run('owner', 'offer', other, ...words('OWNER'));
    expect([offered.code, offered.stderr]).toEqual([
      0,
      expect.stringContaining('quickMarketFactory: unknown to the service'),
    ]);
    expect(await presage.text('owner', 'accept', ...words('ARBITRATOR'))).toContain('settlement: ownership accepted');
    await presage.text('owner', 'offer', owner.address, ...words('ARBITRATOR'));
    expect(await presage.json('owner', 'accept', ...words('OWNER'))).toMatchObject({
      accepted: ['settlement', 'marketFactory', 'eventFactory', 'marketOracle'].map((contract) => ({ contract })),
    });
  });

  it('says that a key without gas money cannot accept', async () => {
    await presage.text('owner', 'offer', testAccount(9).address, ...words('OWNER'));
    const poor = await presage.run('owner', 'accept', ...words('STRANGER'));
    expect([poor.code, poor.stderr]).toEqual([2, expect.stringContaining('cannot pay for gas')]);
  });

  it('names the treasury', async () => {
    const account = testAccount(7).address;
    expect(await presage.text('owner', 'treasury', account, ...words('OWNER'))).toContain('fees go to');
  });
});

describe('presage settlement', () => {
  it('pauses and resumes one market, and all of them', async () => {
    const one = ['settlement', 'pause', 'settled', ...words('OWNER')];
    expect(await presage.json(...one)).toMatchObject({ market: market.id, done: 'paused', chainId: 31337 });
    await pausedIs(1);
    expect(await presage.text('admin', 'stopped')).toContain('its settlement is paused on chain');
    expect(await presage.json('settlement', 'resume', market.id, ...words('OWNER'))).toMatchObject({ done: 'resumed' });
    await pausedIs(0);
    expect(await presage.json('settlement', 'pause', ...words('OWNER'))).toMatchObject({ market: 'all' });
    expect(await presage.json('settlement', 'resume', ...words('OWNER'))).toMatchObject({ done: 'resumed' });
  });

  it('refuses who is neither pauser nor owner, and sends nothing', async () => {
    const pause = await presage.run('settlement', 'pause', market.id, ...words('STRANGER'));
    expect([pause.code, pause.stderr]).toEqual([2, expect.stringContaining('the contract refuses this of')]);
    const resume = await presage.run('settlement', 'resume', market.id, ...words('STRANGER'));
    expect([resume.code, resume.stderr]).toEqual([2, expect.stringContaining('the owner of the contracts is')]);
  });

  it('announces to a timelock first, waits for it, and then resumes', async () => {
    await presage.json('settlement', 'pause', market.id, ...words('OWNER'));
    await pausedIs(1);
    await handToTimelock();
    const resume = ['settlement', 'resume', market.id, ...words('OWNER')];
    expect(await presage.json(...resume)).toMatchObject({ done: 'announced', from: expect.any(Number) });
    const early = await presage.run(...resume);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('can be executed from')]);
    await presage.text('time', 'warp', `${DELAY_SECONDS + 60}s`);
    await waitFor('the delay is over', async () => (await presage.run(...resume)).code === 0);
    await pausedIs(0);
  });
});

/** The settlement contract belongs to a timelock from now on, and that to its previous owner. */
async function handToTimelock(): Promise<void> {
  const transport = http(sandbox.rpcUrl);
  const wallet = createWalletClient({ transport, account: owner });
  const reader = createPublicClient({ transport, pollingInterval: 25 });
  const mined = async (hash: Hex) => reader.waitForTransactionReceipt({ hash });
  const args = [owner.address, BigInt(DELAY_SECONDS)] as const;
  const creation = { abi: ownerTimelockAbi, bytecode: ownerTimelockBytecode, args, chain: null } as const;
  const { contractAddress } = await mined(await wallet.deployContract(creation));
  const timelock = contractAddress!;
  const { settlementAddress: address } = market;
  const offer = { address, abi: presageSettlementAbi, functionName: 'transferOwnership', args: [timelock] } as const;
  await mined(await wallet.writeContract({ ...offer, chain: null }));
  const accept = {
    address: timelock,
    abi: ownerTimelockAbi,
    functionName: 'acceptOwnershipOf',
    args: [address],
  } as const;
  await mined(await wallet.writeContract({ ...accept, chain: null }));
}

describe('a node that is none', () => {
  let pages: Server;

  beforeAll(async () => {
    pages = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<html>Not a node</html>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void pages.close());

  it.each([
    ['a port where nobody listens', () => 'http://127.0.0.1:1'],
    ['a page', () => `http://127.0.0.1:${portOf(pages)}/key`],
  ])('is named with a remedy and exit code 3: %s', async (_what, toUrl) => {
    const url = toUrl();
    const { code, stderr } = await presage.run('settlement', 'pause', ...words('OWNER', url));
    expect([code, stderr]).toEqual([3, expect.stringContaining(new URL(url).host)]);
    expect(stderr).toContain('Check that the node is running');
    expect(stderr).not.toContain('/key');
  });

  it('is named by a deployment, too', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'presage-deploy-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const config = join(dir, 'deploy.json');
    const holders = Object.fromEntries(HOLDERS.map((name, index) => [name, testAccount(index + 20).address]));
    const keys = { settlerKey: 'env:A', relayerKey: 'env:B', creatorKey: 'env:C' };
    await writeFile(config, JSON.stringify({ chainId: 80002, ...holders, ...keys }));
    const words = ['--key', 'env:OWNER', '--config', config, '--out', join(dir, 'out')];
    for (const url of ['http://127.0.0.1:1', `http://127.0.0.1:${portOf(pages)}/`]) {
      const { code, stderr } = await presage.run('deploy', '--rpc', url, ...words);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`the node at ${new URL(url).host}`)]);
    }
  });

  it('is refused where it is no address at all', async () => {
    const { code, stderr } = await presage.run('settlement', 'pause', ...words('OWNER', 'localhost:8545'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not the address of a node')]);
  });
});
