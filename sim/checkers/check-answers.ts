// Checks the answers of clients against the journal: everything once, in the order of the answers, and nothing after its end.
import type { OrderHash } from '@presage/protocol';
import type { ClientLog } from '../actors/client-log.ts';
import type { KeptPartition, KeptRecord } from './kept-journal.ts';

/** Several nodes answer in any order: there, only an answer before the next request was sent implies an order. */
export function checkAnswers(log: ClientLog, kept: readonly KeptPartition[], isCluster: boolean): string[] {
  const records = kept.flatMap((each) => each.records);
  const order = isCluster
    ? kept.flatMap(({ partition }) => [...checkRealTime(log, partition)])
    : checkOrderOfAnswers(log);
  return [...checkPlaced(log, records), ...checkCancelled(log, records), ...order];
}

function* checkPlaced(log: ClientLog, records: readonly KeptRecord[]): Generator<string> {
  const accepted = new Map<OrderHash, number[]>();
  for (const { seq, record } of records) {
    if (record.type !== 'order-accepted') continue;
    accepted.set(record.orderHash, [...(accepted.get(record.orderHash) ?? []), seq]);
  }
  const sent = new Set(log.of('place').map(({ orderHash }) => orderHash));
  for (const [orderHash, seqs] of accepted) {
    if (seqs.length > 1) yield `order ${orderHash} was accepted ${seqs.length} times`;
    if (!sent.has(orderHash)) yield `order ${orderHash} was accepted and never sent`;
  }
  for (const { orderHash, outcome, receipt } of log.of('place')) {
    const [seq] = accepted.get(orderHash) ?? [];
    if (outcome !== 'answered') continue;
    if (seq === undefined) yield `order ${orderHash} was answered and is not in the journal`;
    else if (receipt !== undefined && receipt.seq !== seq) {
      yield `order ${orderHash} has a receipt for ${receipt.seq} and stands at ${seq}`;
    }
  }
}

/** An answered cancellation is in the journal, and the order never trades after it. */
function* checkCancelled(log: ClientLog, records: readonly KeptRecord[]): Generator<string> {
  const ended = new Map<OrderHash, number>();
  for (const { seq, record } of records) {
    if (record.type === 'order-cancelled') ended.set(record.orderHash, seq);
    if (record.type !== 'trade-matched') continue;
    for (const hash of [record.makerHash, record.takerHash]) {
      if (ended.has(hash)) yield `order ${hash} was filled at ${seq}, after its end at ${ended.get(hash)}`;
    }
  }
  for (const { orderHash, outcome } of log.of('cancel')) {
    if (outcome === 'answered' && !ended.has(orderHash)) yield `the cancel of ${orderHash} was answered and forgotten`;
  }
}

/** Earlier answers come earlier in the journal; records of one frame became durable at the same moment. */
function* checkOrderOfAnswers(log: ClientLog): Generator<string> {
  const answered = [...log.of('place'), ...log.of('cancel')].filter(({ receipt }) => receipt !== undefined);
  answered.sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));
  let last = 0;
  for (const { orderHash, receipt } of answered) {
    const { seq, firstSeq, lastSeq } = receipt!;
    if (lastSeq < last) yield `${orderHash} stands at ${seq}, and what was answered before it from ${last} on`;
    last = Math.max(last, firstSeq);
  }
}

/** A request that was answered before another was sent comes before it. */
function* checkRealTime(log: ClientLog, partition: string): Generator<string> {
  const answered = [...log.of('place'), ...log.of('cancel')].filter(({ receipt }) => receipt?.partition === partition);
  const byAnswer = answered.toSorted((a, b) => (a.answeredMs ?? 0) - (b.answeredMs ?? 0));
  const bySending = answered.toSorted((a, b) => a.sentMs - b.sentMs);
  let [at, highest] = [0, 0];
  for (const { orderHash, sentMs, receipt } of bySending) {
    for (; (byAnswer[at]?.answeredMs ?? Number.POSITIVE_INFINITY) < sentMs; at++)
      highest = Math.max(highest, byAnswer[at]?.receipt?.seq ?? 0);
    if (receipt!.seq < highest)
      yield `${orderHash} stands at ${receipt!.seq} of ${partition}, and ${highest} was answered before it was sent`;
  }
}
