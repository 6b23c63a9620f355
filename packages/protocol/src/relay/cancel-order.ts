// Takes an order back on the chain, where nobody can settle it any more.
import Type from 'typebox';
import { MAX_UINT64 } from '../core/limits.ts';
import { Bytes32Text, Uint64Input } from '../wire/scalars.ts';
import { relayOperation, signs } from './operation.ts';
import { owned, signed } from './operation-fields.ts';

export const CancelOrderInput = Type.Object({ ...owned, marketId: Bytes32Text, orderNonce: Uint64Input, ...signed });

export const cancelOrderOperation = relayOperation({
  name: 'cancel-order',
  id: 'relayCancel',
  summary: 'Take an order back on the chain',
  description: 'By its nonce, so that after the grace nobody can settle it, whatever becomes of this service.',
  body: CancelOrderInput,
  read: (body, reader) => ({
    ...reader.owned(body.chainId, body.owner),
    marketId: reader.id(body.marketId),
    orderNonce: reader.integer('orderNonce', body.orderNonce, MAX_UINT64),
    ...reader.signature(body),
  }),
  signs: ({ owner, marketId, orderNonce, ...signature }) => [
    signs('CancelOrder', { trader: owner, marketId, orderNonce }, signature),
  ],
});
