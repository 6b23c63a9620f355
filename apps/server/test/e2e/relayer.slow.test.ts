// The gasless relayer on a real chain: what it refuses and with which words, what it sends once, in which order.
import { testStablecoinAbi } from '@presage/contracts';
import { RelayedTransaction, RelayerAnswer, RelayerErrorBody } from '@presage/protocol';
import { waitFor, walletOf } from '@presage/testkit';
import { encodeFunctionData, getAddress, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RelayedWallet, type RelayReply, UNLIMITED } from './relayed-wallet.ts';
import { expectShape, type MarketBody } from './wire.ts';

const ENV = { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' };
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  market = await exchange.newMarket('Is it relayed?');
});
afterAll(() => exchange?.close());

async function newcomer(name: string, money = 1_000_000_000): Promise<RelayedWallet> {
  const account = walletOf(`relayed ${name}`);
  if (money > 0) await exchange.client.post('/sandbox/fund', { address: account.address, amount: money });
  return RelayedWallet.open(exchange, account);
}

function transaction(hash: Hex): Promise<Readonly<Record<string, unknown>>> {
  return exchange.client.read(`/api/v1/relayer/transactions/${hash}`);
}

function mined(hash: Hex): Promise<Readonly<Record<string, unknown>>> {
  return waitFor(`${hash} is decided`, async () => {
    const seen = await transaction(hash);
    return seen.status !== 'pending' && seen;
  });
}

describe('the four stated errors', () => {
  let bodies: Record<string, object>;

  beforeAll(async () => {
    const ann = await newcomer('errors', 0);
    bodies = {
      'ctf-approval': await ann.approval(),
      'stablecoin-permit': await ann.permit(ann.chain.settlement.address, UNLIMITED),
      'usdc-permit': await ann.permit(ann.chain.settlement.address, UNLIMITED),
      'ctf-redemption': await ann.redemption(market),
      'batch-ctf-redemption': await ann.batch([market, market]),
      'propose-resolution': await ann.proposal(market, true),
      'settle-market': await ann.settling(market, 0),
      split: await ann.amount('SplitPosition', market, 1n),
      merge: await ann.amount('MergePositions', market, 1n),
    };
  });

  for (const operation of [
    'ctf-approval',
    'stablecoin-permit',
    'usdc-permit',
    'ctf-redemption',
    'batch-ctf-redemption',
    'propose-resolution',
    'settle-market',
    'split',
    'merge',
  ]) {
    it(`are reported by ${operation} with the published texts and in the published order`, async () => {
      const ask = (text: string) =>
        exchange.client.send<RelayReply>('POST', `/api/v1/relayer/${operation}`, {
          text,
          headers: { 'content-type': 'application/json' },
        });
      const good = JSON.stringify(bodies[operation]);
      const without = (field: string) => good.replaceAll(`"${field}":`, `"_${field}":`);
      const badAddress = (text: string) => text.replaceAll(/"0x[0-9a-fA-F]{40}"/g, '"0xnothex"');
      const badSignature = (text: string) => text.replaceAll(/"([rs])":"0x[0-9a-f]{64}"/g, '"$1":"0x12"');
      const badChain = (text: string) => text.replace('"chainId":31337', '"chainId":5');
      const table: [string, string, string][] = [
        ['{"chainId":', 'Invalid request body', 'invalid_request_body'],
        ['', 'Invalid request body', 'invalid_request_body'],
        ['[]', 'Invalid request body', 'invalid_request_body'],
        [badChain(badSignature(badAddress(without('chainId')))), 'Invalid request body', 'invalid_request_body'],
        [badChain(badSignature(badAddress(without('v')))), 'Invalid request body', 'invalid_request_body'],
        [badChain(badSignature(badAddress(good))), 'Invalid address format', 'invalid_address_format'],
        [badChain(badSignature(good)), 'Invalid signature format', 'invalid_signature_format'],
        [badChain(good), 'No relayer configured for chain', 'no_relayer_for_chain'],
      ];
      for (const [text, error, code] of table) {
        const { status, body } = await ask(text);
        expect({ text, status, ...body }).toMatchObject({ text, status: 400, success: false, error, code });
        expectShape(body, RelayerErrorBody);
      }
    });
  }
});

describe('a signed request', () => {
  it('of a wallet without gas money is sent by the relayer and followed by its hash', async () => {
    const ann = await newcomer('first');
    const { status, body } = await ann.post('usdc-permit', await ann.permit(ann.chain.settlement.address, UNLIMITED));
    expect(status).toBe(200);
    expectShape(body, RelayerAnswer);
    const seen = await mined(body.tx_hash as Hex);
    expectShape(seen, RelayedTransaction);
    expect(seen).toMatchObject({
      status: 'confirmed',
      operation: 'stablecoin-permit',
      owner: ann.address,
      error: null,
    });
    const balances = `/api/v1/users/${ann.address}/balances?chain_id=31337`;
    expect(await exchange.client.read(balances)).toMatchObject({ allowance: UNLIMITED.toString() });
    expect(await exchange.client.read('/api/v1/relayer/transactions/nonsense')).toEqual({ found: false });
    expect(await transaction(`0x${'ab'.repeat(32)}`)).toEqual({ found: false });
  });

  it('posted many times at once is one transaction, and stays it', async () => {
    const ann = await newcomer('again');
    const body = await ann.approval();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ann.relayed('ctf-approval', body)));
    expect(new Set(answers).size).toBe(1);
    await mined(answers[0] as Hex);
    expect(await ann.relayed('ctf-approval', body)).toBe(answers[0]);
    expect(await ann.nonceAt(ann.chain.conditionalTokens.address)).toBe(1n);
  });

  it('waits for the one before it, whose nonce counts as soon as it is answered', async () => {
    const ann = await newcomer('queue');
    const hashes: Hex[] = [];
    for (const approved of [true, false, true]) {
      hashes.push(await ann.relayed('ctf-approval', await ann.approval(approved)));
    }
    const places = [];
    for (const hash of hashes) places.push((await mined(hash)).blockNumber as number);
    expect(new Set(hashes).size).toBe(3);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(await ann.nonceAt(ann.chain.conditionalTokens.address)).toBe(3n);
  });

  it('turns money into shares and back', async () => {
    const ann = await newcomer('split');
    await ann.relayed('usdc-permit', await ann.permit(ann.chain.conditionalTokens.address, 7_000_000n));
    await ann.relayed('split', await ann.amount('SplitPosition', market, 7_000_000n));
    await mined(await ann.relayed('merge', await ann.amount('MergePositions', market, 2_000_000n)));
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 5_000_000n, no: 5_000_000n });
    expect(await exchange.chain.money(ann.address)).toBe(995_000_000n);
  });
});

describe('what would fail', () => {
  const refused = async (wallet: RelayedWallet, operation: string, body: object, code: string) => {
    const { status, body: reply } = await wallet.post(operation, body);
    expect({ status, code: reply.code }).toEqual({ status: 400, code });
    expectShape(reply, RelayerErrorBody);
    const addresses = JSON.stringify(reply).match(/\b0x[0-9a-fA-F]{40}\b/g) ?? [];
    expect(addresses).toEqual(addresses.map((address) => getAddress(address)));
    return reply;
  };

  it('is refused with the decoded reason, and costs neither gas nor a nonce', async () => {
    const ann = await newcomer('refused');
    const { settlement, conditionalTokens } = ann.chain;
    const nonceBefore = await relayerNonce();
    const stale = await refused(ann, 'ctf-approval', await ann.approval(true, { nonce: 9n }), 'simulation_failed');
    expect(stale.details?.reason).toMatch(/^InvalidSignature/);
    const permit = await ann.permit(settlement.address, 5n, { nonce: 9n });
    expect((await refused(ann, 'usdc-permit', permit, 'simulation_failed')).details?.reason).toMatch(/^InvalidPermit/);
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    await refused(ann, 'ctf-approval', await ann.approval(true, { deadline: now - 5 }), 'deadline_passed');
    await refused(ann, 'usdc-permit', await ann.permit(ann.address, 5n), 'spender_not_allowed');
    const early = await refused(ann, 'ctf-redemption', await ann.redemption(market), 'simulation_failed');
    expect(early.details?.reason).toMatch(/^ConditionNotResolved/);
    const second = await refused(ann, 'batch-ctf-redemption', await ann.batch([market]), 'simulation_failed');
    expect(second.details).toMatchObject({ index: 0, reason: expect.stringMatching(/^ConditionNotResolved/) });
    await refused(ann, 'split', await ann.amount('SplitPosition', market, 1n), 'simulation_failed');
    expect(await ann.nonceAt(conditionalTokens.address)).toBe(0n);
    expect(await relayerNonce()).toBe(nonceBefore);
  });

  it('is refused when the operator does not pay for it', async () => {
    const ann = await newcomer('policy', 0);
    const approval = { ...(await ann.approval()), operator: ann.address };
    expect((await refused(ann, 'ctf-approval', approval, 'call_not_allowed')).details?.field).toBe('operator');
    const foreign = { ...(await ann.redemption(market)), collateralToken: ann.address };
    expect((await refused(ann, 'ctf-redemption', foreign, 'call_not_allowed')).details?.field).toBe('collateralToken');
    const unknown = await ann.redemption({ ...market, id: `0x${'77'.repeat(32)}` as Hex });
    expect((await refused(ann, 'ctf-redemption', unknown, 'call_not_allowed')).details?.field).toBe('conditionId');
  });

  it('is answered 503 while the chain is unreachable, and works again afterwards', async () => {
    const ann = await newcomer('unreachable', 0);
    const body = await ann.approval();
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    const { status, body: reply } = await ann.post('ctf-approval', body);
    expect({ status, ...reply }).toMatchObject({ status: 503, success: false, code: 'chain_unavailable' });
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await mined(await ann.relayed('ctf-approval', body));
  });
});

async function relayerNonce(): Promise<number> {
  const { relayer } = await exchange.client.read<{ relayer: { nonce: number } }>('/api/v1/status');
  return relayer.nonce;
}

describe('a permit that somebody else submitted first', () => {
  it('counts as done while its allowance stands', async () => {
    const ann = await newcomer('front-run');
    const { settlement, stablecoin } = ann.chain;
    const body = (await ann.permit(settlement.address, 5_000_000n)) as Record<'deadline' | 'r' | 's', Hex> & {
      v: number;
    };
    const args = [ann.address, settlement.address, 5_000_000n, BigInt(body.deadline), body.v, body.r, body.s] as const;
    const data = encodeFunctionData({ abi: testStablecoinAbi, functionName: 'permit', args });
    const theirs = await exchange.chain.sendAs({
      from: walletOf('relayed thief').address,
      to: stablecoin.address,
      data,
    });
    expect(await ann.relayed('usdc-permit', body)).toBe(theirs);
    await mined(await ann.relayed('usdc-permit', await ann.permit(settlement.address, 1n)));
    const { status, body: late } = await ann.post('usdc-permit', body);
    expect({ status, code: late.code }).toEqual({ status: 400, code: 'simulation_failed' });
  });
});
