// Our oracle by itself: bonds in, bonds out, and every refusal.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IArbitratedOracle} from "../../src/interfaces/IArbitratedOracle.sol";
import {IOptimisticOracle} from "../../src/interfaces/IOptimisticOracle.sol";
import {Oracle, Production, Stablecoin} from "./Production.sol";
import {vm} from "./Vm.sol";

contract OptimisticOracleTest {
    address private constant ARBITRATOR = address(0xa4b);
    address private constant SECOND = address(0xa4c);
    address private constant ASSERTER = address(0xa55);
    address private constant DISPUTER = address(0xd15);
    uint256 private constant MINIMUM_BOND = 1e6;
    bytes32 private constant IDENTIFIER = "ASSERT_TRUTH";
    Stablecoin private usd;
    Oracle private oracle;

    function setUp() public {
        vm.warp(1_700_000_000);
        usd = Production.deployStablecoin();
        oracle = Production.deployOracle(ARBITRATOR, SECOND, address(usd), MINIMUM_BOND);
        usd.approve(address(oracle), type(uint256).max);
        vm.prank(DISPUTER);
        usd.approve(address(oracle), type(uint256).max);
    }

    function assertClaim(bytes memory claim, uint256 bond, uint64 liveness) private returns (bytes32) {
        usd.mint(address(this), bond);
        return oracle.assertTruth(
            claim, ASSERTER, address(0), address(0), liveness, address(usd), bond, IDENTIFIER, "domain"
        );
    }

    function disputeAs(bytes32 id) private {
        usd.mint(DISPUTER, oracle.getAssertion(id).bond);
        vm.prank(DISPUTER);
        oracle.disputeAssertion(id, DISPUTER);
    }

    function testFuzz_anAssertionIsRememberedWhole(bytes memory claim, uint64 bond, uint32 liveness) public {
        uint256 amount = MINIMUM_BOND + bond;
        bytes32 id = assertClaim(claim, amount, liveness);
        IOptimisticOracle.Assertion memory made = oracle.getAssertion(id);
        require(made.asserter == ASSERTER && made.disputer == address(0) && !made.settled, "people");
        require(made.escalationManagerSettings.assertingCaller == address(this), "caller");
        require(made.assertionTime == block.timestamp, "time");
        require(made.expirationTime == block.timestamp + liveness, "window");
        require(made.bond == amount && made.currency == address(usd), "bond");
        require(made.identifier == IDENTIFIER && made.domainId == "domain", "identifier and domain");
        require(usd.balanceOf(address(oracle)) == amount, "held");
    }

    function testFuzz_bondsAreConserved(uint64 bond, uint32 liveness, bool disputed, bool truthful) public {
        uint256 amount = MINIMUM_BOND + bond;
        uint64 window = 1 + uint64(liveness);
        bytes32 id = assertClaim("claim", amount, window);
        if (disputed) {
            disputeAs(id);
            vm.prank(ARBITRATOR);
            oracle.arbitrate(id, truthful);
        } else {
            vm.warp(block.timestamp + window);
            require(oracle.settleAndGetAssertionResult(id), "undisputed is true");
        }
        require(usd.balanceOf(address(oracle)) == 0, "held");
        bool held = !disputed || truthful;
        require(oracle.getAssertionResult(id) == held && oracle.settleAndGetAssertionResult(id) == held, "result");
        require(usd.balanceOf(ASSERTER) == (disputed ? (truthful ? 2 * amount : 0) : amount), "asserter");
        require(usd.balanceOf(DISPUTER) == (disputed && !truthful ? 2 * amount : 0), "disputer");
    }

    function test_unfitAssertionsAreRefused() public {
        usd.mint(address(this), 1e9);
        vm.expectRevert(IArbitratedOracle.ZeroAsserter.selector);
        oracle.assertTruth("", address(0), address(0), address(0), 1, address(usd), 1e6, IDENTIFIER, 0);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.CurrencyNotSupported.selector, address(1)));
        oracle.assertTruth("", ASSERTER, address(0), address(0), 1, address(1), 1e6, IDENTIFIER, 0);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.IdentifierNotSupported.selector, bytes32("X")));
        oracle.assertTruth("", ASSERTER, address(0), address(0), 1, address(usd), 1e6, "X", 0);
        vm.expectRevert(IArbitratedOracle.EscalationManagerNotSupported.selector);
        oracle.assertTruth("", ASSERTER, address(0), address(1), 1, address(usd), 1e6, IDENTIFIER, 0);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.BondTooLow.selector, 1e6 - 1, 1e6));
        oracle.assertTruth("", ASSERTER, address(0), address(0), 1, address(usd), 1e6 - 1, IDENTIFIER, 0);
        bytes32 id = assertClaim("twice", 1e6, 1);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AssertionExists.selector, id));
        oracle.assertTruth("twice", ASSERTER, address(0), address(0), 1, address(usd), 1e6, IDENTIFIER, 0);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.CurrencyNotSupported.selector, address(1)));
        oracle.getMinimumBond(address(1));
    }

    function test_unfitDisputesAreRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.UnknownAssertion.selector, bytes32("?")));
        oracle.disputeAssertion("?", DISPUTER);
        bytes32 id = assertClaim("claim", 1e6, 100);
        vm.expectRevert(IArbitratedOracle.ZeroDisputer.selector);
        oracle.disputeAssertion(id, address(0));
        uint64 end = oracle.getAssertion(id).expirationTime;
        vm.warp(end);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.WindowOver.selector, end));
        oracle.disputeAssertion(id, DISPUTER);
        vm.warp(end - 1);
        disputeAs(id);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AlreadyDisputed.selector, DISPUTER));
        oracle.disputeAssertion(id, DISPUTER);
    }

    function test_unfitSettlementsAreRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.UnknownAssertion.selector, bytes32("?")));
        oracle.settleAssertion("?");
        bytes32 id = assertClaim("claim", 1e6, 100);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.NotSettled.selector, id));
        oracle.getAssertionResult(id);
        vm.warp(oracle.getAssertion(id).expirationTime);
        oracle.settleAssertion(id);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AlreadySettled.selector, id));
        oracle.settleAssertion(id);
    }

    function testFuzz_onlyTheArbitratorDecidesAndOnlyOnce(address stranger, bool truthful) public {
        vm.assume(stranger != ARBITRATOR);
        bytes32 id = assertClaim("claim", 1e6, 100);
        vm.prank(stranger);
        vm.expectRevert(IArbitratedOracle.NotArbitrator.selector);
        oracle.arbitrate(id, truthful);
        vm.startPrank(ARBITRATOR);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.NotDisputed.selector, id));
        oracle.arbitrate(id, truthful);
        vm.stopPrank();
        disputeAs(id);
        vm.startPrank(ARBITRATOR);
        oracle.arbitrate(id, truthful);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AlreadySettled.selector, id));
        oracle.arbitrate(id, !truthful);
    }

    // ---------------------------------------------------------------- an arbitrator who is absent

    function testFuzz_theSecondDecidesOnceTheArbitratorHasHadItsTime(bool truthful) public {
        bytes32 id = assertClaim("claim", 1e6, 100);
        disputeAs(id);
        uint256 passes = block.timestamp + oracle.ARBITRATION_DELAY();
        vm.warp(passes - 1);
        vm.prank(SECOND);
        vm.expectRevert(IArbitratedOracle.NotArbitrator.selector);
        oracle.arbitrate(id, truthful);
        vm.warp(passes);
        vm.prank(SECOND);
        oracle.arbitrate(id, truthful);
        require(oracle.getAssertionResult(id) == truthful, "result");
        require(usd.balanceOf(truthful ? ASSERTER : DISPUTER) == 2e6, "both bonds");
    }

    function test_theSecondDecidesNothingThatIsNotDisputed() public {
        bytes32 id = assertClaim("claim", 1e6, 100);
        vm.warp(block.timestamp + 30 days);
        vm.prank(SECOND);
        vm.expectRevert(IArbitratedOracle.NotArbitrator.selector);
        oracle.arbitrate(id, false);
    }

    function test_whatNobodyDecidesReturnsBothBonds() public {
        bytes32 id = assertClaim("claim", 1e6, 100);
        disputeAs(id);
        uint256 over = block.timestamp + oracle.RETURN_DELAY();
        vm.warp(over - 1);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AwaitsArbitrator.selector, id));
        oracle.settleAssertion(id);
        vm.warp(over);
        require(!oracle.settleAndGetAssertionResult(id), "not confirmed");
        require(usd.balanceOf(ASSERTER) == 1e6 && usd.balanceOf(DISPUTER) == 1e6, "returned");
        vm.prank(ARBITRATOR);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AlreadySettled.selector, id));
        oracle.arbitrate(id, true);
    }

    // ---------------------------------------------------------------- people who cannot be paid

    function testFuzz_whoeverCannotBePaidHoldsUpNobody(bool disputed) public {
        bytes32 id = assertClaim("claim", 1e6, 100);
        uint256 pot = disputed ? 2e6 : 1e6;
        if (disputed) disputeAs(id);
        address payee = disputed ? DISPUTER : ASSERTER;
        bytes memory payment = abi.encodeWithSignature("transfer(address,uint256)", payee, pot);
        vm.mockCall(address(usd), payment, abi.encode(false));
        vm.warp(block.timestamp + 100);
        if (disputed) {
            vm.prank(ARBITRATOR);
            oracle.arbitrate(id, false);
        } else {
            oracle.settleAssertion(id);
        }
        require(oracle.getAssertion(id).settled && oracle.owed(payee) == pot, "owed");
        vm.prank(payee);
        oracle.withdrawOwed(address(0x5afe));
        require(usd.balanceOf(address(0x5afe)) == pot && oracle.owed(payee) == 0, "withdrawn");
        vm.prank(payee);
        oracle.withdrawOwed(address(0x5afe));
        require(usd.balanceOf(address(0x5afe)) == pot, "withdrawn once");
    }

    function test_whatIsOwedIsPaidToNobodyElse() public {
        bytes32 id = assertClaim("claim", 1e6, 100);
        bytes memory payment = abi.encodeWithSignature("transfer(address,uint256)", ASSERTER, 1e6);
        vm.mockCall(address(usd), payment, abi.encode(false));
        vm.warp(block.timestamp + 100);
        oracle.settleAssertion(id);
        oracle.withdrawOwed(address(this));
        require(usd.balanceOf(address(this)) == 0, "a stranger got it");
        vm.clearMockedCalls();
        oracle.payOwed(ASSERTER);
        require(usd.balanceOf(ASSERTER) == 1e6 && oracle.owed(ASSERTER) == 0, "paid after all");
        vm.expectRevert(IArbitratedOracle.OnlySelf.selector);
        oracle.pay(address(this), 0);
    }

    /// @dev Too little gas must not turn a payment into a debt.
    function testFuzz_aPaymentIsNeverOwedForWantOfGas(uint32 gas) public {
        bytes32 id = assertClaim("claim", 1e6, 100);
        vm.warp(block.timestamp + 100);
        try oracle.settleAssertion{gas: 30_000 + gas % 500_000}(id) {
            require(usd.balanceOf(ASSERTER) == 1e6, "paid");
        } catch {}
        require(oracle.owed(ASSERTER) == 0, "owed");
    }
}
