// Permits for the relayer: typed data with the wallet's next nonce at the contract, signed, ready for a request body.
import { MARKET_DOMAIN_NAME, OPERATION_TYPES, type SigningDomain } from '@presage/protocol/browser';
import type { CallOptions } from '../http.ts';
import { toAddress } from '../inputs.ts';
import type { Session } from '../session.ts';
import { type SignatureParts, splitSignature } from '../signer.ts';
import type { ChainDescription, ContractNonce } from '../types.ts';

export interface SignedPermit extends SignatureParts {
  /** Unix seconds, as the relayer takes it. */
  readonly deadline: string;
}

export type Contract = 'stablecoin' | 'conditionalTokens' | { readonly market: string };

export interface PermitWish extends CallOptions {
  readonly contract: Contract;
  readonly type: keyof typeof OPERATION_TYPES;
  /** The fields before nonce and deadline. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** How many permits of this contract were signed before this one and not sent yet. */
  readonly ahead?: bigint;
}

/** Long enough for a person to confirm in a wallet, short enough that a forgotten signature means nothing tomorrow. */
const LIFE_SECONDS = 1_800;

export class PermitDesk {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async sign({ contract, type, fields, ahead = 0n, signal }: PermitWish): Promise<SignedPermit> {
    const domain = domainOf(await this.#session.chain(), contract);
    const nonce = (await this.#nonceAt(domain, { signal })) + ahead;
    const deadline = (await this.#session.nowSeconds({ signal })) + LIFE_SECONDS;
    const signature = await this.#session.signer.signTypedData({
      domain,
      types: { [type]: OPERATION_TYPES[type] },
      primaryType: type,
      message: { ...fields, nonce, deadline: BigInt(deadline) },
    });
    return { deadline: String(deadline), ...splitSignature(signature) };
  }

  /** Calls on their way are counted by the service. */
  async #nonceAt({ chainId, verifyingContract }: SigningDomain, options: CallOptions): Promise<bigint> {
    const path = `/api/v1/contracts/nonce/${verifyingContract}/${this.#session.signer.address}`;
    const { nonce } = await this.#session.http.get<ContractNonce>(path, { chain_id: chainId }, options);
    return BigInt(nonce);
  }
}

function domainOf(chain: ChainDescription, contract: Contract): SigningDomain {
  const { name, version, address } =
    typeof contract === 'string'
      ? chain[contract]
      : { name: MARKET_DOMAIN_NAME, version: '1', address: contract.market };
  return { name, version, chainId: chain.chainId, verifyingContract: toAddress('contract', address) };
}
