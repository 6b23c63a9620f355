// Our oracle's ABI matches UMA's: every function and event that both have is the same, including indexed fields.
import { type AbiEvent, type AbiFunction, type AbiParameter, toEventSelector, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { optimisticOracleAbi } from '../generated/abi.ts';
import { umaOracleAbi } from './uma-oracle.ts';

type Item = AbiFunction | AbiEvent;

/** Present only in our oracle. */
const owing = ['PaymentOwed', 'pay', 'payOwed', 'withdrawOwed', 'owed'];
const waiting = ['secondArbitrator', 'ARBITRATION_DELAY', 'RETURN_DELAY'];
const additions = ['arbitrate', 'arbitrator', ...waiting, 'currency', 'minimumBond', ...owing];
const common = [...optimisticOracleAbi].filter(
  (item) => (item.type === 'function' || item.type === 'event') && !additions.includes(item.name),
) as Item[];

describe("our oracle's ABI", () => {
  it('has everything that a market and an indexer use', () => {
    expect(common.map(({ name }) => name).sort()).toEqual([
      'AssertionDisputed',
      'AssertionMade',
      'AssertionSettled',
      'assertTruth',
      'defaultIdentifier',
      'disputeAssertion',
      'getAssertion',
      'getAssertionResult',
      'getMinimumBond',
      'settleAndGetAssertionResult',
      'settleAssertion',
    ]);
  });

  it.each(common.map((item) => [item.name, item] as const))("has UMA's %s", (name, ours) => {
    const theirs = umaOracleAbi.find((item) => item.type === ours.type && 'name' in item && item.name === name) as Item;
    expect(selectorOf(ours)).toBe(selectorOf(theirs));
    expect(shapeOf(ours)).toEqual(shapeOf(theirs));
  });
});

function selectorOf(item: Item): string {
  return item.type === 'function' ? toFunctionSelector(item) : toEventSelector(item);
}

function shapeOf(item: Item): unknown {
  const inputs = item.inputs.map(typeOf);
  return item.type === 'event' ? inputs : [inputs, item.outputs.map(typeOf)];
}

/** Names matter inside a struct only, where viem makes them keys. */
function typeOf(parameter: AbiParameter & { indexed?: boolean | undefined }): unknown {
  const { type, indexed = false } = parameter;
  const components = 'components' in parameter ? parameter.components : [];
  return { type, indexed, components: components.map((component) => [component.name, typeOf(component)]) };
}
