// Hands each result of a Solidity suite to vitest as a test of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult } from '@nomicfoundation/edr';
import { beforeAll, describe, expect, it } from 'vitest';
import { runSuite, type SolidityCounts, seed } from './run-suite.ts';

/** The invariants at full count took more than an hour beside everything else on two cores. */
const LIMIT_MS = 4 * 3_600_000;

/** Describes every `test…` and `invariant…` function of a file of `test/solidity`, titled by its name as a sentence. */
export function describeSolidity(file: string, counts: SolidityCounts): void {
  const source = readFileSync(join(import.meta.dirname, 'solidity', file), 'utf8');
  const names = [...source.matchAll(/function ((?:test|testFuzz|invariant)_\w+)\(/g)].map(([, name]) => name!);
  describe(file, () => {
    let results: readonly TestResult[] = [];
    beforeAll(async () => {
      results = await runSuite(file, counts);
    }, LIMIT_MS);
    it.each(names.map((name) => [toSentence(name), name]))('%s', (_title, name) => {
      const result = results.find((candidate) => candidate.name.startsWith(`${name}(`));
      expect(result, results.map(explain).join('\n')).toBeDefined();
      expect(result!.status, explain(result!)).toBe('Success');
    });
  });
}

function toSentence(name: string): string {
  const words = name.slice(name.indexOf('_') + 1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return name.startsWith('testFuzz') ? `${words} (fuzzed)` : words;
}

function explain(result: TestResult): string {
  const { counterexample } = result;
  if (!counterexample) return `${result.name}: ${result.reason}`;
  const calls = 'sequence' in counterexample ? counterexample.sequence : [counterexample];
  const trail = calls.map((call) => `${call.signature ?? ''}(${call.args ?? ''})`).join('\n  ');
  return `${result.name}: ${result.reason}, seed ${seed}\n  ${trail}`;
}
