// Receipts: the operator's signature of a frame, made once for all that was written in it, while the disk is busy with it.
import type { FrameSeal } from '@presage/journal';
import { type Hex, type Receipt, receiptText, type SignedFrame, toHex } from '@presage/protocol';
import type { SigningKey } from '@presage/protocol/ed25519';

const utf8 = new TextEncoder();

export class Receipts {
  /** Public key as `/config` shows it. */
  readonly publicKey: Hex;
  readonly #key: SigningKey;
  /** Signed frames live as long as their frames, which are held until they are durable. */
  readonly #signed = new WeakMap<FrameSeal, SignedFrame>();

  constructor(key: SigningKey) {
    this.#key = key;
    this.publicKey = `0x${key.publicKeyHex}`;
  }

  /** Signs while the disk writes the frame. The signature is not released before the frame is durable. */
  readonly prepare = (frame: FrameSeal): void => {
    this.sign(frame);
  };

  sign(frame: FrameSeal): SignedFrame {
    const known = this.#signed.get(frame);
    if (known !== undefined) return known;
    const { partition, firstSeq, lastSeq, timeMs, hash } = frame;
    const unsigned = { partition, firstSeq, lastSeq, frameHash: toHex(hash), timeMs };
    const signature = toHex(this.#key.sign(utf8.encode(receiptText(unsigned))));
    const signed: SignedFrame = { ...unsigned, signature };
    this.#signed.set(frame, signed);
    return signed;
  }

  /** Fields are listed instead of spread, because every order passes here. */
  receiptOf(frame: FrameSeal, seq: number): Receipt {
    const { partition, firstSeq, lastSeq, frameHash, timeMs, signature } = this.sign(frame);
    return { partition, seq, firstSeq, lastSeq, frameHash, timeMs, signature };
  }
}
