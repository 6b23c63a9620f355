// Bearer tokens are good once, on the node that accepts them and on those that only follow its records.
import { describe, expect, it } from 'vitest';
import { LIMITS, type TokenUsed, UsedTokens } from '../src/index.ts';

const START = 1_800_000_000;
const used = (index: number, issuedAt = START): TokenUsed => ({
  type: 'token-used',
  timeMs: issuedAt * 1_000,
  keyId: 'key_1',
  nonce: index.toString(16).padStart(32, '0'),
  issuedAt,
});

describe('used tokens', () => {
  it('refuse a token that was accepted before, even if its record is not durable yet', () => {
    const tokens = new UsedTokens();
    tokens.accept(used(1));
    expect(() => tokens.accept(used(1))).toThrow(expect.objectContaining({ code: 'token_already_used' }));
    tokens.accept(used(2));
  });

  it('refuse a token whose use another node wrote', () => {
    const tokens = new UsedTokens();
    tokens.follow(used(1));
    expect(() => tokens.accept(used(1))).toThrow(expect.objectContaining({ code: 'token_already_used' }));
  });

  it('keep one entry for a token that was accepted and then followed', () => {
    const tokens = new UsedTokens();
    tokens.accept(used(1));
    tokens.follow(used(1));
    expect(tokens.size).toBe(1);
  });

  it('pass records of other types', () => {
    const tokens = new UsedTokens();
    for (const _ of [1, 2]) tokens.accept({ type: 'maker-set', timeMs: 1, running: true });
    expect(tokens.size).toBe(0);
  });

  it('remember a token through its last second and drop it in the next', () => {
    const tokens = new UsedTokens();
    tokens.follow(used(1));
    tokens.prune(START + LIMITS.tokenMemorySeconds);
    expect(tokens.size).toBe(1);
    tokens.prune(START + LIMITS.tokenMemorySeconds + 1);
    expect(tokens.size).toBe(0);
  });

  it('stay bounded on a node that follows the uses of others and checks no token itself', () => {
    const tokens = new UsedTokens();
    for (let index = 0; index < 100_000; index++) tokens.follow(used(index));
    expect(tokens.size).toBe(100_000);
    tokens.follow(used(100_000, START + LIMITS.tokenMemorySeconds + 1));
    expect(tokens.size).toBe(1);
  });
});
