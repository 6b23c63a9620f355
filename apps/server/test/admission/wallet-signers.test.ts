// Orders of wallets that are contracts at admission: when the chain is asked, what is kept, and what is refused.
import { PresageError, type SignedOrder, unmarkWalletSignature } from '@presage/protocol';
import { SignaturePool } from '@presage/signers';
import { serializeErc6492Signature } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../../src/admission/admission.ts';
import { EngineCommandPort } from './engine-command-port.ts';
import { alice, aliceBuysYes, bob, DOMAIN, MARKET, signBy } from './signed-bodies.ts';

const WALLET = `0x${'c0'.repeat(20)}` as const;
const LONG = `0x${'ab'.repeat(130)}` as const;

let pool: SignaturePool;
let admission: Admission;
let placed: SignedOrder[];
let asked: string[];
/** What the wallet stands by; undefined while the chain is unreachable. */
let accepted: string | undefined;

beforeAll(async () => {
  pool = await SignaturePool.open({ workers: 1 });
});
afterAll(() => pool.close());

beforeEach(async () => {
  [placed, asked, accepted] = [[], [], LONG];
  const traders = new EngineCommandPort();
  traders.list({ marketId: MARKET });
  const placeOrder: EngineCommandPort['placeOrder'] = (signed) => {
    placed.push(signed);
    return traders.placeOrder(signed);
  };
  const wallets = {
    isSigned: async (wallet: string, _digest: string, signature: string) => {
      asked.push(wallet);
      if (accepted === undefined) throw new Error('unreachable');
      return wallet === WALLET && signature === accepted;
    },
    hasCode: async (wallet: string) => wallet === WALLET,
  };
  admission = new Admission({
    ...traders,
    signers: pool,
    commands: { placeOrder, placeAtomic: (orders) => traders.placeAtomic(orders) },
  });
  await admission.addChain({ domain: DOMAIN, minOrderSize: 1, wallets });
});

const codeOf = (body: unknown) =>
  admission.submit(body).then(
    ({ replayed }) => (replayed ? 'replayed' : 'accepted'),
    (error: unknown) => (error instanceof PresageError ? error.code : String(error)),
  );

describe('an order', () => {
  it('signed by a key needs no call to the chain', async () => {
    expect(await codeOf(await signBy(alice, aliceBuysYes()))).toBe('accepted');
    expect(asked).toEqual([]);
  });

  it('of a contract is kept with its own signature, and is the same order when it comes again', async () => {
    const body = { order: aliceBuysYes({ trader: WALLET }), signature: LONG };
    expect(await codeOf(body)).toBe('accepted');
    expect(unmarkWalletSignature(placed[0]!.signature)).toBe(LONG);
    expect(await codeOf(body)).toBe('replayed');
    expect(asked).toEqual([WALLET]);
  });

  it('of a contract may be signed in 65 bytes that are somebody else’s as a key', async () => {
    const { order, signature } = await signBy(bob, aliceBuysYes({ trader: WALLET }));
    accepted = signature;
    expect(await codeOf({ order, signature })).toBe('accepted');
    expect(unmarkWalletSignature(placed[0]!.signature)).toBe(signature);
    expect(await codeOf({ order, signature })).toBe('replayed');
  });

  it('of a contract that is yet to be deployed is kept with what the deployed one will be asked about', async () => {
    accepted = serializeErc6492Signature({ address: WALLET, data: '0x1234', signature: LONG });
    expect(await codeOf({ order: aliceBuysYes({ trader: WALLET }), signature: accepted })).toBe('accepted');
    expect(unmarkWalletSignature(placed[0]!.signature)).toBe(LONG);
  });

  it('is refused as before if no contract confirms it', async () => {
    const stranger = await signBy(bob, aliceBuysYes());
    expect(await codeOf(stranger)).toBe('invalid_signature');
    expect(await codeOf({ ...stranger, signature: LONG })).toBe('invalid_signature_length');
    expect(await codeOf({ order: aliceBuysYes({ trader: WALLET }), signature: `${LONG}00` })).toBe('invalid_signature');
  });

  it('of a contract waits for the chain; a key’s that is wrong does not', async () => {
    accepted = undefined;
    expect(await codeOf({ order: aliceBuysYes({ trader: WALLET }), signature: LONG })).toBe('chain_unavailable');
    expect(await codeOf(await signBy(bob, aliceBuysYes()))).toBe('invalid_signature');
    expect(await codeOf(await signBy(alice, aliceBuysYes()))).toBe('accepted');
  });
});
