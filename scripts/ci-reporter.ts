// What CI says at its very end: the tests that passed only at a later try, and one plain line of counts.
import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

/** Written to a file rather than printed: only .ci/run knows which line is the last. @public: vitest loads it by path. */
export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const path = process.env.PRESAGE_CI_SUMMARY;
    if (path !== undefined) writeFileSync(path, `${summaryOf(modules, errors, reason).join('\n')}\n`);
  }
}

function summaryOf(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): string[] {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const passed = tests.filter((test) => test.result().state === 'passed');
  const brokenFiles = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
  const failed = tests.filter((test) => test.result().state === 'failed').length + brokenFiles.length + errors.length;
  const flaky = passed.filter((test) => test.diagnostic()?.flaky === true);
  return [
    ...flaky.map((test) => `passed only at a later try: ${nameOf(test)} (before: ${firstErrorOf(test)})`),
    // A run that was cut short has not failed any test, and is no success either.
    `${passed.length} passed, ${failed === 0 && reason !== 'passed' ? 1 : failed} failed`,
  ];
}

function firstErrorOf(test: TestCase): string {
  return test.result().errors?.[0]?.message.split('\n')[0] ?? 'no error is known';
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}
