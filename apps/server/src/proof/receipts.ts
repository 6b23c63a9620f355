// Receipts: the operator's signature of a frame, made once for all that was written in it, while the disk is still busy with it.
import type { FrameSeal } from '@presage/journal';
import { type Hex, type Receipt, receiptText, type SignedFrame, toHex } from '@presage/protocol';
import type { SigningKey } from '@presage/protocol/ed25519';

const utf8 = new TextEncoder();

export class Receipts {
  /** As `/config` shows it. */
  readonly publicKey: Hex;
  readonly #key: SigningKey;
  /** Frames are held by whoever waits for their durability: signed frames go with them. */
  readonly #signed = new WeakMap<FrameSeal, SignedFrame>();

  constructor(key: SigningKey) {
    this.#key = key;
    this.publicKey = `0x${key.publicKeyHex}`;
  }

  /** Signs on another thread; nobody waits for it. A signature is worth nothing before its frame is durable, and given to nobody. */
  readonly prepare = (frame: FrameSeal): void => {
    const unsigned = toUnsigned(frame);
    this.#key.signLater(toBytes(unsigned), (signature) => this.#keep(frame, unsigned, signature));
  };

  sign(frame: FrameSeal): SignedFrame {
    const known = this.#signed.get(frame);
    if (known !== undefined) return known;
    const unsigned = toUnsigned(frame);
    return this.#keep(frame, unsigned, this.#key.sign(toBytes(unsigned)));
  }

  /** Written out and not spread: every order passes here. */
  receiptOf(frame: FrameSeal, seq: number): Receipt {
    const { partition, firstSeq, lastSeq, frameHash, timeMs, signature } = this.sign(frame);
    return { partition, seq, firstSeq, lastSeq, frameHash, timeMs, signature };
  }

  #keep(frame: FrameSeal, unsigned: Unsigned, signature: Uint8Array): SignedFrame {
    const signed: SignedFrame = { ...unsigned, signature: toHex(signature) };
    this.#signed.set(frame, signed);
    return signed;
  }
}

type Unsigned = Omit<SignedFrame, 'signature'>;

function toUnsigned({ partition, firstSeq, lastSeq, timeMs, hash }: FrameSeal): Unsigned {
  return { partition, firstSeq, lastSeq, frameHash: toHex(hash), timeMs };
}

function toBytes(unsigned: Unsigned): Uint8Array {
  return utf8.encode(receiptText(unsigned));
}
