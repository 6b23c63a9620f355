// Handing one transaction to the node inside, the same way when it is first examined, mined, mined again and replayed.
import { asHex, type Hex } from '@presage/protocol';
import type { TransactionBody } from './chain-record.ts';
import type { EdrNode } from './edr-node.ts';

/** Puts the transaction into the node's own pool and answers its hash; throws in geth's words when it is refused. */
export async function placeTransaction(node: EdrNode, body: TransactionBody): Promise<Hex> {
  if (body.kind === 'signed') return asHex(await node.request('eth_sendRawTransaction', [body.raw]));
  await node.request('hardhat_impersonateAccount', [body.from]);
  const call = {
    from: body.from,
    ...(body.to === null ? {} : { to: body.to }),
    data: body.data,
    value: body.value,
    gas: body.gas,
    nonce: `0x${body.nonce.toString(16)}`,
    gasPrice: '0x0',
  };
  try {
    return asHex(await node.request('eth_sendTransaction', [call]));
  } finally {
    await node.request('hardhat_stopImpersonatingAccount', [body.from]);
  }
}

/** Takes a placed transaction out of the node's pool again. */
export async function withdrawTransaction(node: EdrNode, hash: Hex): Promise<void> {
  await node.request('hardhat_dropTransaction', [hash]);
}
