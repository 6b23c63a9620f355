// Settles a market after its dispute window.
import Type from 'typebox';
import { Uint64Input } from '../wire/scalars.ts';
import { type RequestOf, relayOperation, signs } from './operation.ts';
import { AddressField, ProposedOutcomeInput, signed } from './operation-fields.ts';

export const SettleMarketInput = Type.Object({
  chainId: Uint64Input,
  marketAddress: AddressField,
  settler: AddressField,
  winningOutcome: ProposedOutcomeInput,
  ...signed,
});

export type SettleMarketRequest = RequestOf<typeof settleMarketOperation>;

export const settleMarketOperation = relayOperation({
  name: 'settle-market',
  id: 'relaySettling',
  summary: 'Settle a market after its dispute window',
  description: 'Of a market that is settled with that outcome already, the answer is the transaction that settled it.',
  body: SettleMarketInput,
  read: (body, reader) => ({
    ...reader.owned(body.chainId, body.settler, 'settler'),
    marketAddress: reader.address('marketAddress', body.marketAddress),
    winningOutcome: reader.proposedOutcome('winningOutcome', body.winningOutcome),
    ...reader.signature(body),
  }),
  signs: ({ owner, marketAddress: market, winningOutcome, ...signature }) => [
    { ...signs('SettleMarket', { market, settler: owner, winningOutcome }, signature), contract: market },
  ],
});
