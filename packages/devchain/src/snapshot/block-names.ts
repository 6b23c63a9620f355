// Gives the blocks of a node that began from a snapshot the hashes they have on the chain, in both directions.
import type { Hex } from '@presage/protocol';
import { type HeaderView, hashHeader } from './header-hash.ts';

const HASH_FIELDS = new Set(['hash', 'blockHash', 'parentHash']);

/**
 * A node that begins from a snapshot cannot be given the hash of the block before, so the parent hash of its first block, and
 * with it every later hash, differs from the chain's. Everything else in its headers is the same (the state root is the true one),
 * so the chain's hash of each block follows from its header and the chain's hash of its parent.
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

  /** The same object with its hashes replaced: what a node answered belongs to its caller. */
  toChain(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      for (const item of value) this.toChain(item);
      return value;
    }
    // Any member of an object out of JSON may be replaced.
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
