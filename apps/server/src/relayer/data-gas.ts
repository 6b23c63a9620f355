// What the bytes of a transaction take on a chain that charges more for them than the EVM does: on Arbitrum a part for the chain below, at its price.
import { parseQuantity, type Rpc, RpcError } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { hexToBytes } from 'viem';

/** The most that the EVM itself charges for a transfer with data: that of EIP-7623. */
const TRANSFER_GAS = 21_000n;
const ZERO_BYTE_GAS = 10n;
const OTHER_BYTE_GAS = 40n;
/** The price may rise until the transaction is mined. */
const MARGIN_PERCENT = 150n;

/**
 * Gas to be added to a limit that covers the execution. Asked for a transfer of the sender's to itself with the same data: nothing that a
 * wallet or a token does can raise it. Zero on other chains, and where the node does not estimate such a transfer.
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
