// Named bugs of the service: each is one exact change of its sources, which a seed or the named test must notice.
import { CLUSTER_MUTATIONS } from './cluster-mutations.ts';
import { EVENT_MUTATIONS } from './event-mutations.ts';
import type { Mutation } from './mutation.ts';
import { REORG_MUTATIONS } from './reorg-mutations.ts';
import { TRADING_MUTATIONS } from './trading-mutations.ts';

const HOST = 'apps/server/src/host/host.ts';
const SENDER = 'packages/chain/src/sender';
const SETTLEMENT = 'apps/server/src/settlement';
const FILES = 'packages/journal/src/file';

const SERVICE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'answers before the frame is synced',
    file: `${FILES}/segment-writer.ts`,
    find: 'await writeFully(this.#file, bytes, this.#end);\n    await this.#file.datasync();',
    replace: 'await writeFully(this.#file, bytes, this.#end);\n    void this.#file.datasync();',
  },
  {
    name: 'answers before anything is written',
    file: HOST,
    find: 'const { frame } = await this.#appendSteps(events, this.#events.takeAll(), inFrame);',
    replace: 'void this.#appendSteps(events, this.#events.takeAll(), inFrame);\n    const frame = undefined;',
  },
  {
    name: 'a failed append is hidden from what was decided on it',
    noticedBy: 'apps/server/test/host/host.test.ts',
    file: 'apps/server/src/host/partition-log.ts',
    find: 'async flushed(): Promise<void> {\n    await this.#last;',
    replace: 'async flushed(): Promise<void> {\n    await this.#last.catch(() => undefined);',
  },
  {
    name: 'a failed append stays in the state that is decided on',
    file: HOST,
    find: 'this.#engine = this.#follower.copy(this.#engineOptions);',
    replace: '',
  },
  {
    name: 'a frame that survived a failed append is not shown',
    file: 'apps/server/src/host/journal-writer.ts',
    find: 'await this.#showSurvivors();',
    replace: '',
  },
  {
    name: 'a new segment is used before its name is durable',
    noticedBy: 'packages/journal/test/power-loss.test.ts',
    file: `${FILES}/segments.ts`,
    find: 'await files.syncDir(dir);',
    replace: '',
  },
  {
    name: 'a short write counts as whole',
    file: `${FILES}/files.ts`,
    find: 'done += written;',
    replace: 'done = source.length;',
  },
  {
    name: 'cancellations are not journalled',
    file: HOST,
    find: 'if (events.length === 0) {\n      await this.#log.flushed();',
    replace:
      "if (events.every(({ type }) => type === 'order-cancelled')) {\n      this.#events.takeAll();\n      await this.#log.flushed();",
  },
  {
    name: 'a restart skips the first record after the checkpoint',
    file: HOST,
    find: 'const fromSeq = Math.max(imageSeq, checkpointSeq) + 1;',
    replace: 'const fromSeq = Math.max(imageSeq, checkpointSeq) + 2;',
  },
  {
    name: 'a checkpoint of what is decided is named by what is durable',
    file: HOST,
    find: 'const seq = this.#appliedSeq;\n    if (seq === this.#checkpointSeq) return;',
    replace: 'const seq = this.#log.lastSeq;\n    if (seq === this.#checkpointSeq) return;',
  },
  {
    name: 'a checkpoint claims one record more than it holds',
    file: HOST,
    find: 'this.#log.writeCheckpoint({ seq, stateHash, body })',
    replace: 'this.#log.writeCheckpoint({ seq: seq + 1, stateHash, body })',
  },
  {
    name: 'journal time follows a clock that jumps back',
    noticedBy: 'apps/server/test/host/host.test.ts',
    file: HOST,
    find: 'this.#lastTimeMs = Math.max(this.#lastTimeMs, this.#nowMs());\n    return',
    replace: 'this.#lastTimeMs = this.#nowMs();\n    return',
  },
  {
    name: 'a receipt names the place of another record',
    file: 'apps/server/src/host/host-commands.ts',
    find: 'receipt: this.#receipts.receiptOf(frame, firstSeq + at)',
    replace: 'receipt: this.#receipts.receiptOf(frame, firstSeq + at + 1)',
  },
  {
    name: 'what is pushed while a frame is written is lost',
    file: 'packages/journal/src/group-commit.ts',
    find: 'if (this.#waiting.length > 0) this.#start();',
    replace: 'this.#waiting = []; if (this.#waiting.length > 0) this.#start();',
  },
  {
    name: 'the newest order of a price is filled first',
    file: 'packages/engine/src/book/fast-book.ts',
    find: 'if (young === NONE || numbers[young * ORDER_NUMBERS + SEQUENCE]! < sequence) return NONE;',
    replace:
      'if (young === NONE) return NONE;\n    if (numbers[young * ORDER_NUMBERS + SEQUENCE]! < sequence) return this.#levels.head[level]!;',
  },
  {
    name: 'the buyer is blamed for what the seller lacks',
    file: `${SETTLEMENT}/fill-fault.ts`,
    find: "SELLER_FUNDS: final(\n    'seller',",
    replace: "SELLER_FUNDS: final(\n    'buyer',",
  },
  {
    name: 'a fill behind a failed one is blamed on its wallets',
    noticedBy: 'apps/server/test/settlement/batch-judgement.test.ts',
    file: `${SETTLEMENT}/batch-judgement.ts`,
    find: 'const isUncertain = fill.wasBehindUnmined || touches(fill, failedWallets);',
    replace: 'const isUncertain = false;',
  },
  {
    name: 'a trade whose fault could not be written is forgotten',
    noticedBy: 'apps/server/test/settlement/unwritten-faults.test.ts',
    file: `${SETTLEMENT}/settlement.ts`,
    find: 'if (blamed.length === 0) return;',
    replace:
      'if (blamed.length === 0) return;\n    for (const { fill } of blamed) this.#removeTrade(fill.trade.tradeId);',
  },
  {
    name: 'simulated behind unmined fills, somebody is blamed at once',
    noticedBy: 'apps/server/test/settlement/batch-judgement.test.ts',
    file: `${SETTLEMENT}/batch-judgement.ts`,
    find: 'else if (dependsOnFills(fault) && touches(fill.trade, unmined)) judgement.uncertain.push(fill);',
    replace: '',
  },
  {
    name: 'a fill that failed in its block counts as settled',
    file: `${SETTLEMENT}/batch-judgement.ts`,
    find: "if (fill.outcome.kind === 'settled') return fill.outcome;",
    replace:
      "if (fill.outcome.kind === 'settled') return fill.outcome;\n    if (fill.outcome.kind === 'failed') return { kind: 'settled', minted: 0 };",
  },
  {
    name: 'a fill that is returned is never sent again',
    file: `${SETTLEMENT}/settlement.ts`,
    find: 'for (const { trade, isUncertain } of returned) this.#takeBack(trade, isUncertain);',
    replace: 'void returned;',
  },
  {
    name: 'trades of a batch that an earlier run sent are sent again',
    file: `${SETTLEMENT}/settlement.ts`,
    find: 'if (isOpen) this.#waiting.take(tradeId);',
    replace: '',
  },
  {
    name: 'batches of an earlier run are forgotten',
    file: 'apps/server/src/chains/chain-actor.ts',
    find: 'previousBatches: history.batches,',
    replace: 'previousBatches: [],',
  },
  {
    name: 'what the sender had reserved is forgotten at a restart',
    file: 'apps/server/src/chains/senders.ts',
    find: 'snapshot: history.settler,',
    replace: '',
  },
  {
    name: 'trades of an earlier run that were never sent are forgotten',
    file: `${SETTLEMENT}/settlement.ts`,
    find: 'for (const trade of reads.unsettledTrades().sort((a, b) => a.timeMs - b.timeMs)) this.#waiting.add(trade);',
    replace: '',
  },
  {
    name: 'a transaction whose broadcast timed out is sent anew under another nonce',
    unnoticed: 'what is given up frees its own nonce, so that nothing is sent twice',
    file: `${SENDER}/nonce-broadcaster.ts`,
    find: "if (answer === 'unreachable') reachable = false;",
    replace:
      "if (answer === 'unreachable') { reachable = false; records.push(...this.#giveUp(slot, attempt, outcome)); }",
  },
  {
    name: 'bytes are sent before they are journalled',
    file: `${SENDER}/sender-ledger.ts`,
    find: 'await Promise.all(records.map((record) => this.#journal.append(record)));',
    replace: 'void Promise.all(records.map((record) => this.#journal.append(record)));',
  },
  {
    name: 'a transaction that left the chain still counts as mined',
    file: `${SENDER}/nonce-decision.ts`,
    find: 'if (facts.blockHashThere !== slot.mined.blockHash) return decideDisplaced(slot, facts);',
    replace: '',
  },
  {
    name: 'a lost transaction is never broadcast again',
    file: `${SENDER}/nonce-decision.ts`,
    find: "if (!facts.inPool) return { act: 'broadcast' };",
    replace: "if (!facts.inPool) return { act: 'wait' };",
  },
  {
    name: 'a gap in the nonces is not filled',
    noticedBy: 'packages/chain/test/sender-trouble.test.ts',
    file: `${SENDER}/nonce-worker.ts`,
    find: 'await this.#fillGaps(seen);',
    replace: '',
  },
  {
    name: 'a process forgets which blocks the one before it saw',
    file: 'apps/server/src/chains/chain.ts',
    find: 'new NodeReader(rpc, history.seenBlocks)',
    replace: 'new NodeReader(rpc)',
  },
  {
    name: 'the head goes back with a node that is behind',
    noticedBy: 'packages/chain/test/node-reader.test.ts',
    file: 'packages/chain/src/node-reader.ts',
    find: 'if (isBehind && Date.now() - newest.seenMs < SET_BACK_MS) return newest.header;',
    replace: 'void isBehind;',
  },
  {
    name: 'the gas of a call is asked of a node that is behind',
    noticedBy: 'packages/chain/test/sender-trouble.test.ts',
    file: 'packages/chain/src/node-reader.ts',
    find: 'this.#requireNewest(block);\n    return parseQuantity(resultOf(gas));',
    replace: 'return parseQuantity(resultOf(gas));',
  },
  {
    name: 'a reorg is not noticed by the watcher of logs',
    file: 'packages/chain/src/log-watcher.ts',
    find: 'if (tip !== undefined && headers[0]!.parentHash !== tip.hash) return this.#rewind(head.number);',
    replace: '',
  },
  {
    name: 'what a reorg took back is not taken back in the journal',
    file: 'apps/server/src/indexer/indexer.ts',
    find: 'await this.#noteRewind(toBlock, cause);',
    replace: '',
  },
  {
    name: 'the cursor of the logs moves on before their facts are written',
    noticedBy: 'apps/server/test/indexer/followed-blocks.test.ts',
    file: 'apps/server/src/indexer/indexer.ts',
    find: 'const begun = this.#holdBack({ ...cursor, next: blockNumber });',
    replace: 'const begun = this.#holdBack(cursor);',
  },
  {
    name: 'the facts of a block are written before its hash is',
    noticedBy: 'apps/server/test/indexer/followed-blocks.test.ts',
    file: 'apps/server/src/indexer/indexer.ts',
    find: 'if (!isSaved) await this.#save(cursor);',
    replace: '',
  },
  {
    name: 'what open orders could take is not counted against a new one',
    file: 'apps/server/src/wallets/collateral-check.ts',
    find: 'if (wallet.isKnownFor(order) && this.#judge(wallet, signed) === undefined) {',
    replace: 'if (wallet.isKnownFor(order)) {',
  },
  {
    name: 'the view believes its own cursor after a failure',
    file: 'apps/server/src/projections/projector.ts',
    find: 'const cursor = await this.#options.target.open();',
    replace: 'const cursor = Math.max(this.#waiters.reached, 0) || (await this.#options.target.open());',
  },
  {
    name: 'what the view could not keep in memory is not read back',
    file: 'apps/server/src/projections/batch-feed.ts',
    find: 'while (this.#waiting[0] !== undefined && this.#waiting[0].firstSeq <= seq && records < this.#limits.maxChunk) {',
    replace: 'while (this.#waiting[0] !== undefined && records < this.#limits.maxChunk) {',
  },
  {
    name: 'the same relayed request is sent each time it comes',
    file: 'apps/server/src/relayer/relay-book.ts',
    find: 'return this.#byOperation.get(last.operationId);\n  }\n\n  /** The name for the next attempt',
    replace: 'return undefined;\n  }\n\n  /** The name for the next attempt',
  },
  {
    name: 'a trade is confirmed with its first block',
    file: `${SENDER}/nonce-decision.ts`,
    find: "if (!slot.confirmed) return { act: depth >= policy.confirmations ? 'confirm' : 'wait' };",
    replace: "if (!slot.confirmed) return { act: 'confirm' };",
  },
];

export const MUTATIONS: readonly Mutation[] = [
  ...SERVICE_MUTATIONS,
  ...TRADING_MUTATIONS,
  ...EVENT_MUTATIONS,
  ...REORG_MUTATIONS,
  ...CLUSTER_MUTATIONS,
];
