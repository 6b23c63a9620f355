// Whether somebody else already submitted this very permit: the signature is public as soon as it is sent, so anybody can.
import { type Contracts, NodeReader, type Rpc } from '@presage/chain';
import {
  type Address,
  asHex,
  fromHex,
  type Hex,
  isObject,
  OPERATION_TYPES,
  type SigningDomain,
} from '@presage/protocol';
import { encodeEventTopics, hashTypedData, parseAbi, serializeSignature } from 'viem';
import type { SignerLookup } from '../admission/ports.ts';
import type { WalletReads } from '../wallets/wallet-reads.ts';
import type { Signature } from './operations/request-reader.ts';

export interface SignedPermit extends Signature {
  readonly owner: Address;
  readonly spender: Address;
  readonly value: bigint;
}

export interface PermitSite {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly signers: SignerLookup;
  readonly wallets: Pick<WalletReads, 'permitState'>;
  /** The stablecoin's. */
  readonly domain: SigningDomain;
}

/** How many nonces back a permit is looked for, and how many blocks back its transaction. */
const NONCES_BACK = 8n;
const BLOCKS_BACK = 5_000;
const APPROVAL_EVENT = parseAbi(['event Approval(address indexed owner, address indexed spender, uint256 value)']);

export async function isSignedWith(site: PermitSite, permit: SignedPermit, nonce: bigint): Promise<boolean> {
  const { owner, spender, value, deadline, v, r, s } = permit;
  const digest = hashTypedData({
    domain: site.domain,
    types: OPERATION_TYPES,
    primaryType: 'Permit',
    message: { owner, spender, value, nonce, deadline },
  });
  const signature = serializeSignature({ r, s, v: BigInt(v) });
  return (await site.signers.recover(fromHex(digest), fromHex(signature))) === owner;
}

/** The hash of the transaction that used it, empty where it cannot be found; undefined when it was not used, or its allowance is spent. */
export async function findUsedPermit(site: PermitSite, permit: SignedPermit): Promise<Hex | '' | undefined> {
  const { nonce, allowance } = await site.wallets.permitState(permit.owner, permit.spender);
  if (allowance < permit.value || !(await wasUsed(site, permit, nonce))) return undefined;
  return (await findApproval(site, permit)) ?? '';
}

async function wasUsed(site: PermitSite, permit: SignedPermit, nextNonce: bigint): Promise<boolean> {
  for (let nonce = nextNonce - 1n; nonce >= 0n && nonce >= nextNonce - NONCES_BACK; nonce--) {
    if (await isSignedWith(site, permit, nonce)) return true;
  }
  return false;
}

async function findApproval(
  { rpc, contracts }: PermitSite,
  { owner, spender }: SignedPermit,
): Promise<Hex | undefined> {
  const head = await new NodeReader(rpc).head();
  const [event, ...topics] = encodeEventTopics({ abi: APPROVAL_EVENT, args: { owner, spender } });
  const logs = await rpc.request('eth_getLogs', [
    {
      address: contracts.stablecoin.address,
      topics: [event, ...topics],
      fromBlock: `0x${Math.max(0, head.number - BLOCKS_BACK).toString(16)}`,
      toBlock: `0x${head.number.toString(16)}`,
    },
  ]);
  const last: unknown = Array.isArray(logs) ? logs.at(-1) : undefined;
  return isObject(last) ? asHex(last.transactionHash) : undefined;
}
