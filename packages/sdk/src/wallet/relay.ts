// The relay: typed data with the wallet's next nonce at the contract, signed locally and sent by the operator.
import { type Address, MARKET_DOMAIN_NAME, OPERATION_TYPES, type SigningDomain } from '@presage/protocol/browser';
import { Backoff, sleep } from '@presage/runtime';
import { PresageTransactionError } from '../errors.ts';
import { type CallOptions, throwUnlessPassing } from '../http.ts';
import { toAddress } from '../inputs.ts';
import type { Session } from '../session.ts';
import { type SignedProof, type Signer, toProof } from '../signer.ts';
import type { ChainConfig, ContractNonce, RelayedTransactionStatus, RelayerResponse, ServiceTime } from '../types.ts';

/** A signed permit: v, r and s of a key, or the signature of a contract wallet. */
export type SignedPermit = SignedProof & {
  /** Unix seconds, in the format of the relayer. */
  readonly deadline: string;
};

export type Contract = 'stablecoin' | 'conditionalTokens' | 'settlement' | { readonly market: string };

type PermitType = keyof typeof OPERATION_TYPES;
type PermitFields = Readonly<Record<string, unknown>>;

/** Long enough to confirm in a wallet, short enough that a forgotten signature is worthless tomorrow. */
const LIFE_SECONDS = 1_800;

/** The domain and content of a permit: the type's fields before nonce and deadline. */
export interface PermitTerms {
  readonly chain: ChainConfig;
  readonly contract: Contract;
  readonly type: PermitType;
  readonly fields: PermitFields;
}

/** Signs operations of the wallet and has the operator send them. */
export class Relay {
  readonly session: Session;
  /** The wallet's address in the form that is signed. */
  readonly owner: Address;
  readonly #read: ReadTransaction;

  constructor(session: Session, read: ReadTransaction) {
    this.session = session;
    this.owner = toAddress('account', session.signer.address);
    this.#read = read;
  }

  /** Opens a series of permits at one contract, to be sent in the order of signing. */
  async open(chain: ChainConfig, contract: Contract, options: CallOptions = {}): Promise<PermitSeries> {
    const domain = domainOf(chain, contract);
    const { http, signer } = this.session;
    const { now } = await http.get<ServiceTime>('/api/v1/time', {}, options);
    // The service counts pending calls.
    const path = `/api/v1/contracts/nonce/${domain.verifyingContract}/${signer.address}`;
    const { nonce } = await http.get<ContractNonce>(path, { chain_id: domain.chainId }, options);
    return new PermitSeries(signer, { domain, nonce: BigInt(nonce), deadline: now + LIFE_SECONDS });
  }

  async sign({ chain, contract, type, fields }: PermitTerms, options: CallOptions): Promise<SignedPermit> {
    return (await this.open(chain, contract, options)).sign(type, fields);
  }

  /** Signs and sends an operation; the permit becomes part of the body. */
  async send(terms: PermitTerms, path: string, body: object, options: CallOptions): Promise<RelayedTransaction> {
    const permit = await this.sign(terms, options);
    return this.post(path, { chainId: terms.chain.chainId, ...body, ...permit }, options);
  }

  async post(path: string, body: object, { signal }: CallOptions): Promise<RelayedTransaction> {
    const request = { body, signal, repeatable: 'always' } as const;
    const { tx_hash } = await this.session.post<RelayerResponse>(path, request);
    return this.follow(tx_hash);
  }

  follow(txHash: string): RelayedTransaction {
    return new RelayedTransaction(txHash, this.#read);
  }
}

export class PermitSeries {
  readonly #signer: Signer;
  readonly #domain: SigningDomain;
  readonly #deadline: number;
  #nonce: bigint;

  constructor(signer: Signer, start: { domain: SigningDomain; nonce: bigint; deadline: number }) {
    this.#signer = signer;
    this.#domain = start.domain;
    this.#nonce = start.nonce;
    this.#deadline = start.deadline;
  }

  async sign(type: PermitType, fields: PermitFields): Promise<SignedPermit> {
    const signature = await this.#signer.signTypedData({
      domain: this.#domain,
      types: { [type]: OPERATION_TYPES[type] },
      primaryType: type,
      message: { ...fields, nonce: this.#nonce, deadline: BigInt(this.#deadline) },
    });
    this.#nonce += 1n;
    return { deadline: String(this.#deadline), ...toProof(signature) };
  }
}

function domainOf(chain: ChainConfig, contract: Contract): SigningDomain {
  const { name, version, address } =
    typeof contract === 'string'
      ? chain[contract]
      : { name: MARKET_DOMAIN_NAME, version: '1', address: contract.market };
  return { name, version, chainId: chain.chainId, verifyingContract: toAddress('contract', address) };
}

type ReadTransaction = (txHash: string, options?: CallOptions) => Promise<RelayedTransactionStatus>;

const POLL = { firstMs: 150, longestMs: 2_000 };

export class RelayedTransaction {
  /** Empty if an unknown transaction of someone else already had the same effect. */
  readonly txHash: string;
  readonly #read: ReadTransaction;

  constructor(txHash: string, read: ReadTransaction) {
    this.txHash = txHash;
    this.#read = read;
  }

  /** Resolves when the transaction is confirmed; throws PresageTransactionError if it failed. Survives a restart of the service. */
  async wait({ signal }: CallOptions = {}): Promise<void> {
    const backoff = new Backoff(POLL);
    while (this.txHash !== '') {
      const seen = await this.#read(this.txHash, { signal }).catch(throwUnlessPassing);
      if (seen?.found && seen.status === 'confirmed') return;
      if (seen?.found && seen.status === 'failed') throw new PresageTransactionError(this.txHash, seen.error);
      await sleep(backoff.nextMs(), signal);
    }
  }
}
