// An expired market on our oracle, and people who sign, pay, dispute and judge.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BondPayment} from "../../src/interfaces/ISignedProposals.sol";
import {Factory, Oracle, Production, ResolvingMarket} from "./Production.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

abstract contract ResolutionFixture is SettlementFixture {
    uint64 internal constant EXPIRATION = uint64(START + 1 days);
    uint64 internal constant WINDOW = 2 hours;
    uint256 internal constant BOND = 500e6;
    uint256 internal constant MINIMUM_BOND = 1e6;
    uint256 internal constant PROPOSER = 0xa11ce;
    uint256 internal constant SPONSOR = 0x5b0;
    uint256 internal constant DISPUTER = 0xd15;
    address internal constant ARBITRATOR = address(0xa4b);
    address internal constant SECOND = address(0xa4c);
    uint8 internal constant HALF = 2;
    uint64 internal constant VOID_DELAY = 30 days;
    bytes32 internal constant PROPOSE_TYPEHASH = keccak256(
        "ProposeResolution(address market,address proposer,uint8 outcome,address payer,uint256 bond,uint32 round,uint256 nonce,uint256 deadline)"
    );
    bytes32 internal constant SPONSORED_TYPEHASH =
        keccak256("ProposeResolution(address market,address proposer,bool outcome,uint256 nonce,uint256 deadline)");
    bytes32 internal constant SETTLE_TYPEHASH =
        keccak256("SettleMarket(address market,address settler,uint8 winningOutcome,uint256 nonce,uint256 deadline)");
    bytes32 internal constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    Oracle internal oracle;
    ResolvingMarket internal market;

    function setUp() public virtual override {
        super.setUp();
        oracle = Production.deployOracle(ARBITRATOR, SECOND, address(usd), MINIMUM_BOND);
        openMarket(false, EXPIRATION);
        usd.mint(vm.addr(PROPOSER), BOND);
        usd.mint(vm.addr(SPONSOR), BOND);
        usd.mint(vm.addr(DISPUTER), BOND);
        vm.prank(vm.addr(DISPUTER));
        usd.approve(address(oracle), type(uint256).max);
    }

    /// @dev Another market in place of the last, and marketId and ids are its own.
    function openMarket(bool bondPermitRequired, uint64 expiration) internal {
        Factory factory = newFactory(bondPermitRequired);
        (bytes32 id, address created) = factory.createMarket("Will it rain?", "One millimetre.", "general", expiration);
        use(id, created);
    }

    function openEarlyMarket(uint64 expiration) internal {
        Factory factory = newFactory(false);
        (bytes32 id, address created) = factory.createEarlyMarket("Has it rained?", "Once.", "general", expiration);
        use(id, created);
    }

    function newFactory(bool bondPermitRequired) private returns (Factory factory) {
        address implementation = Production.deployMarket(
            address(shares), address(usd), address(settlement), address(oracle), bondPermitRequired, VOID_DELAY
        );
        factory = Production.deployFactory(address(this), implementation, address(settlement), BOND);
        factory.grantRole(factory.CREATOR_ROLE(), address(this));
    }

    function use(bytes32 id, address created) private {
        (marketId, market) = (id, ResolvingMarket(created));
        (ids[YES], ids[NO]) = (settlement.tokenIdOf(marketId, YES), settlement.tokenIdOf(marketId, NO));
    }

    // ---------------------------------------------------------------- what people sign

    /// @param payer the signer, or zero for a sponsor
    function signProposal(uint256 key, uint8 outcome, address payer, uint256 deadline)
        internal
        view
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        address signer = vm.addr(key);
        bytes32 structHash = keccak256(
            abi.encode(
                PROPOSE_TYPEHASH,
                market,
                signer,
                outcome,
                payer,
                market.bond(),
                market.resolution().round + 1,
                market.nonces(signer),
                deadline
            )
        );
        return signFor(key, market.DOMAIN_SEPARATOR(), structHash);
    }

    function signOwnProposal(uint256 key, uint8 outcome, uint256 deadline)
        internal
        view
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        return signProposal(key, outcome, vm.addr(key), deadline);
    }

    function signSettling(uint256 key, uint8 outcome, uint256 deadline)
        internal
        view
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        address signer = vm.addr(key);
        return signFor(
            key,
            market.DOMAIN_SEPARATOR(),
            keccak256(abi.encode(SETTLE_TYPEHASH, market, signer, outcome, market.nonces(signer), deadline))
        );
    }

    function permitOf(uint256 key) internal view returns (BondPayment memory) {
        address signer = vm.addr(key);
        uint256 deadline = block.timestamp + 1 hours;
        bytes32 structHash = keccak256(
            abi.encode(PERMIT_TYPEHASH, signer, market, market.bond(), usd.nonces(signer), deadline)
        );
        (uint8 v, bytes32 r, bytes32 s) = signFor(key, usd.DOMAIN_SEPARATOR(), structHash);
        return BondPayment(signer, deadline, v, r, s);
    }

    function noPermit(address payer) internal pure returns (BondPayment memory) {
        return BondPayment(payer, 0, 0, 0, 0);
    }

    // ---------------------------------------------------------------- what people do

    /// @dev Signed by `key`, sent and paid by whoever the payment names; everything the chain would refuse is refused.
    function propose(uint256 key, uint8 outcome, BondPayment memory payment) internal returns (bytes32) {
        uint256 deadline = block.timestamp + 1 hours;
        address signer = vm.addr(key);
        address payer = payment.payer == signer ? signer : address(0);
        (uint8 v, bytes32 r, bytes32 s) = signProposal(key, outcome, payer, deadline);
        vm.prank(payment.payer);
        return market.proposeResolutionBySig(signer, outcome, deadline, v, r, s, payment);
    }

    /// @dev A proposal as above that must fail with this reason.
    function refuse(BondPayment memory payment, uint8 outcome, bytes memory reason) internal {
        uint256 deadline = block.timestamp + 1 hours;
        address signer = vm.addr(PROPOSER);
        bytes memory signature = joinedProposal(payment.payer == signer ? signer : address(0), outcome, deadline);
        vm.prank(payment.payer);
        vm.expectRevert(reason);
        market.proposeResolutionBySig(signer, outcome, deadline, signature, payment);
    }

    function joinedProposal(address payer, uint8 outcome, uint256 deadline) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = signProposal(PROPOSER, outcome, payer, deadline);
        return abi.encodePacked(r, s, v);
    }

    function proposeOwn(uint8 outcome) internal returns (bytes32) {
        return propose(PROPOSER, outcome, permitOf(PROPOSER));
    }

    function dispute(bytes32 assertionId) internal {
        address disputer = vm.addr(DISPUTER);
        vm.prank(disputer);
        oracle.disputeAssertion(assertionId, disputer);
    }

    function arbitrate(bytes32 assertionId, bool truthful) internal {
        vm.prank(ARBITRATOR);
        oracle.arbitrate(assertionId, truthful);
    }

    function signFor(uint256 key, bytes32 domain, bytes32 structHash)
        internal
        pure
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        return vm.sign(key, keccak256(abi.encodePacked("\x19\x01", domain, structHash)));
    }
}
