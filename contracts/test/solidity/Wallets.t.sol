// Traders who are contracts: orders and requests that an EIP-1271 wallet stands by, within a bound of gas.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {BatchPacking, Signature} from "./BatchPacking.sol";
import {Stablecoin} from "./Production.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

enum Manner {
    Honest,
    SaysNo,
    Reverts,
    BurnsGas,
    AnswersMuch,
    AnswersLittle,
    Spends
}

/// @dev A wallet of two owners: both signatures, one behind the other, and what an owner says is done.
contract TwoKeyWallet {
    address private immutable first;
    address private immutable second;
    Manner public manner;
    uint256 public toBurn;

    constructor(address first_, address second_) {
        (first, second) = (first_, second_);
    }

    function setManner(Manner next, uint256 burn) external {
        (manner, toBurn) = (next, burn);
    }

    function run(address target, bytes calldata data) external {
        (bool done,) = target.call(data);
        require(done, "failed");
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external returns (bytes4) {
        if (manner == Manner.SaysNo) return 0xffffffff;
        require(manner != Manner.Reverts, "refused");
        if (manner == Manner.Spends) toBurn = 1;
        if (manner == Manner.AnswersMuch) {
            assembly ("memory-safe") {
                return(0x00, 100000)
            }
        }
        if (manner == Manner.AnswersLittle) {
            assembly ("memory-safe") {
                mstore(0x00, shl(224, 0x1626ba7e))
                return(0x00, 0x04)
            }
        }
        uint256 enough = gasleft();
        while (manner == Manner.BurnsGas && enough - gasleft() < toBurn) {}
        require(signature.length == 130, "two signatures");
        require(signerOf(digest, signature[:65]) == first && signerOf(digest, signature[65:]) == second, "signers");
        return 0x1626ba7e;
    }

    function signerOf(bytes32 digest, bytes calldata signature) private pure returns (address) {
        return ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }
}

/// @dev Stands by everything, if it is asked as the ABI says: with zeros behind the last byte of the signature.
contract AgreeableWallet {
    uint256 public toBurn;

    function setToBurn(uint256 gas) external {
        toBurn = gas;
    }

    function approve(Stablecoin usd, address spender) external {
        usd.approve(spender, type(uint256).max);
    }

    function isValidSignature(bytes32, bytes calldata signature) external view returns (bytes4) {
        uint256 enough = gasleft();
        while (enough - gasleft() < toBurn) {}
        require(msg.data.length == 100 + (signature.length + 31) / 32 * 32, "length");
        for (uint256 i = 100 + signature.length; i < msg.data.length; ++i) {
            require(msg.data[i] == 0, "dirty padding");
        }
        return 0x1626ba7e;
    }
}

contract WalletsTest is SettlementFixture {
    bytes32 private constant MERGE_TYPEHASH = keccak256(
        "MergePositions(address owner,address collateralToken,bytes32 conditionId,uint256 amount,uint256 nonce,uint256 deadline)"
    );
    uint256 private constant FIRST = 31;
    uint256 private constant SECOND = 32;
    uint256 private constant SELLER = 12;
    uint64 private constant SIZE = 10e6;
    TwoKeyWallet private wallet;
    address private seller;
    /// @dev Behind the position of the wallet's signature; zero, as the service sends it.
    bytes32 private _vs;

    function setUp() public override {
        super.setUp();
        wallet = new TwoKeyWallet(vm.addr(FIRST), vm.addr(SECOND));
        seller = openTrader(SELLER, RICH, 0);
        usd.mint(address(wallet), RICH);
        wallet.run(address(usd), abi.encodeCall(usd.approve, (address(settlement), type(uint256).max)));
    }

    function walletOrder(uint8 side) private view returns (Order memory order) {
        order = newOrder(FIRST, side, 500_000, SIZE, 0);
        order.trader = address(wallet);
    }

    function signTwice(bytes32 digest, uint256 second) private pure returns (bytes memory) {
        return bytes.concat(signOnce(FIRST, digest), signOnce(second, digest));
    }

    function signOnce(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    /// @dev One fill between the wallet's order, with this signature behind both orders, and the seller's.
    function settleWith(bytes memory signature, uint256 offset, uint256 length) private returns (uint8) {
        return settleWithin(50_000_000, signature, offset, length);
    }

    function settleWithin(uint256 gas, bytes memory signature, uint256 offset, uint256 length)
        private
        returns (uint8)
    {
        bytes32[] memory marketIds = new bytes32[](1);
        marketIds[0] = marketId;
        Order memory sell = newOrder(SELLER, SELL, 500_000, SIZE, 0);
        bytes memory orders = bytes.concat(
            BatchPacking.packOrder(walletOrder(BUY), 0, Signature(bytes32(offset << 128 | length), _vs)),
            BatchPacking.packOrder(sell, 0, signOrder(SELLER, sell)),
            signature,
            new bytes((112 - signature.length % 112) % 112)
        );
        bytes memory fills = BatchPacking.packFill(0, 1, 500_000, SIZE);
        return uint8(settlement.settleBatch{gas: gas}(marketIds, orders, fills)[0]);
    }

    function goodSignature() private view returns (bytes memory) {
        return signTwice(settlement.hashOrder(walletOrder(BUY)), SECOND);
    }

    // ---------------------------------------------------------------- orders

    function test_aWalletsOrderSettles() public {
        assertEq(settleWith(goodSignature(), 224, 130), FillCodes.SETTLED, "code");
        assertEq(yesOf(address(wallet)), SIZE, "shares");
        assertEq(usd.balanceOf(address(wallet)), RICH - 5e6, "stablecoin");
    }

    function test_aWalletThatSellsIsJudgedByItsOwnCode() public {
        bytes32[] memory marketIds = new bytes32[](1);
        marketIds[0] = marketId;
        address buyer = openTrader(13, RICH, 0);
        Order memory buy = newOrder(13, BUY, 500_000, SIZE, 0);
        bytes memory signature = signTwice(settlement.hashOrder(walletOrder(SELL)), SECOND);
        bytes memory orders = bytes.concat(
            BatchPacking.packOrder(buy, 0, signOrder(13, buy)),
            BatchPacking.packOrder(walletOrder(SELL), 0, Signature(bytes32(uint256(224) << 128 | 130), 0)),
            signature,
            new bytes(94)
        );
        bytes memory fills = BatchPacking.packFill(0, 1, 500_000, SIZE);
        wallet.setManner(Manner.SaysNo, 0);
        assertEq(uint8(settlement.settleBatch(marketIds, orders, fills)[0]), FillCodes.SELLER_SIGNATURE, "refused");
        wallet.setManner(Manner.Honest, 0);
        assertEq(uint8(settlement.settleBatch(marketIds, orders, fills)[0]), FillCodes.SETTLED, "settled");
        assertEq(yesOf(buyer), SIZE, "shares");
    }

    function test_anotherKeysSignatureIsTheWalletsNo() public {
        bytes memory signature = signTwice(settlement.hashOrder(walletOrder(BUY)), SELLER);
        assertEq(settleWith(signature, 224, 130), FillCodes.BUYER_SIGNATURE, "code");
    }

    function test_oneOwnersKeyDoesNotSpeakForTheWallet() public {
        Order memory order = walletOrder(BUY);
        put(FIRST, order);
        put(SELLER, SELL, 500_000, SIZE, 0);
        putFill(0, 1, 500_000, SIZE);
        expectCode(FillCodes.BUYER_SIGNATURE);
    }

    function testFuzz_aSignatureThatIsNotThereIsNone(uint128 offset, uint128 length) public {
        vm.assume(offset != 224 || length != 130);
        assertEq(settleWith(goodSignature(), offset, length), FillCodes.BUYER_SIGNATURE, "code");
    }

    /// @dev Behind the orders lie the fills: what they spell is not part of what the batch calls orders.
    function test_aSignatureIsNotReadFromBeyondTheOrders() public {
        bytes32[] memory marketIds = new bytes32[](1);
        marketIds[0] = marketId;
        Order memory sell = newOrder(SELLER, SELL, 500_000, SIZE, 0);
        uint256 behind = 2 * 112 + 32 + 13;
        bytes memory orders = bytes.concat(
            BatchPacking.packOrder(walletOrder(BUY), 0, Signature(bytes32(behind << 128 | 130), 0)),
            BatchPacking.packOrder(sell, 0, signOrder(SELLER, sell))
        );
        bytes memory fills = bytes.concat(BatchPacking.packFill(0, 1, 500_000, SIZE), goodSignature());
        uint8 code = uint8(settlement.settleBatch(marketIds, orders, fills)[0]);
        assertEq(code, FillCodes.BUYER_SIGNATURE, "code");
    }

    function testFuzz_aWalletThatMisbehavesSpoilsItsOwnFillOnly(uint8 manner) public {
        manner = 1 + manner % 6;
        wallet.setManner(Manner(manner), 1_000_000);
        assertEq(settleWith(goodSignature(), 224, 130), FillCodes.BUYER_SIGNATURE, "code");
        assertEq(usd.balanceOf(address(wallet)), RICH, "stablecoin");
    }

    function test_aWalletMayTakeAHundredThousandGasAndNotAHundredAndFifty() public {
        wallet.setManner(Manner.BurnsGas, 160_000);
        assertEq(settleWith(goodSignature(), 224, 130), FillCodes.BUYER_SIGNATURE, "too much");
        wallet.setManner(Manner.BurnsGas, 100_000);
        assertEq(settleWith(goodSignature(), 224, 130), FillCodes.SETTLED, "enough");
    }

    /// @dev Too little gas for the wallet must not look like a bad signature, nor take the batch down.
    function testFuzz_aWalletIsNeverBlamedForTheGasLimit(uint32 gas) public {
        wallet.setManner(Manner.BurnsGas, 120_000);
        uint8 code = settleWithin(100_000 + gas % 1_500_000, goodSignature(), 224, 130);
        require(code == FillCodes.SETTLED || code == FillCodes.NOT_ATTEMPTED, "blamed");
    }

    /// @dev A wallet that would say yes is not asked about more than eight kilobytes.
    function test_aSignatureOfMoreThanEightKilobytesIsNone() public {
        beAgreeable();
        assertEq(settleWith(new bytes(8_193), 224, 8_193), FillCodes.BUYER_SIGNATURE, "one byte too many");
        assertEq(settleWith(new bytes(8_192), 224, 8_192), FillCodes.SETTLED, "eight kilobytes");
    }

    function testFuzz_aWalletIsAskedWithZerosBehindItsSignature(uint8 seed) public {
        beAgreeable();
        uint256 length = 1 + seed % 30;
        bytes memory signature = new bytes(length);
        for (uint256 i; i < length; ++i) {
            signature[i] = 0xff;
        }
        // What stands in place of s is written to the memory that the call is made from.
        _vs = bytes32(type(uint256).max);
        assertEq(settleWith(signature, 224, length), FillCodes.SETTLED, "code");
    }

    function beAgreeable() private {
        vm.etch(address(wallet), address(new AgreeableWallet()).code);
    }

    function test_aKeyWithDelegatedCodeSignsAsBefore() public {
        address delegated = openTrader(77, RICH, 0);
        vm.etch(delegated, address(wallet).code);
        Order memory order = newOrder(77, BUY, 500_000, SIZE, 0);
        put(77, order);
        put(SELLER, SELL, 500_000, SIZE, 0);
        putFill(0, 1, 500_000, SIZE);
        expectCode(FillCodes.SETTLED);
    }

    // ---------------------------------------------------------------- requests

    function test_aWalletsRequestIsCarriedOut() public {
        giveShares(address(wallet), YES, SIZE);
        giveShares(address(wallet), NO, SIZE);
        uint256 before = usd.balanceOf(address(wallet));
        bytes32 digest = mergeDigest();
        bytes memory bad = signTwice(digest, SELLER);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.mergePositionsBySig(address(wallet), address(usd), marketId, SIZE, START, bad);
        bytes memory good = signTwice(digest, SECOND);
        shares.mergePositionsBySig(address(wallet), address(usd), marketId, SIZE, START, good);
        assertEq(usd.balanceOf(address(wallet)), before + SIZE, "stablecoin");
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.mergePositionsBySig(address(wallet), address(usd), marketId, SIZE, START, good);
    }

    function test_anAccountWithoutCodeIsNotAsked() public {
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.mergePositionsBySig(address(0xe0a), address(usd), marketId, 0, START, "");
    }

    function mergeDigest() private view returns (bytes32) {
        bytes32 structHash = keccak256(
            abi.encode(MERGE_TYPEHASH, wallet, usd, marketId, SIZE, shares.nonces(address(wallet)), START)
        );
        return keccak256(abi.encodePacked("\x19\x01", shares.DOMAIN_SEPARATOR(), structHash));
    }
}
