// The Solidity invariants, under random sequences of calls.
import { describeSolidity } from './solidity-runner.ts';

const isLong = process.env.PRESAGE_TEST_LONG === '1';

describeSolidity('Invariants.t.sol', {
  fuzzRuns: 1,
  invariantRuns: isLong ? 100 : 6,
  invariantDepth: isLong ? 200 : 40,
});
