// Markets that operators prepare: from a template, once under a key, at a time that comes after a kill, and as a draft.
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { createSandboxClient, PresageApiError } from '@presage/sdk';
import { ApprovalPending, createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const DAY = 86_400;
const second = createApiKeyPair(Buffer.alloc(32, 7));
const env = { PRESAGE_OPERATOR_KEYS: `bob=${second.publicKeyHex}`, PRESAGE_MARKET_FEES: 'sports=50' };
let exchange: Exchange;
let operator: OperatorClient;

async function openOperator(): Promise<void> {
  const { url } = exchange.client;
  operator = createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey(), retries: 0 });
}

beforeAll(async () => {
  exchange = await Exchange.open({ env });
  await openOperator();
  await operator.defineCategory('sports', 'Sports');
  await operator.defineTemplate({
    id: 'match',
    question: 'Does {home} beat {away}?',
    source: 'https://results.example/{home}-{away}',
    category: 'sports',
    expires: '{date}T18:00:00Z',
    feeRateBps: 120,
    makerShareBps: 2_000,
  });
});
afterAll(() => exchange?.close());

const readMarket = (id: string) => exchange.client.read<MarketBody & Record<string, unknown>>(`/api/v1/markets/${id}`);
const nowSeconds = async () => (await exchange.client.read<{ now: number }>('/api/v1/time')).now;
const listed = async (question: string) => {
  const { markets } = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?limit=500');
  return markets.filter((market) => market.question === question);
};

async function codeOf(asked: Promise<unknown>): Promise<string> {
  const outcome = await asked.catch((error: unknown) => error);
  return outcome instanceof PresageApiError ? outcome.code : `no refusal: ${JSON.stringify(outcome)}`;
}

describe('a template', () => {
  const values = { home: 'Ajax', away: 'PSV', date: '' };
  beforeAll(async () => {
    values.date = new Date(((await nowSeconds()) + 3 * DAY) * 1_000).toISOString().slice(0, 10);
  });

  it('gives a market its texts, its end and its fees, and what is given stands before it', async () => {
    const checked = await operator.checkMarket({ template: 'match', values });
    const { marketId, listed: isListed } = await operator.createMarket({ template: 'match', values });
    expect({ marketId, isListed }).toEqual({ marketId: checked.marketId, isListed: true });
    expect(await readMarket(marketId)).toMatchObject({
      question: 'Does Ajax beat PSV?',
      category: 'sports',
      feeRateBps: 120,
      makerShareBps: 2_000,
      expiration: Date.parse(`${values.date}T18:00:00Z`) / 1_000,
    });
    const other = await operator.createMarket({ template: 'match', values, question: 'A draw?', feeRateBps: 0 });
    expect(await readMarket(other.marketId)).toMatchObject({ question: 'A draw?', feeRateBps: 0, category: 'sports' });
  });

  it('is refused with the placeholder that lacks its value, or the value that has no placeholder', async () => {
    const refusal = (given: Record<string, string>) =>
      operator.checkMarket({ template: 'match', values: given }).catch(({ details }: PresageApiError) => details);
    expect(await refusal({ home: 'Ajax' })).toMatchObject({ field: 'values.away' });
    expect(await refusal({ ...values, town: 'Delft' })).toMatchObject({ field: 'values.town' });
    expect(await refusal({ ...values, date: 'soon' })).toMatchObject({ field: 'expires' });
    expect(await codeOf(operator.createMarket({ template: 'none' }))).toBe('template_not_found');
    expect(await codeOf(operator.createMarket({ question: 'When?' }))).toBe('invalid_field');
  });

  it('is listed until it is removed, and stays after a kill', async () => {
    await operator.defineTemplate({ id: 'short', question: 'Soon?', expires: 3_600 });
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env });
    await openOperator();
    expect((await operator.listTemplates()).templates.map(({ id }) => id)).toEqual(['match', 'short']);
    expect(await operator.removeTemplate('short')).toMatchObject({ count: 1 });
    expect(await codeOf(operator.removeTemplate('short'))).toBe('template_not_found');
  });
});

describe('a key', () => {
  it('creates one market, however often and from wherever it is sent', async () => {
    const params = { question: 'Only once?', expiration: (await nowSeconds()) + DAY, key: 'line-1' };
    const answers = await Promise.all([1, 2, 3].map(() => operator.createMarket(params)));
    expect(new Set(answers.map(({ marketId }) => marketId)).size).toBe(1);
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env });
    await openOperator();
    expect(await operator.createMarket(params)).toMatchObject({ marketId: answers[0]!.marketId, created: false });
    expect(await listed('Only once?')).toHaveLength(1);
  });
});

describe('a scheduled market', () => {
  it('is not there before its time, and is created then, also after a kill', async () => {
    const now = await nowSeconds();
    const market = { question: 'Later?', expiration: now + 30 * DAY, listAt: now + DAY, key: 'later' };
    expect(await operator.scheduleMarket(market)).toMatchObject({ scheduleId: 'later', listAt: now + DAY });
    expect(await operator.scheduleMarket(market)).toMatchObject({ scheduleId: 'later' });
    await operator.scheduleMarket({ ...market, question: 'Never?', key: 'never' });
    expect(await operator.cancelSchedule('never')).toMatchObject({ count: 1 });
    expect(await listed('Later?')).toEqual([]);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env });
    await openOperator();
    expect(await operator.listSchedule()).toMatchObject({ scheduled: [{ scheduleId: 'later', question: 'Later?' }] });
    await exchange.client.post('/sandbox/time', { advanceSeconds: DAY });
    await waitFor('the market is there', async () => (await listed('Later?')).length > 0);
    expect(await operator.listSchedule()).toEqual({ scheduled: [], count: 0 });
    expect(await operator.createMarket(market)).toMatchObject({ created: false });
    expect(await listed('Never?')).toEqual([]);
    expect(await codeOf(operator.cancelSchedule('later'))).toBe('schedule_not_found');
    expect(await codeOf(operator.scheduleMarket({ ...market, key: 'past', listAt: now }))).toBe('invalid_field');
  });

  it('of a template expires by its creation, not by its request', async () => {
    await operator.defineTemplate({ id: 'hour', question: 'Within the hour?', expires: 3_600 });
    const listAt = (await nowSeconds()) + DAY;
    expect(await operator.scheduleMarket({ template: 'hour', listAt, key: 'hour' })).toMatchObject({
      listAt,
      expiration: listAt + 3_600,
    });
    await operator.cancelSchedule('hour');
    expect(await codeOf(operator.scheduleMarket({ template: 'hour', listAt: 1 }))).toBe('invalid_field');
  });
});

describe('a draft', () => {
  it('waits for another operator though the settings ask for none', async () => {
    const draft = { question: 'Drafted?', expiration: (await nowSeconds()) + DAY, draft: true };
    const pending = await operator.createMarket(draft).catch((error: unknown) => error);
    if (!(pending instanceof ApprovalPending)) throw new Error('it was not asked for');
    const key = { id: `op_${second.publicKeyHex.slice(0, 24)}`, privateKey: second.privateKeyHex };
    const bob = createOperatorClient({ url: exchange.client.url, key });
    expect(await listed('Drafted?')).toEqual([]);
    await bob.confirmApproval(pending.approval.approvalId);
    expect(await listed('Drafted?')).toHaveLength(1);
  });
});
