// Keys and tokens: the checks of docs/protocol.md in their order, single use, expiry and revocation, all again after a restart.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { apiKeyMessage, PresageError, parseAddress, type TokenUsed, UsedTokens } from '@presage/protocol';
import { signBearerToken } from '@presage/protocol/ed25519';
import { openSignerRecovery } from '@presage/protocol/signer';
import { type Account, MemoryJournal, MemoryStorage, person, SILENT_LOG, waitFor } from '@presage/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { ApiKeyService } from '../../src/auth/api-key-service.ts';
import { type ApiKey, KeyRegistry } from '../../src/auth/key-registry.ts';
import { TokenChecker } from '../../src/auth/token-checker.ts';
import { ControlState } from '../../src/host/control-state.ts';
import { followRecords } from '../../src/host/follow-records.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { PartitionState } from '../../src/host/partition-state.ts';

const START = 1_800_000_000;
const recovery = await openSignerRecovery();
const signers = {
  recover: async (digest: Uint8Array, signature: Uint8Array) => recovery.recover(digest, signature),
};

/** The auth module over a journal that outlives it. */
class AuthFixture {
  nowSeconds = START;
  readonly storage = new MemoryStorage('control');
  keys = new KeyRegistry();
  tokens = new UsedTokens();
  service!: ApiKeyService;
  guard!: TokenChecker<ApiKey>;

  async restart(): Promise<this> {
    const journal = await MemoryJournal.open({ storage: this.storage, takeOver: true });
    const wallMs = () => this.nowSeconds * 1_000;
    const log = await PartitionLog.open({ journal, nowMs: wallMs, onFatal: () => undefined });
    this.keys = new KeyRegistry();
    this.tokens = new UsedTokens();
    const { keys, tokens } = this;
    const create = () => new ControlState();
    const onWarning = () => undefined;
    const { fold } = await PartitionState.open({ log, create, checkpointEvery: 2, onWarning });
    followRecords(log, fold.records(), [keys, tokens]);
    this.service = new ApiKeyService({
      serviceName: 'Presage',
      keys,
      signers,
      wallMs,
      journal: async (record) => void (await log.append([record])),
    });
    this.guard = new TokenChecker({
      keys,
      tokens,
      wallMs,
      journal: async (record) => void (await log.append([record])),
    });
    return this;
  }

  async register(account: Account, expiresAt?: number) {
    const message = apiKeyMessage('Presage', account.address);
    const signature = await account.signMessage({ message });
    return this.service.register({
      addressText: account.address,
      owner: parseAddress(account.address)!,
      signature,
      name: 'bot',
      expiresAt,
    });
  }
}

const token = (key: { keyId: string; privateKeyHex: string }, ts: number, n = randomBytes(16).toString('hex')) =>
  `Bearer ${signBearerToken({ kid: key.keyId, ts, n }, key.privateKeyHex)}`;

function refusal(work: () => unknown): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    return error instanceof PresageError ? error.message : String(error);
  }
}

describe('authentication', () => {
  let fixture: AuthFixture;
  beforeEach(async () => {
    fixture = await new AuthFixture().restart();
  });

  it('names the node that was asked in the use of a token, so that two uses at one moment are two records', async () => {
    const alice = await fixture.register(person('alice'));
    const [header, written] = [token(alice, START), [] as TokenUsed[]];
    for (const node of ['http://one', 'http://other', undefined]) {
      const journal = async (record: TokenUsed) => void written.push(record);
      const terms = { keys: fixture.keys, tokens: new UsedTokens(), wallMs: () => START * 1_000, node, journal };
      await new TokenChecker(terms).check(header).used;
    }
    expect(written.map(({ node }) => node)).toEqual(['http://one', 'http://other', undefined]);
    expect(new Set(written.map((record) => JSON.stringify(record))).size).toBe(3);
  });

  it('answers the nine texts in the order of the table', async () => {
    const alice = await fixture.register(person('alice'));
    const revoked = await fixture.register(person('alice'));
    const expiring = await fixture.register(person('alice'), START + 10);
    await fixture.service.revoke(parseAddress(person('alice').address)!, revoked.keyId);
    const good = token(alice, START);
    const forged = token({ ...alice, privateKeyHex: revoked.privateKeyHex }, START);
    fixture.nowSeconds = START + 20;
    const cases: [header: string | undefined, text: string][] = [
      [undefined, 'missing authorization header'],
      ['Basic abc', 'invalid authorization format'],
      ['Bearer', 'invalid authorization format'],
      ['Bearer a.b', 'invalid token format'],
      [token({ ...alice, keyId: 'key_unknown' }, START - 400), 'token expired'],
      [token(alice, START + 20 + 61), 'token expired'],
      [token({ ...alice, keyId: 'key_unknown' }, START), 'API key not found'],
      [token(revoked, START), 'API key is inactive'],
      [token(expiring, START), 'API key has expired'],
      [forged, 'invalid signature'],
      [good, 'ok'],
      [good, 'token already used'],
    ];
    for (const [header, text] of cases)
      expect(
        refusal(() => fixture.guard.check(header)),
        text,
      ).toBe(text);
  });

  it('remembers keys, revocations and used tokens after a restart', async () => {
    const alice = await fixture.register(person('alice'));
    const used = token(alice, START);
    const caller = fixture.guard.check(used);
    await caller.used;
    expect(caller.key.owner).toBe(parseAddress(person('alice').address));
    await fixture.restart();
    expect(refusal(() => fixture.guard.check(used))).toBe('token already used');
    expect(refusal(() => fixture.guard.check(token(alice, START)))).toBe('ok');
    await fixture.service.revoke(caller.key.owner, alice.keyId);
    await fixture.restart();
    expect(refusal(() => fixture.guard.check(token(alice, START)))).toBe('API key is inactive');
  });

  it('does not let a forger burn a nonce', async () => {
    const alice = await fixture.register(person('alice'));
    const mallory = await fixture.register(person('bob'));
    const n = randomBytes(16).toString('hex');
    expect(refusal(() => fixture.guard.check(token({ ...mallory, keyId: alice.keyId }, START, n)))).toBe(
      'invalid signature',
    );
    expect(refusal(() => fixture.guard.check(token(alice, START, n)))).toBe('ok');
  });

  it('removes a used token only when it would have expired anyway', async () => {
    const alice = await fixture.register(person('alice'));
    fixture.guard.check(token(alice, START));
    fixture.nowSeconds = START + 361;
    fixture.guard.check(token(alice, START + 361));
    expect(fixture.tokens.size).toBe(1);
  });

  it('registers only by the signature of the wallet that is named, over the address exactly as sent', async () => {
    const alice = person('alice');
    const owner = parseAddress(alice.address)!;
    const signature = await alice.signMessage({ message: apiKeyMessage('Presage', alice.address) });
    const params = { addressText: alice.address, owner, signature, name: '', expiresAt: undefined };
    await expect(fixture.service.register({ ...params, addressText: alice.address.toLowerCase() })).rejects.toThrow(
      'invalid signature',
    );
    await expect(fixture.service.register({ ...params, owner: parseAddress(person('bob').address)! })).rejects.toThrow(
      'invalid signature',
    );
    await expect(fixture.service.register({ ...params, signature: '0x12' })).rejects.toThrow('invalid signature');
    await expect(fixture.service.register(params)).resolves.toMatchObject({
      privateKeyHex: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('keeps at most ten active keys a wallet, however many are asked for at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 14 }, () => fixture.register(person('carol'))));
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(10);
    const owner = parseAddress(person('carol').address)!;
    const [first] = fixture.service.list(owner);
    await fixture.service.revoke(owner, first!.key.keyId);
    await expect(fixture.register(person('carol'))).resolves.toBeDefined();
    expect(fixture.service.list(owner).filter((key) => key.isActive).length).toBe(10);
  });

  it('lists the keys of one wallet among those of others, oldest first, with the revoked ones', async () => {
    const [alice, bob] = [person('alice'), person('bob')];
    const owner = parseAddress(alice.address)!;
    const first = await fixture.register(alice);
    await fixture.register(bob);
    const second = await fixture.register(alice);
    await fixture.service.revoke(owner, first.keyId);
    const list = () => fixture.service.list(owner).map(({ key, isActive }) => [key.keyId, isActive]);
    const expected = [
      [first.keyId, false],
      [second.keyId, true],
    ];
    expect(list()).toEqual(expected);
    await fixture.restart();
    expect(list()).toEqual(expected);
  });

  it('ends requests under way with their key, however long their bodies are held back', async () => {
    const alice = await fixture.register(person('alice'));
    const owner = parseAddress(person('alice').address)!;
    const expiring = await fixture.register(person('alice'), START + 10);
    const acted: unknown[] = [];
    const route: Route = {
      method: 'POST',
      path: '/act',
      identify: (request) => {
        request.caller = fixture.guard.check(request.headers.authorization);
        return request.caller;
      },
      handler: async ({ body }) => void acted.push(body),
    };
    const listener = new HttpListener();
    openHttpServer({ listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] }, [
      [route],
    ]);
    const port = Number(new URL(await listener.listen(0, '127.0.0.1')).port);
    onTestFinished(() => listener.close());
    const begin = async (key: typeof alice) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      const head = `Host: a\r\nConnection: close\r\nAuthorization: ${token(key, START)}\r\nContent-Type: application/json`;
      socket.write(`POST /act HTTP/1.1\r\n${head}\r\nContent-Length: 2\r\n\r\n{`);
      return socket;
    };
    const [revoked, expired] = [await begin(alice), await begin(expiring)];
    await waitFor('both tokens are checked', async () => fixture.tokens.size === 2);
    await fixture.service.revoke(owner, alice.keyId);
    fixture.nowSeconds = START + 20;
    for (const [socket, code] of [
      [revoked, 'api_key_inactive'],
      [expired, 'api_key_expired'],
    ] as const) {
      socket.write('}');
      expect(await text(socket)).toContain(`"code":"${code}"`);
    }
    expect(acted).toEqual([]);
  });

  it('revokes only one’s own', async () => {
    const alice = await fixture.register(person('alice'));
    const bob = parseAddress(person('bob').address)!;
    await expect(fixture.service.revoke(bob, alice.keyId)).rejects.toMatchObject({ code: 'api_key_not_yours' });
    await expect(fixture.service.revoke(bob, 'key_none')).rejects.toMatchObject({ code: 'not_found' });
  });
});
