// The Solidity unit and fuzz tests.
import { isLongRun } from '@presage/testkit';
import { describeSolidity } from './solidity-runner.ts';

const counts = { fuzzRuns: isLongRun ? 1_000 : 16, invariantRuns: 1, invariantDepth: 1 };

describeSolidity('Libraries.t.sol', counts);
describeSolidity('Settlement.t.sol', counts);
describeSolidity('SettlementRefusals.t.sol', counts);
describeSolidity('MarketEnds.t.sol', counts);
describeSolidity('Isolation.t.sol', counts);
describeSolidity('SettlementControls.t.sol', counts);
describeSolidity('TokenFaults.t.sol', counts);
describeSolidity('Deposits.t.sol', counts);
describeSolidity('LedgerFills.t.sol', counts);
describeSolidity('Fees.t.sol', counts);
describeSolidity('TakerTill.t.sol', counts);
describeSolidity('Leaving.t.sol', counts);
describeSolidity('Wallets.t.sol', counts);
describeSolidity('ConditionalTokens.t.sol', counts);
describeSolidity('Events.t.sol', counts);
describeSolidity('EventLives.t.sol', counts);
describeSolidity('EventResolution.t.sol', counts);
describeSolidity('Markets.t.sol', counts);
describeSolidity('PriceOracle.t.sol', counts);
describeSolidity('QuickMarkets.t.sol', counts);
describeSolidity('OptimisticOracle.t.sol', counts);
describeSolidity('Resolution.t.sol', counts);
describeSolidity('Proposals.t.sol', counts);
describeSolidity('EarlyResolution.t.sol', counts);
describeSolidity('MarketOracle.t.sol', counts);
describeSolidity('OwnerTimelock.t.sol', counts);
describeSolidity('Bonds.t.sol', counts);
