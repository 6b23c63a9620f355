// The signed operations of the conditional tokens, their callbacks, and the paths of an exchange.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens, SignedRedemption} from "../../src/interfaces/IConditionalTokens.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {IERC1155} from "../../src/interfaces/IERC1155.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {Vm, vm} from "./Vm.sol";

/// @dev A contract that holds shares only if it says so.
contract Receiver {
    bool public willing;
    uint256 public asked;

    constructor(bool willing_) {
        willing = willing_;
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external returns (bytes4) {
        ++asked;
        return willing ? this.onERC1155Received.selector : bytes4(0);
    }

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        returns (bytes4)
    {
        ++asked;
        return willing ? this.onERC1155BatchReceived.selector : bytes4(0);
    }
}

contract ConditionalTokensTest is SettlementFixture {
    uint256 private constant KEY = 77;
    address private owner;
    uint256 private deadline;

    function setUp() public override {
        super.setUp();
        owner = vm.addr(KEY);
        deadline = START + 100;
        usd.mint(owner, RICH);
        vm.prank(owner);
        usd.approve(address(shares), type(uint256).max);
    }

    // ---------------------------------------------------------------- partitions

    /// @dev Two sets that share an outcome would give that outcome twice for one payment.
    function test_overlappingPartsMintNothing() public {
        bytes32 three = prepareThree();
        requireRefused(three, 3, 5, IConditionalTokens.PartitionNotDisjoint.selector);
        requireRefused(three, 1, 3, IConditionalTokens.PartitionNotDisjoint.selector);
        requireRefused(three, 6, 6, IConditionalTokens.PartitionNotDisjoint.selector);
    }

    /// @dev The whole condition is no part of itself: such a share would pay in full whatever the result.
    function test_theWholeConditionIsNoPart() public {
        bytes32 three = prepareThree();
        requireRefused(three, 7, 8, IConditionalTokens.InvalidIndexSet.selector);
        requireRefused(three, 1, 8, IConditionalTokens.InvalidIndexSet.selector);
        requireRefused(three, 0, 7, IConditionalTokens.InvalidIndexSet.selector);
        uint256[] memory whole = new uint256[](1);
        whole[0] = 7;
        vm.expectRevert(IConditionalTokens.TrivialPartition.selector);
        vm.prank(owner);
        shares.splitPosition(address(usd), 0, three, whole, 1e6);
    }

    /// @dev A part is split from the position that it is part of, which is burnt, and merged back into it.
    function test_aPartIsSplitAtThePriceOfItself() public {
        bytes32 three = prepareThree();
        vm.startPrank(owner);
        shares.splitPosition(address(usd), 0, three, partitionOf(1, 6), 10e6);
        shares.splitPosition(address(usd), 0, three, partitionOf(2, 4), 4e6);
        assertEq(heldOf(three, 6), 6e6, "what was split is burnt");
        assertEq(heldOf(three, 2) + heldOf(three, 4), 8e6, "parts");
        shares.mergePositions(address(usd), 0, three, partitionOf(2, 4), 3e6);
        vm.stopPrank();
        assertEq(heldOf(three, 6), 9e6, "what was merged is back");
        assertEq(heldOf(three, 2) + heldOf(three, 4), 2e6, "parts that are left");
        assertEq(usd.balanceOf(owner), RICH - 10e6, "paid once");
    }

    function partitionOf(uint256 first, uint256 second) private pure returns (uint256[] memory partition) {
        partition = new uint256[](2);
        (partition[0], partition[1]) = (first, second);
    }

    function heldOf(bytes32 condition, uint256 indexSet) private view returns (uint256) {
        bytes32 collection = shares.getCollectionId(0, condition, indexSet);
        return shares.balanceOf(owner, shares.getPositionId(address(usd), collection));
    }

    function prepareThree() private returns (bytes32) {
        shares.prepareCondition(address(this), "three", 3);
        return shares.getConditionId(address(this), "three", 3);
    }

    function requireRefused(bytes32 condition, uint256 first, uint256 second, bytes4 reason) private {
        uint256[] memory partition = partitionOf(first, second);
        vm.expectRevert(reason);
        vm.prank(owner);
        shares.splitPosition(address(usd), 0, condition, partition, 1e6);
        vm.expectRevert(reason);
        vm.prank(owner);
        shares.mergePositions(address(usd), 0, condition, partition, 1e6);
    }

    // ---------------------------------------------------------------- typed data, spelt out as in docs/protocol.md

    function sign(uint256 key, bytes32 structHash) private view returns (uint8, bytes32, bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("ConditionalTokensWithPermit"),
                keccak256("1"),
                block.chainid,
                address(shares)
            )
        );
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, structHash)));
    }

    function approvalHash(address operator, bool approved, uint256 nonce) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(
                    "SetApprovalForAll(address owner,address operator,bool approved,uint256 nonce,uint256 deadline)"
                ),
                owner,
                operator,
                approved,
                nonce,
                deadline
            )
        );
    }

    function amountHash(string memory name, uint256 amount, uint256 nonce) private view returns (bytes32) {
        string memory fields =
            "(address owner,address collateralToken,bytes32 conditionId,uint256 amount,uint256 nonce,uint256 deadline)";
        bytes32 typehash = keccak256(bytes(string.concat(name, fields)));
        return keccak256(abi.encode(typehash, owner, address(usd), marketId, amount, nonce, deadline));
    }

    function redeemHash(uint256[] memory indexSets, uint256 nonce) private view returns (bytes32) {
        bytes32 typehash = keccak256(
            "RedeemPositions(address owner,address collateralToken,bytes32 parentCollectionId,bytes32 conditionId,uint256[] indexSets,uint256 nonce,uint256 deadline)"
        );
        bytes32 sets = keccak256(abi.encodePacked(indexSets));
        return keccak256(abi.encode(typehash, owner, address(usd), bytes32(0), marketId, sets, nonce, deadline));
    }

    function bothSets() private pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }

    function splitBySig(uint256 amount) private {
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, amountHash("SplitPosition", amount, shares.nonces(owner)));
        shares.splitPositionBySig(owner, address(usd), marketId, amount, deadline, v, r, s);
    }

    // ---------------------------------------------------------------- batches of redemptions

    function signedRedemption(uint256 nonce) private view returns (SignedRedemption memory) {
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, redeemHash(bothSets(), nonce));
        return SignedRedemption(
            owner, address(usd), 0, marketId, bothSets(), nonce, deadline, abi.encodePacked(r, s, v)
        );
    }

    function resolveYes() private {
        uint256[] memory payouts = new uint256[](2);
        payouts[0] = 1;
        shares.reportPayouts("question", payouts);
    }

    function test_aRedemptionThatSomebodyElseCarriedOutIsSkipped() public {
        giveShares(owner, YES, 10e6);
        resolveYes();
        SignedRedemption[] memory batch = new SignedRedemption[](2);
        (batch[0], batch[1]) = (signedRedemption(0), signedRedemption(1));
        shares.redeemPositionsBySig(owner, address(usd), 0, marketId, bothSets(), deadline, batch[0].signature);
        assertEq(usd.balanceOf(owner), RICH + 10e6, "paid once");
        vm.recordLogs();
        shares.redeemPositionsBatchBySig(batch);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        require(logs[0].topics[0] == IConditionalTokens.RedemptionSkipped.selector, "skipped");
        assertEq(logs.length, 2, "and the other carried out");
        assertEq(usd.balanceOf(owner), RICH + 10e6, "not paid twice");
        assertEq(shares.nonces(owner), 2, "nonces");
    }

    function test_aBatchOfRedemptionsIsTheSignersAlone() public {
        giveShares(owner, YES, 10e6);
        resolveYes();
        SignedRedemption[] memory batch = new SignedRedemption[](1);
        batch[0] = signedRedemption(0);
        batch[0].indexSets[0] = 3;
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.redeemPositionsBatchBySig(batch);
        batch[0] = signedRedemption(1);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.redeemPositionsBatchBySig(batch);
        batch[0] = signedRedemption(0);
        vm.warp(deadline + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        shares.redeemPositionsBatchBySig(batch);
    }

    // ---------------------------------------------------------------- signed operations

    function test_anApprovalIsSetBySignatureAndTakenBackBySignature() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, approvalHash(address(this), true, 0));
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, v, r, s);
        require(shares.isApprovedForAll(owner, address(this)), "approved");
        (v, r, s) = sign(KEY, approvalHash(address(this), false, 1));
        shares.setApprovalForAllBySig(owner, address(this), false, deadline, v, r, s);
        require(!shares.isApprovedForAll(owner, address(this)), "taken back");
        assertEq(shares.nonces(owner), 2, "nonce");
    }

    function test_aSignatureServesOnce() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, approvalHash(address(this), true, 0));
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, v, r, s);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, v, r, s);
    }

    function test_aSignatureServesUntilItsDeadline() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, approvalHash(address(this), true, 0));
        vm.warp(deadline + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, v, r, s);
        vm.warp(deadline);
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, v, r, s);
    }

    function test_anotherSignerAndTheHighTwinAreRefused() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY + 1, approvalHash(address(this), true, 0));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, v, r, s);
        (v, r, s) = sign(KEY, approvalHash(address(this), true, 0));
        uint256 n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.setApprovalForAllBySig(owner, address(this), true, deadline, 55 - v, r, bytes32(n - uint256(s)));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.setApprovalForAllBySig(address(0), address(this), true, deadline, 0, 0, 0);
    }

    function testFuzz_aSplitAndAMergeBySignatureCancelOut(uint64 amount) public {
        uint256 legal = amount % RICH;
        splitBySig(legal);
        assertEq(yesOf(owner), legal, "YES");
        assertEq(noOf(owner), legal, "NO");
        assertEq(usd.balanceOf(address(shares)), legal, "held");
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, amountHash("MergePositions", legal, 1));
        shares.mergePositionsBySig(owner, address(usd), marketId, legal, deadline, v, r, s);
        assertEq(usd.balanceOf(owner), RICH, "back");
        assertEq(yesOf(owner) + noOf(owner), 0, "shares");
    }

    function test_aSplitSignatureIsNoMergeSignature() public {
        splitBySig(10e6);
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, amountHash("SplitPosition", 1e6, 1));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.mergePositionsBySig(owner, address(usd), marketId, 1e6, deadline, v, r, s);
    }

    function test_aSignedRedemptionPaysTheOwnerAndNotTheSender() public {
        splitBySig(10e6);
        uint256[] memory payouts = new uint256[](2);
        payouts[0] = 1;
        shares.reportPayouts("question", payouts);
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, redeemHash(bothSets(), 1));
        vm.prank(address(0x5e4de4));
        shares.redeemPositionsBySig(owner, address(usd), 0, marketId, bothSets(), deadline, v, r, s);
        assertEq(usd.balanceOf(owner), RICH, "owner");
        assertEq(usd.balanceOf(address(0x5e4de4)), 0, "sender");
        assertEq(yesOf(owner) + noOf(owner), 0, "shares burnt");
    }

    function test_aResultIsReportedOnce() public {
        resolveYes();
        uint256[] memory payouts = new uint256[](2);
        payouts[1] = 1;
        vm.expectRevert(IConditionalTokens.ConditionAlreadyResolved.selector);
        shares.reportPayouts("question", payouts);
        assertEq(shares.payoutNumerators(marketId, YES), 1, "the first result stands");
        assertEq(shares.payoutNumerators(marketId, NO), 0, "and no other");
    }

    function test_aVoidMarketPaysHalfToEachSide() public {
        splitBySig(9);
        vm.startPrank(owner);
        shares.safeTransferFrom(owner, address(0xb0b), ids[NO], 9, "");
        vm.stopPrank();
        uint256[] memory payouts = new uint256[](2);
        (payouts[0], payouts[1]) = (1, 1);
        shares.reportPayouts("question", payouts);
        vm.prank(owner);
        shares.redeemPositions(address(usd), 0, marketId, bothSets());
        vm.prank(address(0xb0b));
        shares.redeemPositions(address(usd), 0, marketId, bothSets());
        assertEq(usd.balanceOf(owner), RICH - 9 + 4, "rounded down");
        assertEq(usd.balanceOf(address(0xb0b)), 4, "rounded down");
    }

    // ---------------------------------------------------------------- callbacks

    function test_theStandardPathsAskTheReceiver() public {
        splitBySig(10e6);
        address willing = address(new Receiver(true));
        address unwilling = address(new Receiver(false));
        vm.startPrank(owner);
        shares.safeTransferFrom(owner, willing, ids[YES], 1, "");
        vm.expectRevert(IERC1155.ReceiverRefused.selector);
        shares.safeTransferFrom(owner, unwilling, ids[YES], 1, "");
        uint256[] memory both = new uint256[](2);
        uint256[] memory ones = new uint256[](2);
        (both[0], both[1], ones[0], ones[1]) = (ids[YES], ids[NO], 1, 1);
        shares.safeBatchTransferFrom(owner, willing, both, ones, "");
        vm.expectRevert(IERC1155.ReceiverRefused.selector);
        shares.safeBatchTransferFrom(owner, unwilling, both, ones, "");
        vm.stopPrank();
        assertEq(Receiver(willing).asked(), 2, "asked");
    }

    function test_aSplitAsksItsContractOwner() public {
        Receiver unwilling = new Receiver(false);
        usd.mint(address(unwilling), 1e6);
        vm.startPrank(address(unwilling));
        usd.approve(address(shares), 1e6);
        vm.expectRevert(IERC1155.ReceiverRefused.selector);
        shares.splitPosition(address(usd), 0, marketId, bothSets(), 1e6);
        vm.stopPrank();
    }

    // ---------------------------------------------------------------- the exchange's paths

    function test_theExchangePathsAskNobody() public {
        splitBySig(10e6);
        address unwilling = address(new Receiver(false));
        vm.prank(owner);
        assertEq(shares.operatorTransfer(owner, unwilling, ids[YES], 1e6), 1e6, "moved");
        usd.mint(address(this), 1e6);
        usd.approve(address(shares), 1e6);
        shares.splitTo(address(usd), marketId, 1e6, unwilling, unwilling);
        assertEq(yesOf(unwilling), 2e6, "YES");
        assertEq(noOf(unwilling), 1e6, "NO");
        assertEq(Receiver(unwilling).asked(), 0, "asked");
    }

    function test_anExchangeMovesWhatIsHeldAndNoMore() public {
        splitBySig(10e6);
        vm.prank(owner);
        shares.setApprovalForAll(address(this), true);
        assertEq(shares.operatorTransfer(owner, address(0xb0b), ids[YES], 15e6), 10e6, "moved");
        assertEq(shares.operatorTransfer(owner, address(0xb0b), ids[YES], 15e6), 0, "nothing left");
    }

    function test_anExchangeMovesNothingWithoutApproval() public {
        assertEq(shares.operatorTransfer(owner, address(0xb0b), ids[YES], 1), 0, "nothing held, nothing asked");
        splitBySig(1);
        assertEq(shares.operatorTransfer(owner, address(0xb0b), ids[YES], 1), 0, "as if nothing were held");
        assertEq(shares.balanceOf(owner, ids[YES]), 1, "kept");
        vm.prank(owner);
        vm.expectRevert(IERC1155.ZeroAddress.selector);
        shares.operatorTransfer(owner, address(0), ids[YES], 1);
    }

    function testFuzz_aMoveToOneselfChangesNothing(uint64 held, uint64 amount) public {
        uint256 legal = held % RICH;
        splitBySig(legal);
        vm.prank(owner);
        uint256 moved = shares.operatorTransfer(owner, owner, ids[YES], amount);
        assertEq(moved, amount < legal ? amount : legal, "moved");
        assertEq(yesOf(owner), legal, "held");
    }

    function test_splitToIsForBinaryConditionsOnly() public {
        shares.prepareCondition(address(this), "three", 3);
        bytes32 threeWay = shares.getConditionId(address(this), "three", 3);
        vm.expectRevert(IConditionalTokens.ConditionNotPrepared.selector);
        shares.splitTo(address(usd), threeWay, 0, owner, owner);
    }
}
