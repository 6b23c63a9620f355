// Reports failures with their errors at once: vitest shows errors only at the end of a run, which may take two hours.
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/** @public: vitest loads it by path. */
export default class FailureReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === 'failed') sayFailed(`${test.module.relativeModuleId} > ${test.fullName}`, errors);
  }

  /** Errors outside of tests, in hooks. */
  onTestSuiteResult(suite: TestSuite): void {
    const errors = suite.errors();
    if (errors.length > 0) sayFailed(`${suite.module.relativeModuleId} > ${suite.fullName}`, errors);
  }

  /** Errors outside of suites, in an import or a hook of the file. */
  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors();
    if (errors.length > 0) sayFailed(module.relativeModuleId, errors);
  }
}

function sayFailed(name: string, errors: readonly { readonly message: string; readonly stack?: string }[]): void {
  const texts = errors.map(({ message, stack }) => stack ?? message);
  process.stderr.write(`\nFAILED at ${new Date().toISOString()}: ${name}\n${texts.join('\n')}\n\n`);
}
