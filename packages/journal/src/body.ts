// What a body of the journal is made of, for one that lies outside this package.
export { AppendGate } from './append-gate.ts';
export { assertCheckpoint, assertNotAhead, CHECKPOINTS_KEPT } from './checkpoint-rules.ts';
export { FrameChain, NO_HASH } from './frame-chain.ts';
export type { CheckpointFound, FrameListener } from './journal.ts';
export { assertPartitionName } from './partition.ts';
export { toFrameRef } from './to-frame-ref.ts';
