// Digests that the owner of a relayed request may have signed, for any nonce.
import {
  type Address,
  DOMAIN_OF_TYPE,
  type Hex,
  MARKET_DOMAIN_NAME,
  OPERATION_TYPES,
  type OperationType,
  type SigningDomain,
  toLowerHex,
} from '@presage/protocol';
import { hashTypedData } from 'viem';
import type { HashMessage, SignedMessage } from './operations/operation.ts';
import type { SignedPart } from './ports.ts';
import { toSignatureBytes } from './signature-proof.ts';

export type SigningDomains = Readonly<Record<'settlement' | 'stablecoin' | 'conditionalTokens', SigningDomain>>;

export interface PartTerms {
  readonly fault: string;
  readonly nonce?: bigint;
  /** Digests of a message, if they are not simply its hash. */
  readonly digests?: (hash: HashMessage) => (message: object) => Promise<readonly Hex[]>;
}

/** Whether the type has a nonce; a message without one can be carried out only once by its nature. */
export function hasNonce(type: OperationType): boolean {
  return OPERATION_TYPES[type].some(({ name }) => name === 'nonce');
}

export function toSignedPart(
  domains: SigningDomains,
  owner: Address,
  signed: SignedMessage,
  { digests, ...terms }: PartTerms,
): SignedPart {
  const { type, message, signature } = signed;
  const domain = domainOf(domains, signed);
  const hash: HashMessage = (whole, types = OPERATION_TYPES) =>
    hashTypedData<Record<string, unknown>, string>({ domain, types, primaryType: type, message: { ...whole } });
  const digestsOf = digests?.(hash) ?? ((whole: object) => [hash(whole)]);
  return {
    owner,
    contract: toLowerHex(domain.verifyingContract),
    signature: toSignatureBytes(signature),
    ...(!hasNonce(type) && { nonce: 0n }),
    ...terms,
    digestsAt: (nonce) => digestsOf({ ...message, nonce, deadline: signature.deadline }),
  };
}

function domainOf(domains: SigningDomains, { type, contract }: SignedMessage): SigningDomain {
  if (contract !== undefined) return domainAt(domains, contract);
  const name = DOMAIN_OF_TYPE[type];
  if (name === 'market' || name === 'personal_sign') throw new Error(`${type} is signed without naming its contract`);
  return domains[name];
}

/** A contract that is neither the settlement nor the conditional tokens is a market. */
function domainAt({ settlement, conditionalTokens }: SigningDomains, contract: Address): SigningDomain {
  const named = [settlement, conditionalTokens].find((each) => toLowerHex(each.verifyingContract) === contract);
  return named ?? { name: MARKET_DOMAIN_NAME, version: '1', chainId: settlement.chainId, verifyingContract: contract };
}
