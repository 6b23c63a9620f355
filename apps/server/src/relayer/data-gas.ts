// Extra gas for the bytes of a transaction on chains that charge more for them than the EVM does: Arbitrum adds a part for the chain below, at its price.
import { parseQuantity, type Rpc, RpcError } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { hexToBytes } from 'viem';

/** Highest EVM gas of a transfer with data, that of EIP-7623. */
const TRANSFER_GAS = 21_000n;
const ZERO_BYTE_GAS = 10n;
const OTHER_BYTE_GAS = 40n;
/** Margin, since the price may rise until the transaction is mined. */
const MARGIN_PERCENT = 150n;

/**
 * Gas to add to a limit that covers the execution. Estimated with a transfer of the sender to itself with the same data, which no wallet or
 * token can make more expensive. Zero on other chains, and if the node does not estimate such a transfer.
 */
export async function findDataGas(rpc: Rpc, sender: Hex, data: Hex): Promise<bigint> {
  const extra = (await estimateTransfer(rpc, sender, data)) - evmGas(data);
  return extra > 0n ? (extra * MARGIN_PERCENT) / 100n : 0n;
}

async function estimateTransfer(rpc: Rpc, sender: Hex, data: Hex): Promise<bigint> {
  try {
    return parseQuantity(await rpc.request('eth_estimateGas', [{ from: sender, to: sender, data }]));
  } catch (error) {
    if (error instanceof RpcError) return 0n;
    throw error;
  }
}

function evmGas(data: Hex): bigint {
  const bytes = hexToBytes(data);
  const zeros = bytes.filter((byte) => byte === 0).length;
  return TRANSFER_GAS + ZERO_BYTE_GAS * BigInt(zeros) + OTHER_BYTE_GAS * BigInt(bytes.length - zeros);
}
