// Records of what operators did, and what finishes acts that were interrupted.
import type { Bytes32, OperatorActed, OperatorAction } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { type ActSource, UnfinishedActs } from '../../src/operator/unfinished-acts.ts';

export const EVENT_CONTRACT = `0x${'ec'.repeat(20)}` as const;
export const EVENT_TEXTS = { question: 'Q?', description: '', source: '', category: 'general', imageUrl: '' };

export function acted(action: OperatorAction): OperatorActed {
  return { type: 'operator-acted', timeMs: 1, actor: 'op_1', reason: '', action };
}

export function createdEvent(eventId: Bytes32, outcomes: readonly string[]): OperatorActed {
  return acted({
    kind: 'create-event',
    eventId,
    contractAddress: EVENT_CONTRACT,
    chainId: 1,
    expiration: 900,
    texts: EVENT_TEXTS,
    outcomes,
    earlyResolution: false,
    feeRateBps: 0,
    makerShareBps: 0,
  });
}

/** Returns a look at what is unfinished, which resolves when it has ended. A second look meanwhile must change nothing. */
export function finisherOf(source: ActSource, isActor: (chainId?: number) => boolean = () => true) {
  const unfinished = new UnfinishedActs({ sources: [source], isActor, log: SILENT_LOG });
  return async () => {
    unfinished.look();
    unfinished.look();
    await unfinished.idle();
  };
}
