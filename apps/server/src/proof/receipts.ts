// Receipts: the operator's signature of a frame, made once for all its records while the disk writes it.
import type { FrameSeal } from '@presage/journal';
import { type Hex, type Receipt, receiptText, type SignedFrame, toHex } from '@presage/protocol';
import type { SigningKey } from '@presage/protocol/ed25519';

type UnsignedFrame = Omit<SignedFrame, 'signature'>;

const utf8 = new TextEncoder();

export class Receipts {
  /** Public key, as in `/config`. */
  readonly publicKey: Hex;
  readonly #key: SigningKey;
  /** Cache of signed frames; entries live as long as their frames, which are held until they are durable. */
  readonly #signed = new WeakMap<FrameSeal, SignedFrame>();
  /** Last signature of each partition, so that a frame that is prepared and then sent to other nodes is signed once. */
  readonly #newest = new Map<string, { readonly frameHash: Hex; readonly signature: Uint8Array }>();

  constructor(key: SigningKey) {
    this.#key = key;
    this.publicKey = `0x${key.publicKeyHex}`;
  }

  /** Signs while the disk writes the frame. The signature is not released before the frame is durable. */
  readonly prepare = (frame: FrameSeal): void => {
    this.sign(frame);
  };

  /** Signature alone, for a frame sent to other nodes. */
  readonly signatureOf = (frame: FrameSeal): Uint8Array => this.#signatureOf(toUnsigned(frame));

  sign(frame: FrameSeal): SignedFrame {
    const known = this.#signed.get(frame);
    if (known !== undefined) return known;
    const unsigned = toUnsigned(frame);
    // The partition's owner has signed it with the same key, unless the frame was read from the database.
    const signature = frame.signature ?? this.#signatureOf(unsigned);
    const signed: SignedFrame = { ...unsigned, signature: toHex(signature) };
    this.#signed.set(frame, signed);
    return signed;
  }

  /** Receipt of a record in a frame. Lists the fields instead of spreading them, because every order passes here. */
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
