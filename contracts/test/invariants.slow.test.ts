// The Solidity invariants, under random sequences of calls.
import { isLongRun } from '@presage/testkit';
import { describeSolidity } from './solidity-runner.ts';

const isLong = isLongRun;

// Each of the four invariants has a campaign of its own: 256,000 calls in a long run. A run shorter than about 75 calls seldom
// reaches the market's resolution; four such runs notice what mutations.md says that the invariants notice.
describeSolidity('Invariants.t.sol', {
  fuzzRuns: 1,
  invariantRuns: isLong ? 320 : 4,
  invariantDepth: isLong ? 200 : 100,
});
