// The control partition in few records: followers learn from them what they would learn from all.
import { type Address, type JournalRecord, type MarketFacts, type OperatorAction, UsedTokens } from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { describe, expect, it } from 'vitest';
import { KeyRegistry } from '../../src/auth/key-registry.ts';
import { ControlState } from '../../src/host/control-state.ts';
import { DeadManSwitches } from '../../src/host/dead-man-switches.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';

const ALICE = `0x${'a'.repeat(40)}` as Address;
const BOB = `0x${'b'.repeat(40)}` as Address;
const START = 1_800_000_000;

const used = (second: number): JournalRecord => ({
  type: 'token-used',
  timeMs: second * 1_000,
  keyId: 'key_1',
  nonce: second.toString(16).padStart(32, '0'),
  issuedAt: second,
});
const register = (keyId: string): JournalRecord => ({
  type: 'api-key-registered',
  timeMs: 1,
  keyId,
  owner: ALICE,
  publicKey: createApiKeyPair().publicKeyHex,
  name: 'bot',
  createdAt: 1,
});
const beat = (trader: Address, lapseMs: number): JournalRecord => ({
  type: 'heartbeat-set',
  timeMs: 1,
  trader,
  lapseMs,
});
const pin = (from: number, price: number | null): JournalRecord => ({
  type: 'price-pinned',
  timeMs: 1,
  asset: 'BTC',
  from,
  price,
});

const MARKET = `0x${'aa'.repeat(32)}` as const;
const OTHER = `0x${'bb'.repeat(32)}` as const;
const acted = (action: OperatorAction, reason = '') => ({
  type: 'operator-acted' as const,
  timeMs: 1,
  actor: 'op_1',
  reason,
  action,
});
const texts = { question: 'Q?', description: '', source: '', category: 'general', imageUrl: '' };

const history: JournalRecord[] = [
  acted({ kind: 'create-market', marketId: MARKET, chainId: 1, expiration: 9, texts }),
  acted({ kind: 'edit-market', marketId: MARKET, texts: { ...texts, question: 'R?' } }),
  acted({ kind: 'halt-trading', isHalted: true }, 'upgrade'),
  acted({ kind: 'halt-trading', isHalted: false }),
  acted({ kind: 'pause-market', marketId: MARKET, isPaused: true }, 'unclear'),
  acted({ kind: 'block-wallet', wallet: ALICE, isBlocked: true }, 'a court'),
  acted({ kind: 'block-wallet', wallet: BOB, isBlocked: true }),
  acted({ kind: 'block-wallet', wallet: BOB, isBlocked: false }),
  acted({ kind: 'define-category', categoryId: 'sports', name: 'Sport' }),
  acted({ kind: 'define-category', categoryId: 'sports', name: 'Sports' }),
  acted({ kind: 'remove-category', categoryId: 'defi' }),
  acted({ kind: 'add-key', keyId: 'op_2', publicKey: createApiKeyPair().publicKeyHex, name: 'two', rights: ['read'] }),
  acted({
    kind: 'add-key',
    keyId: 'op_3',
    publicKey: createApiKeyPair().publicKeyHex,
    name: 'three',
    rights: ['keys'],
  }),
  acted({ kind: 'revoke-key', keyId: 'op_2' }),
  acted({ kind: 'retry-webhooks', letters: 2 }),
  acted({ kind: 'feature-market', marketId: MARKET, isFeatured: true }),
  acted({ kind: 'retry-failures', chainId: 1 }),
  ...['ap_1', 'ap_2', 'ap_3'].map((approvalId) =>
    acted({
      kind: 'request-approval',
      approvalId,
      operation: 'haltTrading',
      params: {},
      body: '{"halted":true}',
      action: 'halt-trading',
      expiresMs: 100,
    }),
  ),
  {
    ...acted({ kind: 'pause-market', marketId: MARKET, isPaused: true }, 'unclear'),
    approval: { id: 'ap_1', by: 'op_3' },
  },
  acted({ kind: 'reject-approval', approvalId: 'ap_2' }),
  acted({ kind: 'define-template', templateId: 'match', template: { ...texts, expires: 60, earlyResolution: false } }),
  acted({ kind: 'define-template', templateId: 'old', template: { ...texts, expires: 60, earlyResolution: false } }),
  acted({ kind: 'remove-template', templateId: 'old' }),
  ...['line 1', 'line 2', 'line 3'].map((scheduleId) =>
    acted({
      kind: 'schedule-market',
      scheduleId,
      listAt: 5,
      market: { chainId: 1, expiration: 9, texts, earlyResolution: false, feeRateBps: 0, makerShareBps: 0 },
    }),
  ),
  acted({ kind: 'create-market', marketId: OTHER, chainId: 1, expiration: 9, texts, key: 'line 1' }),
  acted({ kind: 'edit-market', marketId: OTHER, texts: { ...texts, question: 'S?' } }),
  acted({ kind: 'cancel-schedule', scheduleId: 'line 2' }),
  { type: 'clock-offset-set', timeMs: 1, offsetSeconds: 5 },
  register('key_1'),
  register('key_2'),
  beat(ALICE, 7_000),
  beat(BOB, 8_000),
  { type: 'api-key-revoked', timeMs: 1, keyId: 'key_2' },
  beat(ALICE, 0),
  { type: 'maker-set', timeMs: 1, running: true },
  ...Array.from({ length: 20_000 }, (_, index) => used(START + index)),
  { type: 'clock-offset-set', timeMs: 1, offsetSeconds: 9 },
  { type: 'maker-set', timeMs: 1, running: false },
  pin(START, 100),
  pin(START + 10, 200),
  pin(START + 400_000, null),
];

function fold(records: readonly JournalRecord[]): ControlState {
  const state = new ControlState();
  for (const record of records) state.apply(record);
  return state;
}

function follow(records: readonly JournalRecord[]) {
  const keys = new KeyRegistry();
  const tokens = new UsedTokens();
  const switches = new DeadManSwitches({ wallMs: () => 0, note: async () => undefined, onTrouble: () => undefined });
  for (const record of records) for (const follower of [keys, tokens, switches]) follower.follow(record);
  tokens.prune(START + 20_000);
  const flags = keys.ofOwner(ALICE).map(({ keyId, isRevoked }) => `${keyId} ${isRevoked}`);
  return { flags, tokens: tokens.size, armed: switches.armed, operators: followOperators(records) };
}

function followOperators(records: readonly JournalRecord[]) {
  const state = new OperatorState();
  for (const record of records) state.follow(record);
  const { halt } = state;
  const keys = state.keys().map(({ keyId, rights }) => `${keyId} ${rights}`);
  const stops = [...state.paused, ...state.blocked];
  return {
    halt,
    keys,
    stops,
    categories: state.categories(),
    texts: state.textsOf({ facts: { marketId: MARKET } as MarketFacts }),
    first: state.isFeatured(MARKET),
    waiting: state.approvals.list(50).map(({ approvalId }) => approvalId),
    templates: state.plans.templates().map(([templateId]) => templateId),
    scheduled: state.plans.scheduled().map(({ scheduleId }) => scheduleId),
    created: state.plans.created('line 1')?.marketId,
    reworded: state.questionOf(OTHER, ''),
  };
}

describe('the state of the control partition', () => {
  it('says in few records what followers would learn from all', () => {
    const compact = fold(history).records();
    expect(follow(compact)).toEqual(follow(history));
    expect(compact.length).toBeLessThan(2_000);
  });

  it('keeps of the operators what they have set and not taken back', () => {
    expect(followOperators(fold(history).records())).toMatchObject({
      halt: undefined,
      keys: ['op_3 keys'],
      stops: [
        [MARKET, 'unclear'],
        [ALICE, 'a court'],
      ],
      texts: { question: 'R?' },
      first: true,
      waiting: ['ap_3'],
      templates: ['match'],
      scheduled: ['line 3'],
      created: OTHER,
      reworded: 'S?',
    });
    const kept = fold(history)
      .records()
      .filter(({ type }) => type === 'operator-acted');
    expect(kept).toHaveLength(12);
  });

  it('forgets requests a day after they expired', () => {
    const later = { ...acted({ kind: 'halt-trading', isHalted: true }), timeMs: 86_400_101 };
    const state = new OperatorState();
    for (const record of fold([...history, later]).records()) state.follow(record);
    expect(state.approvals.find('ap_3')).toBeUndefined();
  });

  it('keeps the newest setting, and the pin that held before the kept ones', () => {
    const compact = fold(history).records();
    expect(compact.filter(({ type }) => type === 'clock-offset-set' || type === 'maker-set')).toEqual([
      { type: 'clock-offset-set', timeMs: 1, offsetSeconds: 9 },
      { type: 'maker-set', timeMs: 1, running: false },
    ]);
    expect(compact.filter(({ type }) => type === 'price-pinned')).toEqual([
      pin(START + 10, 200),
      pin(START + 400_000, null),
    ]);
  });

  it('is the same after a restart from its lines', () => {
    const state = fold(history);
    const restored = new ControlState();
    restored.restore([...state.lines()]);
    expect([...restored.lines()]).toEqual([...state.lines()]);
  });
});
