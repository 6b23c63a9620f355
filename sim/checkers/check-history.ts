// Checks the journal alone, with the code of `presage verify`: hash chain, signatures, every decision repeated by the model engine.

import { createHash } from 'node:crypto';
import { encodeFrame, type Frame } from '@presage/journal';
import { type EngineCommand, type EngineEvent, type EngineOutput, fromHex, toHex } from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { checkEvents, checkSolvency, HistoryCheck } from '@presage/sdk/verify';
import { ModelEngine } from '@presage/testkit';
import { FrameCheck, startOf } from '../../packages/sdk/src/verify/checks/frame-check.ts';
import type { SignedDigest } from '../../packages/sdk/src/verify/checks/order-signatures.ts';
import { Replay } from '../../packages/sdk/src/verify/checks/replay.ts';
import { toRecords } from './kept-journal.ts';

const recovery = await openSignerRecovery();
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** The model decides; the service's engine follows it and is read. */
class ModelReplay extends Replay {
  readonly model = new ModelEngine();

  protected override decide(command: EngineCommand): readonly EngineOutput[] {
    return this.model.decide(command);
  }

  protected override evolve(event: EngineEvent, seq: number): void {
    super.evolve(event, seq);
    this.model.evolve(event, seq);
  }
}

/** Checks a journal, and later the frames added since. */
export class JournalJudge {
  readonly history: HistoryCheck;
  readonly #replay = new ModelReplay();
  readonly #chain: FrameCheck;
  #signed: SignedDigest[] = [];

  constructor(chainId: number, partition: string) {
    this.#chain = new FrameCheck(startOf(partition), sha256);
    const domains = new Map([[chainId, { name: 'PresageSettlement', version: '1' }]]);
    this.history = new HistoryCheck(
      { domains, onSigned: (order) => this.#signed.push(order) },
      { replay: this.#replay },
    );
  }

  /** Hash of the state that the records produce. */
  get stateHash(): string {
    return this.#replay.model.stateHash();
  }

  /** Takes all frames; those checked before must still be there. Throws the first violation. */
  async judge(frames: readonly Frame[]): Promise<void> {
    const { lastSeq, frameHash } = this.#chain.point;
    const judged = frames.findLast(({ firstSeq }) => firstSeq <= lastSeq);
    if (lastSeq > 0 && (judged === undefined || toHex(judged.hash) !== frameHash))
      throw new Error(`record ${lastSeq} is no longer in the journal as it was`);
    for (const frame of frames) if (frame.firstSeq > lastSeq) await this.#add(frame);
    for (const { digest, signature, trader, seq } of this.#signed) {
      const signer = recovery.recover(toBytes(digest), toBytes(signature));
      if (signer !== trader) throw new Error(`record ${seq}: an order of ${trader} was signed by ${signer}`);
    }
    this.#signed = [];
    checkEvents(this.history.ledger);
    checkSolvency(this.history.ledger);
  }

  async #add(frame: Frame): Promise<void> {
    this.#chain.check(encodeFrame(frame, frame.records).slice());
    await this.history.add(
      toRecords([frame]).map(({ record }) => record),
      frame.firstSeq,
    );
  }
}

function toBytes(value: Uint8Array | string): Uint8Array {
  return typeof value === 'string' ? fromHex(value) : value;
}
