// Translates the block hashes of a node that began from a snapshot to those of the chain and back, computed from the headers.
import { type Hex, keccak256, toRlp } from 'viem';

const HASH_FIELDS = new Set(['hash', 'blockHash', 'parentHash']);

/**
 * A node that begins from a snapshot cannot be given the hash of the previous block, so the parent hash of its first
 * block, and with it every later hash, differs from the chain's. Everything else in its headers is the same (the state
 * root is the true one), so the chain's hash of each block follows from its header and the chain's hash of its parent.
 */
export class BlockNames {
  readonly #chainHashes = new Map<string, Hex>();
  readonly #nodeHashes = new Map<string, Hex>();

  constructor(nodeHash: Hex, chainHash: Hex) {
    this.#add(nodeHash, chainHash);
  }

  learn(block: HeaderView & { readonly hash: Hex }): void {
    const parent = this.#chainHashes.get(block.parentHash);
    if (!parent) throw new Error(`the node mined a block on ${block.parentHash}, which is not known`);
    this.#add(block.hash, hashHeader(block, parent));
  }

  toNode(params: readonly unknown[]): unknown[] {
    return params.map((param) => {
      if (typeof param === 'string') return this.#nodeHashes.get(param.toLowerCase()) ?? param;
      if (typeof param !== 'object' || param === null || !('blockHash' in param)) return param;
      const { blockHash } = param;
      return { ...param, blockHash: this.#nodeHashes.get(String(blockHash).toLowerCase()) ?? blockHash };
    });
  }

  /** Replaces the hashes in place: a node's answer belongs to its caller. */
  toChain(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      for (const item of value) this.toChain(item);
      return value;
    }
    // Any member of a JSON object may be replaced.
    const fields = value as Record<string, unknown>;
    for (const [name, field] of Object.entries(fields)) {
      if (typeof field === 'object') this.toChain(field);
      else if (HASH_FIELDS.has(name)) fields[name] = this.#chainHashes.get(String(field)) ?? field;
    }
    return value;
  }

  #add(nodeHash: Hex, chainHash: Hex): void {
    this.#chainHashes.set(nodeHash, chainHash);
    this.#nodeHashes.set(chainHash, nodeHash);
  }
}

/** The header fields of a block as the node returns it. */
export interface HeaderView {
  readonly parentHash: Hex;
  readonly sha3Uncles: Hex;
  readonly miner: Hex;
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
  readonly logsBloom: Hex;
  readonly difficulty: Hex;
  readonly number: Hex;
  readonly gasLimit: Hex;
  readonly gasUsed: Hex;
  readonly timestamp: Hex;
  readonly extraData: Hex;
  readonly mixHash: Hex;
  readonly nonce: Hex;
  readonly baseFeePerGas: Hex;
  readonly withdrawalsRoot: Hex;
  readonly blobGasUsed: Hex;
  readonly excessBlobGas: Hex;
  readonly parentBeaconBlockRoot: Hex;
  readonly requestsHash: Hex;
}

/** Hash of a Prague header: its fields in the order of the yellow paper and of EIP-1559, 4895, 4844, 4788 and 7685. */
function hashHeader(header: HeaderView, parentHash: Hex): Hex {
  const { sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom, extraData, mixHash, nonce } = header;
  const roots = [parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom];
  const counts = [header.difficulty, header.number, header.gasLimit, header.gasUsed, header.timestamp].map(toQuantity);
  const blobs = [toQuantity(header.blobGasUsed), toQuantity(header.excessBlobGas)];
  const later = [toQuantity(header.baseFeePerGas), header.withdrawalsRoot, ...blobs];
  const last = [header.parentBeaconBlockRoot, header.requestsHash];
  return keccak256(toRlp([...roots, ...counts, extraData, mixHash, nonce, ...later, ...last]));
}

/** RLP writes a number without leading zeros, and zero as an empty string. */
function toQuantity(value: Hex): Hex {
  const digits = BigInt(value).toString(16);
  if (digits === '0') return '0x';
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}
