// Recorded acts are finished one after the other, and a shutdown waits for no more than the one under way.
import { SILENT_LOG } from '@presage/testkit';
import { expect, it } from 'vitest';
import { UnfinishedActs } from '../../src/operator/unfinished-acts.ts';

it('a shutdown waits for the act under way, and leaves the others to the next start', async () => {
  let reach = () => {};
  const isReachable = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const begun: string[] = [];
  const toAct = (marketId: string) => {
    const finish = () => {
      begun.push(marketId);
      return isReachable;
    };
    return { subject: { marketId }, finish };
  };
  const source = { unfinished: () => ['one', 'another'].map(toAct) };
  const unfinished = new UnfinishedActs({ sources: [source], isActor: () => true, log: SILENT_LOG });
  unfinished.start();
  const closed = unfinished.close();
  reach();
  await closed;
  expect(begun).toEqual(['one']);
});
