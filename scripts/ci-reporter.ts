// Writes CI's final output: tests that passed only on a retry, and one line of counts; also the failed files, for another try.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

interface FileResult {
  readonly file: string;
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  /** Lines about tests that did not pass at once. */
  readonly remarks: readonly string[];
}

/** More failed files than this are not noise of the machine, and are not retried. */
const MOST_TRIED_AGAIN = 20;

/** Writes files rather than printing: only .ci/run knows which line is the last. A later run replaces the results of its files. @public: vitest loads it by path. */
export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const folder = process.env.PRESAGE_CI_RESULTS;
    if (folder === undefined) return;
    const kept = `${folder}/files.json`;
    const earlier: FileResult[] = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : [];
    const results = mergeResults(earlier, modules.map(toResult));
    writeFileSync(kept, JSON.stringify(results));
    writeFileSync(`${folder}/summary`, `${summaryOf(results, errors.length, reason).join('\n')}\n`);
    const failed = results.filter((result) => result.failed.length > 0).map(({ file }) => file);
    // An error outside of tests may come from any file.
    const isTriedAgain = errors.length === 0 && failed.length <= MOST_TRIED_AGAIN;
    writeFileSync(`${folder}/failed`, isTriedAgain ? failed.map((file) => `${file}\n`).join('') : '');
  }
}

function toResult(module: TestModule): FileResult {
  const tests = [...module.children.allTests()];
  const isBroken = module.state() === 'failed' && module.errors().length > 0;
  const broken = isBroken ? [{ name: 'the file', error: firstLineOf(module.errors()[0]?.message) }] : [];
  const failed = tests.filter((test) => test.result().state === 'failed');
  const passed = tests.filter((test) => test.result().state === 'passed');
  const flaky = passed.filter((test) => test.diagnostic()?.flaky === true);
  return {
    file: module.relativeModuleId,
    passed: passed.map((test) => test.fullName),
    failed: [...broken, ...failed.map((test) => ({ name: test.fullName, error: firstErrorOf(test) }))],
    remarks: flaky.map((test) => remarkOn(module.relativeModuleId, test.fullName, firstErrorOf(test))),
  };
}

function mergeResults(earlier: readonly FileResult[], later: readonly FileResult[]): FileResult[] {
  const untouched = earlier.filter(({ file }) => !later.some((result) => result.file === file));
  const merged = later.map((result) => {
    const before = earlier.find(({ file }) => file === result.file);
    const isWell = result.failed.length === 0;
    const mended = isWell ? (before?.failed ?? []) : [];
    const remarks = mended.map(({ name, error }) => remarkOn(result.file, name, error));
    return { ...result, remarks: [...(before?.remarks ?? []), ...result.remarks, ...remarks] };
  });
  return [...untouched, ...merged];
}

function summaryOf(results: readonly FileResult[], errors: number, reason: TestRunEndReason): string[] {
  const passed = results.reduce((sum, result) => sum + result.passed.length, 0);
  const failed = results.reduce((sum, result) => sum + result.failed.length, errors);
  // An interrupted run has no failed test, but is no success either.
  const failures = failed === 0 && reason !== 'passed' ? 1 : failed;
  return [...new Set(results.flatMap(({ remarks }) => remarks)), `${passed} passed, ${failures} failed`];
}

function remarkOn(file: string, name: string, error: string): string {
  return `passed only at a later try: ${file} > ${name} (before: ${error})`;
}

function firstErrorOf(test: TestCase): string {
  return firstLineOf(test.result().errors?.[0]?.message);
}

function firstLineOf(message: string | undefined): string {
  return message?.split('\n')[0] ?? 'no error is known';
}
