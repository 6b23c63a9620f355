// Permits for the relayer: typed data with the wallet's next nonce at the contract, signed, ready for a request body.
import { MARKET_DOMAIN_NAME, OPERATION_TYPES, type SigningDomain } from '@presage/protocol/browser';
import type { CallOptions } from '../http.ts';
import { toAddress } from '../inputs.ts';
import type { Session } from '../session.ts';
import { type SignedProof, type Signer, toProof } from '../signer.ts';
import type { ChainConfig, ContractNonce, ServiceTime } from '../types.ts';

/** With v, r and s of a key, or the signature of a wallet that is a contract. */
export type SignedPermit = SignedProof & {
  /** Unix seconds, as the relayer takes it. */
  readonly deadline: string;
};

export type Contract = 'stablecoin' | 'conditionalTokens' | 'settlement' | { readonly market: string };

export type PermitType = keyof typeof OPERATION_TYPES;
/** The fields before nonce and deadline. */
export type PermitFields = Readonly<Record<string, unknown>>;

/** Long enough to confirm in a wallet, short enough that a forgotten signature is worthless tomorrow. */
const LIFE_SECONDS = 1_800;

export class PermitService {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Permits at one contract, to be sent in the order in which they are signed. */
  async open(chain: ChainConfig, contract: Contract, options: CallOptions = {}): Promise<PermitSeries> {
    const domain = domainOf(chain, contract);
    const { now } = await this.#session.http.get<ServiceTime>('/api/v1/time', {}, options);
    // The service counts pending calls.
    const path = `/api/v1/contracts/nonce/${domain.verifyingContract}/${this.#session.signer.address}`;
    const { nonce } = await this.#session.http.get<ContractNonce>(path, { chain_id: domain.chainId }, options);
    return new PermitSeries(this.#session.signer, { domain, nonce: BigInt(nonce), deadline: now + LIFE_SECONDS });
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
