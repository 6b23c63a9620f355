// The sandbox's own endpoints, as the documentation tells them; elsewhere these routes do not exist.
import {
  ArbitrationInput,
  CreateMarketInput,
  DisputeInput,
  FaultAnswer,
  FaultInput,
  FundAnswer,
  FundInput,
  MakerAnswer,
  MakerInput,
  Market,
  ResolutionBody,
  TimeTravelInput,
  TravelAnswer,
} from '@presage/protocol';
import type { Operation } from './operation.ts';

const sandbox = { method: 'post', tag: 'Sandbox' } as const;
const onChain = ['simulation_failed', 'chain_unavailable'] as const;

export const SANDBOX_OPERATIONS: readonly Operation[] = [
  {
    ...sandbox,
    path: '/sandbox/fund',
    id: 'fundWallet',
    summary: 'Give a wallet test money',
    body: FundInput,
    answer: FundAnswer,
    errors: onChain,
  },
  {
    ...sandbox,
    path: '/sandbox/markets',
    id: 'createSandboxMarket',
    summary: 'Make a market; answers when it is listed',
    body: CreateMarketInput,
    answer: Market,
    errors: onChain,
  },
  {
    ...sandbox,
    path: '/sandbox/time',
    id: 'travelInTime',
    summary: 'Move the clocks of service and chain forward together',
    body: TimeTravelInput,
    answer: TravelAnswer,
    errors: onChain,
  },
  {
    ...sandbox,
    path: '/sandbox/maker',
    id: 'switchMaker',
    summary: 'Start or stop the market maker that keeps the books alive',
    body: MakerInput,
    answer: MakerAnswer,
  },
  {
    ...sandbox,
    path: '/sandbox/dispute',
    id: 'disputeProposal',
    summary: 'Dispute what is proposed; answers when the service has seen it',
    body: DisputeInput,
    answer: ResolutionBody,
    errors: ['market_not_found', 'nothing_to_dispute', ...onChain],
  },
  {
    ...sandbox,
    path: '/sandbox/arbitrate',
    id: 'decideDispute',
    summary: 'Decide a dispute; answers when the service has seen it',
    body: ArbitrationInput,
    answer: ResolutionBody,
    errors: ['market_not_found', 'nothing_to_arbitrate', ...onChain],
  },
  {
    ...sandbox,
    path: '/sandbox/faults',
    id: 'setFaults',
    summary: 'Break the chain, settlement or oracle, and mend them',
    body: FaultInput,
    answer: FaultAnswer,
    errors: onChain,
  },
];
