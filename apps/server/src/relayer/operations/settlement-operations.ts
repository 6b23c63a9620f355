// Operations of the settlement contract: cancels, halts, deposits, and invalidating signatures.
import { checkMarket, checkMarketAt } from '../call-policy.ts';
import { toSignatureBytes } from '../signature-proof.ts';
import { relayedOperation, signs } from './operation.ts';
import { address, id, signedInput, uint64, uint256 } from './request-input.ts';

const haltInput = signedInput('HaltInput', {});

export const settlementOperations = {
  'cancel-order': relayedOperation({
    endpoint: {
      id: 'relayCancel',
      summary: 'Take an order back on the chain',
      description: 'By its nonce, so that after the grace nobody can settle it, whatever becomes of this service.',
      input: signedInput('CancelOrderInput', { marketId: id, orderNonce: uint64 }),
    },
    signs: ({ owner, marketId, orderNonce, ...signature }) => [
      signs('CancelOrder', { trader: owner, marketId, orderNonce }, signature),
    ],
    gas: 200_000n,
    check: ({ marketId }, policy) => checkMarket(policy, marketId, 'marketId'),
    call: (request, { contracts }) => {
      const { owner, marketId, orderNonce, deadline } = request;
      const args = [owner, marketId, orderNonce, deadline, toSignatureBytes(request)] as const;
      return contracts.settlement.call('requestCancelBySig', args);
    },
  }),
  'halt-trading': relayedOperation({
    endpoint: {
      id: 'relayHalt',
      summary: 'Stop every order of a wallet on the chain',
      description: 'After the grace nothing that the wallet ever signed settles, until the wallet itself resumes.',
      input: haltInput,
    },
    signs: ({ owner, ...signature }) => [signs('HaltTrading', { trader: owner }, signature)],
    gas: 200_000n,
    call: (request, { contracts }) =>
      contracts.settlement.call('haltTradingBySig', [request.owner, request.deadline, toSignatureBytes(request)]),
  }),
  'resume-trading': relayedOperation({
    endpoint: { id: 'relayResumption', summary: 'Undo a halt', input: haltInput },
    signs: ({ owner, ...signature }) => [signs('ResumeTrading', { trader: owner }, signature)],
    gas: 200_000n,
    call: (request, { contracts }) =>
      contracts.settlement.call('resumeTradingBySig', [request.owner, request.deadline, toSignatureBytes(request)]),
  }),
  // The settlement, the conditional tokens and markets have the same nonce functions.
  'invalidate-nonce': relayedOperation({
    endpoint: {
      id: 'relayInvalidation',
      summary: 'Take back what a wallet signed for its next nonce at a contract',
      description: 'The contract is the settlement, the conditional tokens or a market.',
      input: signedInput('InvalidateNonceInput', { contract: address }),
    },
    signs: ({ owner, contract, ...signature }) => [{ ...signs('InvalidateNonce', { owner }, signature), contract }],
    gas: 200_000n,
    isReadOnChain: true,
    check: ({ contract }, policy) => {
      if (contract !== policy.settlement && contract !== policy.conditionalTokens) checkMarketAt(policy, contract);
    },
    call: (request, { contracts }) => {
      const args = [request.owner, request.deadline, toSignatureBytes(request)] as const;
      return contracts.market(request.contract).call('invalidateNonceBySig', args);
    },
  }),
  // Contracts before version 4 have no deposits: the simulation refuses both operations.
  deposit: relayedOperation({
    endpoint: {
      id: 'relayDeposit',
      summary: 'Deposit stablecoin with the settlement contract',
      description:
        'By the allowance of the wallet. Its fills then cost less gas: they pay from the deposit, as long as it covers the whole of a fill, and are paid into it.',
      input: signedInput('DepositInput', { amount: uint256 }),
    },
    signs: ({ owner, amount, ...signature }) => [signs('Deposit', { trader: owner, amount }, signature)],
    gas: 300_000n,
    isReadOnChain: true,
    call: (request, { contracts }) => {
      const args = [request.owner, request.amount, request.deadline, toSignatureBytes(request)] as const;
      return contracts.settlement.call('depositBySig', args);
    },
  }),
  withdrawal: relayedOperation({
    endpoint: {
      id: 'relayWithdrawal',
      summary: 'Withdraw a deposit from the settlement contract',
      description:
        'To any address; the largest uint256 stands for everything, which also ends the opt-in. The wallet can do the same without the service, at any time.',
      input: signedInput('WithdrawalInput', { amount: uint256, to: address }),
    },
    signs: ({ owner, amount, to, ...signature }) => [
      signs('WithdrawDeposit', { trader: owner, amount, to }, signature),
    ],
    gas: 300_000n,
    isReadOnChain: true,
    call: (request, { contracts }) => {
      const { owner, amount, to, deadline } = request;
      return contracts.settlement.call('withdrawDepositBySig', [
        owner,
        amount,
        to,
        deadline,
        toSignatureBytes(request),
      ]);
    },
  }),
};
