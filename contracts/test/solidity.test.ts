// The Solidity unit and fuzz tests.
import { describeSolidity } from './solidity-runner.ts';

const counts = { fuzzRuns: process.env.PRESAGE_TEST_LONG === '1' ? 5_000 : 100, invariantRuns: 0, invariantDepth: 0 };

for (const file of ['Libraries.t.sol', 'Settlement.t.sol', 'Isolation.t.sol', 'SettlementControls.t.sol']) {
  describeSolidity(file, counts);
}
