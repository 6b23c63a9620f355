// A program under plain tsx, for a test: opens a pool, recovers the signer of a shared vector, and says who it was.
import { fromHex } from '@presage/protocol';
import vectors from '../../../vectors/orders.json' with { type: 'json' };
import { SignaturePool } from '../src/signature-pool.ts';

const pool = await SignaturePool.open({ workers: 1 });
const signers = await Promise.all(
  vectors.orders.map(({ digest, signature }) => pool.recover(fromHex(digest), fromHex(signature))),
);
await pool.close();
console.log(JSON.stringify({ kind: pool.kind, signers }));
