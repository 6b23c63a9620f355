// Receipts: the operator's signature of a frame, made once for all that was written in it, while the disk is busy with it.
import type { FrameSeal } from '@presage/journal';
import { type Hex, type Receipt, receiptText, type SignedFrame, toHex } from '@presage/protocol';
import type { SigningKey } from '@presage/protocol/ed25519';

type UnsignedFrame = Omit<SignedFrame, 'signature'>;

const utf8 = new TextEncoder();

export class Receipts {
  /** Public key as `/config` shows it. */
  readonly publicKey: Hex;
  readonly #key: SigningKey;
  /** Signed frames live as long as their frames, which are held until they are durable. */
  readonly #signed = new WeakMap<FrameSeal, SignedFrame>();
  /** The signature made last in each partition: a frame that is prepared and then sent to other nodes is signed once. */
  readonly #newest = new Map<string, { readonly frameHash: Hex; readonly signature: Uint8Array }>();

  constructor(key: SigningKey) {
    this.#key = key;
    this.publicKey = `0x${key.publicKeyHex}`;
  }

  /** Signs while the disk writes the frame. The signature is not released before the frame is durable. */
  readonly prepare = (frame: FrameSeal): void => {
    this.sign(frame);
  };

  /** The bare signature, for a frame that is sent to other nodes. */
  readonly signatureOf = (frame: FrameSeal): Uint8Array => this.#signatureOf(toUnsigned(frame));

  sign(frame: FrameSeal): SignedFrame {
    const known = this.#signed.get(frame);
    if (known !== undefined) return known;
    const unsigned = toUnsigned(frame);
    // The node that owns the partition has signed it with the same key, unless the frame was read from the database.
    const signature = frame.signature ?? this.#signatureOf(unsigned);
    const signed: SignedFrame = { ...unsigned, signature: toHex(signature) };
    this.#signed.set(frame, signed);
    return signed;
  }

  /** Fields are listed instead of spread, because every order passes here. */
  receiptOf(frame: FrameSeal, seq: number): Receipt {
    const { partition, firstSeq, lastSeq, frameHash, timeMs, signature } = this.sign(frame);
    return { partition, seq, firstSeq, lastSeq, frameHash, timeMs, signature };
  }

  #signatureOf(unsigned: UnsignedFrame): Uint8Array {
    const { partition, frameHash } = unsigned;
    const newest = this.#newest.get(partition);
    if (newest?.frameHash === frameHash) return newest.signature;
    const signature = this.#key.sign(utf8.encode(receiptText(unsigned)));
    this.#newest.set(partition, { frameHash, signature });
    return signature;
  }
}

function toUnsigned({ partition, firstSeq, lastSeq, timeMs, hash }: FrameSeal): UnsignedFrame {
  return { partition, firstSeq, lastSeq, frameHash: toHex(hash), timeMs };
}
