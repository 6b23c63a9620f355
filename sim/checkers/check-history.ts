// The journal by itself, judged by the code of `presage verify`: hash chain, signatures, every decision made again by the naive book.

import { createHash } from 'node:crypto';
import { Engine, NaiveBook } from '@presage/engine';
import { encodeFrame, type Frame } from '@presage/journal';
import { fromHex } from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { checkSolvency, HistoryCheck } from '@presage/sdk/verify';
import { FrameCheck, startOf } from '../../packages/sdk/src/verify/checks/frame-check.ts';
import type { SignedDigest } from '../../packages/sdk/src/verify/checks/order-signatures.ts';
import { Replay } from '../../packages/sdk/src/verify/checks/replay.ts';
import { toRecords } from './kept-journal.ts';

const recovery = await openSignerRecovery();
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** Throws the first violation. */
export async function checkHistory(frames: readonly Frame[], chainId: number): Promise<HistoryCheck> {
  const domains = new Map([[chainId, { name: 'PresageSettlement', version: '1' }]]);
  const signed: SignedDigest[] = [];
  const replay = new Replay(new Engine({ createBook: (look) => new NaiveBook(look) }));
  const history = new HistoryCheck({ domains, onSigned: (order) => signed.push(order) }, { replay });
  const chain = new FrameCheck(startOf('m0'), sha256);
  for (const frame of frames) {
    chain.check(encodeFrame(frame, frame.records).slice());
    await history.add(
      toRecords([frame]).map(({ record }) => record),
      frame.firstSeq,
    );
  }
  for (const { digest, signature, trader, seq } of signed) {
    const signer = recovery.recover(toBytes(digest), toBytes(signature));
    if (signer !== trader) throw new Error(`record ${seq}: an order of ${trader} was signed by ${signer}`);
  }
  checkSolvency(history.ledger);
  return history;
}

function toBytes(value: Uint8Array | string): Uint8Array {
  return typeof value === 'string' ? fromHex(value as `0x${string}`) : value;
}
