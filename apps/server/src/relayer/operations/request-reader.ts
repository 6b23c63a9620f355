// Reads the fields of a well-shaped body and keeps the fault that docs/protocol.md ranks first: ranges, then addresses, then signatures.
import {
  type Address,
  type Bytes32,
  type Fault,
  HALF,
  type Hex,
  LIMITS,
  MAX_UINT8,
  MAX_UINT64,
  MAX_UINT256,
  NO,
  type ProposedOutcome,
  parseAddress,
  parseBytes32,
  toBigInteger,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';

/** Signature of a request; `v` is 27 or 28, and clients' 0 or 1 are converted. */
export interface Signature {
  readonly deadline: bigint;
  readonly v: number;
  readonly r: Bytes32;
  readonly s: Bytes32;
  /** Signature of a contract wallet (EIP-1271), which replaces v, r and s; those are zero then. */
  readonly walletSignature?: Hex;
}

/** Fields that every parsed request has. */
export interface Owned {
  readonly chainId: bigint;
  readonly owner: Address;
}

/** An integer as clients send it. */
type IntegerInput = number | bigint | string;

/** The fields of a body that hold its signature. */
interface SignatureInput {
  readonly deadline: IntegerInput;
  readonly v?: IntegerInput;
  readonly r?: string;
  readonly s?: string;
  readonly signature?: string;
}

type KeySignatureInput = Required<Omit<SignatureInput, 'signature'>>;
type KeySignatureField = keyof KeySignatureInput;
type KeySignatureNames = Readonly<Record<KeySignatureField, string>>;

const KEY_FIELDS = ['v', 'r', 's'] as const;
const NAMES: KeySignatureNames = { deadline: 'deadline', v: 'v', r: 'r', s: 's' };
const PROPOSED_OUTCOMES = [YES, NO, HALF] as const;
/** A contract wallet's signature is whole bytes, as many as the contracts take. */
const WALLET_SIGNATURE = new RegExp(`^0x([0-9a-f]{2}){1,${LIMITS.walletSignatureBytes}}$`, 'i');
/** A word of zeros: no parent collection, no signature, no id. */
export const ZERO_WORD = `0x${'00'.repeat(32)}` as const;

/** Kinds of faults in the order in which they are reported. */
const KINDS = ['shape', 'address', 'key signature', 'wallet signature'] as const;
type Kind = (typeof KINDS)[number];

export class RequestReader {
  /** The first fault of each kind. */
  readonly #faults = new Map<Kind, Fault>();
  /** Names the part of the body that is being read, with a dot behind it. */
  #part = '';

  /** The fault to report; the values that were read are meaningless then. */
  get fault(): Fault | undefined {
    const kind = KINDS.find((each) => this.#faults.has(each));
    return kind && this.#faults.get(kind);
  }

  /** Faults that `read` finds name their fields with the part that they are in, such as `redemptions.0.r`. */
  within<T>(part: string, read: () => T): T {
    this.#part = `${part}.`;
    const value = read();
    this.#part = '';
    return value;
  }

  /** Reports a field that the schema alone cannot refuse. */
  refuse(field: string | undefined, expected: string): void {
    this.#add('shape', { code: 'invalid_request_body', details: { field, expected } });
  }

  integer(field: string, input: IntegerInput, maximum = MAX_UINT256): bigint {
    const integer = toBigInteger(input, maximum);
    if (integer === undefined) this.refuse(field, `an integer from 0 to ${maximum}`);
    return integer ?? 0n;
  }

  proposedOutcome(field: string, input: IntegerInput): ProposedOutcome {
    return PROPOSED_OUTCOMES[Number(this.integer(field, input, BigInt(HALF)))] ?? HALF;
  }

  address(field: string, text: string): Address {
    const address = parseAddress(text);
    if (address === undefined) this.#add('address', { code: 'invalid_address_format', details: { field } });
    return address ?? ZERO_ADDRESS;
  }

  /** Parses an id, which the schema has checked already. */
  id(text: string): Bytes32 {
    return parseBytes32(text) ?? ZERO_WORD;
  }

  /** Parses chain and owner; `field` is the operation's name for the owner. */
  owned(chainId: IntegerInput, owner: string, field = 'owner'): Owned {
    return { chainId: this.integer('chainId', chainId, MAX_UINT64), owner: this.address(field, owner) };
  }

  /** The signature of a key in v, r and s, or that of a contract wallet in `signature`. */
  signature({ signature, deadline, v, r, s }: SignatureInput): Signature {
    if (v !== undefined && r !== undefined && s !== undefined && signature === undefined) {
      return this.keySignature({ deadline, v, r, s });
    }
    // Beside a wallet's signature, v, r and s are unused but must be well-formed.
    if (v !== undefined) this.integer('v', v, MAX_UINT8);
    if (r !== undefined) this.#signaturePart('r', r);
    if (s !== undefined) this.#signaturePart('s', s);
    const wallet = { deadline: this.integer('deadline', deadline), v: 0, r: ZERO_WORD, s: ZERO_WORD };
    if (signature === undefined) {
      const missing = KEY_FIELDS.find((name) => ({ v, r, s })[name] === undefined);
      this.refuse(missing, 'v, r and s, or the signature of a contract wallet');
      return wallet;
    }
    return { ...wallet, walletSignature: this.#walletSignature(signature) };
  }

  /** Parses the signature of a key; `names` are its fields in the body. */
  keySignature({ deadline, v, r, s }: KeySignatureInput, names = NAMES): Signature {
    const recovery = Number(this.integer(names.v, v, MAX_UINT8));
    return {
      deadline: this.integer(names.deadline, deadline),
      v: recovery < 2 ? recovery + 27 : recovery,
      r: this.#signaturePart(names.r, r),
      s: this.#signaturePart(names.s, s),
    };
  }

  #signaturePart(field: string, text: string): Bytes32 {
    const part = parseBytes32(text);
    if (part === undefined) this.#add('key signature', { code: 'invalid_signature_format', details: { field } });
    return part ?? ZERO_WORD;
  }

  #walletSignature(text: string): Hex {
    if (!WALLET_SIGNATURE.test(text)) {
      this.#add('wallet signature', { code: 'invalid_signature_format', details: { field: 'signature' } });
    }
    return `0x${text.slice(2).toLowerCase()}`;
  }

  #add(kind: Kind, fault: Fault): void {
    if (this.#faults.has(kind)) return;
    const { field } = fault.details ?? {};
    const named = typeof field === 'string' ? { ...fault.details, field: this.#part + field } : fault.details;
    this.#faults.set(kind, { ...fault, ...(named && { details: named }) });
  }
}
