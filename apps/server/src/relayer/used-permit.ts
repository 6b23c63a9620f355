// Finds out whether somebody else already submitted a permit: its signature is public as soon as it is sent, so anybody can.
import { type Contracts, NodeReader, type Rpc, RpcError } from '@presage/chain';
import {
  type Address,
  asHex,
  fromHex,
  type Hex,
  isObject,
  OPERATION_TYPES,
  type SigningDomain,
} from '@presage/protocol';
import { encodeEventTopics, hashTypedData, parseAbi } from 'viem';
import type { SignerLookup } from '../admission/ports.ts';
import type { ReadAt, WalletReads } from '../wallets/wallet-reads.ts';
import type { Signature } from './operations/request-reader.ts';
import { toSignatureBytes } from './signature-proof.ts';

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
  /** EIP-712 domain of the stablecoin. */
  readonly domain: SigningDomain;
}

/** Search range back from the current nonce for a permit, and in blocks for its transaction. */
const NONCES_BACK = 8n;
const BLOCKS_BACK = 5_000;
const APPROVAL_EVENT = parseAbi(['event Approval(address indexed owner, address indexed spender, uint256 value)']);

export async function isSignedWith(site: PermitSite, permit: SignedPermit, nonce: bigint): Promise<boolean> {
  const { owner, spender, value, deadline } = permit;
  const digest = hashTypedData({
    domain: site.domain,
    types: OPERATION_TYPES,
    primaryType: 'Permit',
    message: { owner, spender, value, nonce, deadline },
  });
  return (await site.signers.recover(fromHex(digest), fromHex(toSignatureBytes(permit)))) === owner;
}

/** Hash of the transaction that used the permit, empty if it cannot be found; undefined if the permit was not used or its allowance is spent. */
export async function findUsedPermit(site: PermitSite, permit: SignedPermit): Promise<Hex | '' | undefined> {
  // The pending state of a node that is behind may lack what the newest block holds.
  const isUsed = (await isUsedAt(site, permit, 'pending')) || (await isUsedAt(site, permit, 'head'));
  return isUsed ? ((await findApproval(site, permit)) ?? '') : undefined;
}

async function isUsedAt(site: PermitSite, permit: SignedPermit, at: ReadAt): Promise<boolean> {
  const { nonce, allowance } = await site.wallets.permitState(permit.owner, permit.spender, at);
  return allowance >= permit.value && (await wasUsed(site, permit, nonce));
}

async function wasUsed(site: PermitSite, permit: SignedPermit, nextNonce: bigint): Promise<boolean> {
  for (let nonce = nextNonce - 1n; nonce >= 0n && nonce >= nextNonce - NONCES_BACK; nonce--) {
    if (await isSignedWith(site, permit, nonce)) return true;
  }
  return false;
}

/** Undefined also if the node refuses to search so many blocks: the permit has its effect, whoever submitted it. */
async function findApproval(
  { rpc, contracts }: PermitSite,
  { owner, spender }: SignedPermit,
): Promise<Hex | undefined> {
  const head = await new NodeReader(rpc).head();
  const [event, ...topics] = encodeEventTopics({ abi: APPROVAL_EVENT, args: { owner, spender } });
  const filter = {
    address: contracts.stablecoin.address,
    topics: [event, ...topics],
    fromBlock: `0x${Math.max(0, head.number - BLOCKS_BACK).toString(16)}`,
    toBlock: `0x${head.number.toString(16)}`,
  };
  const logs = await rpc.request('eth_getLogs', [filter]).catch((error: unknown) => {
    if (error instanceof RpcError) return [];
    throw error;
  });
  const last: unknown = Array.isArray(logs) ? logs.at(-1) : undefined;
  return isObject(last) ? asHex(last.transactionHash) : undefined;
}
