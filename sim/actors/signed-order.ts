// An order as a client signs and sends it.
import type { Order, OrderHash } from '@presage/protocol';
import type { SignDigest } from '@presage/protocol/digest-signer';
import type { World } from '../world/world.ts';

export interface Submission {
  readonly order: Record<string, unknown>;
  readonly signature: string;
}

export function signOrder<Terms extends object>(
  { template }: World,
  sign: SignDigest,
  signed: Order,
  terms: Terms,
): { readonly orderHash: OrderHash; readonly body: Submission & Terms } {
  const orderHash = template.orderHasher.orderHash(signed);
  const order = { ...signed, expiration: Number(signed.expiration) };
  return { orderHash, body: { order, signature: sign(orderHash), ...terms } };
}
