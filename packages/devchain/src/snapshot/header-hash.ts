// The hash of a block header as every Ethereum client computes it, with the parent named by the caller.
import { type Hex, keccak256, toRlp } from 'viem';

/** A block as the node answers it; only what the header holds. */
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

/** Prague's header: its fields in the order of the yellow paper and of EIP-1559, 4895, 4844, 4788 and 7685. */
export function hashHeader(header: HeaderView, parentHash: Hex): Hex {
  const { sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom, extraData, mixHash, nonce } = header;
  const roots = [parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom];
  const counts = [header.difficulty, header.number, header.gasLimit, header.gasUsed, header.timestamp].map(toQuantity);
  const blobs = [toQuantity(header.blobGasUsed), toQuantity(header.excessBlobGas)];
  const later = [toQuantity(header.baseFeePerGas), header.withdrawalsRoot, ...blobs];
  const last = [header.parentBeaconBlockRoot, header.requestsHash];
  return keccak256(toRlp([...roots, ...counts, extraData, mixHash, nonce, ...later, ...last]));
}

/** RLP writes a number without leading zeros, and zero as nothing. */
function toQuantity(value: Hex): Hex {
  const digits = BigInt(value).toString(16);
  if (digits === '0') return '0x';
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}
