// One quick market: started and resolved by proved boundary prices, void when there is none.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {IPriceOracle, Price} from "../interfaces/IPriceOracle.sol";
import {BoundaryPrice, IQuickMarket} from "../interfaces/IQuickMarket.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {PriceOrder} from "../libraries/PriceOrder.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

/// @dev Clones carry abi.encode(questionId, feedId, maker, FeeTerms << 64 | startTime, asset) after their code. The settlement charges the
/// fees; here they only make the address depend on them.
contract QuickMarket is IQuickMarket {
    uint64 public constant DURATION = 900;
    /// @dev How long after a boundary its price may be published.
    uint64 public constant PRICE_WINDOW = 60;
    uint256 private constant BASIS_POINTS = 10_000;
    uint256 private constant FIXED_TERMS_LENGTH = 4 * 32;

    address public immutable priceOracle;
    address public immutable conditionalTokens;
    address public immutable collateral;
    address public immutable settlement;
    uint256 public immutable MAX_CONFIDENCE_BPS;
    uint64 public immutable UNPROVED_VOID_DELAY;

    BoundaryPrice private _startPrice;
    BoundaryPrice private _endPrice;
    bool public settled;

    constructor(
        address priceOracle_,
        address conditionalTokens_,
        address collateral_,
        address settlement_,
        uint256 maxConfidenceBps,
        uint64 unprovedVoidDelay
    ) {
        priceOracle = priceOracle_;
        conditionalTokens = conditionalTokens_;
        collateral = collateral_;
        settlement = settlement_;
        MAX_CONFIDENCE_BPS = maxConfidenceBps;
        UNPROVED_VOID_DELAY = unprovedVoidDelay;
    }

    function strike(bytes[] calldata updateData) external payable {
        if (settled) revert AlreadySettled();
        if (_startPrice.publishTime != 0) revert AlreadyStruck();
        uint256 fee = _feeOf(updateData);
        BoundaryPrice memory start = _prove(updateData, startTime(), fee);
        _startPrice = start;
        emit Struck(start.price, start.expo, start.publishTime);
        _giveChange(fee);
    }

    function resolve(bytes[] calldata updateData) external payable {
        if (settled) revert AlreadySettled();
        BoundaryPrice memory start = _startPrice;
        if (start.publishTime == 0) revert NotStruck();
        uint256 fee = _feeOf(updateData);
        BoundaryPrice memory end = _prove(updateData, endTime(), fee);
        if (!PriceOrder.isComparable(start.expo, end.expo)) revert ExponentsTooFarApart(start.expo, end.expo);
        uint8 winner = PriceOrder.isAtLeast(end.price, end.expo, start.price, start.expo) ? 0 : 1;
        _endPrice = end;
        _report(winner == 0 ? 1 : 0, winner);
        emit Resolved(end.price, end.expo, end.publishTime, winner);
        _giveChange(fee);
    }

    function void() external {
        if (settled) revert AlreadySettled();
        uint64 from = endTime() + UNPROVED_VOID_DELAY;
        if (block.timestamp < from) revert TooEarlyToVoid(from);
        _report(1, 1);
        emit Voided();
    }

    function voidWithProof(bytes[] calldata updateData) external payable {
        if (settled) revert AlreadySettled();
        uint256 fee = _feeOf(updateData);
        uint64 boundary = _startPrice.publishTime == 0 ? startTime() : endTime();
        Price memory first = _parse(updateData, boundary, type(uint64).max, fee);
        bool isInTime = first.publishTime <= boundary + PRICE_WINDOW;
        if (isInTime && first.price > 0 && _isPrecise(first)) revert PriceExists(uint64(first.publishTime));
        _report(1, 1);
        emit Voided();
        _giveChange(fee);
    }

    function marketId() public view returns (bytes32) {
        return PositionIds.conditionId(address(this), questionId(), 2);
    }

    function questionId() public view returns (bytes32 id) {
        (id,,,) = _fixedTerms();
    }

    function feedId() public view returns (bytes32 id) {
        (, id,,) = _fixedTerms();
    }

    function maker() external view returns (address account) {
        (,, account,) = _fixedTerms();
    }

    function startTime() public view returns (uint64 timestamp) {
        (,,, uint256 feesAndStart) = _fixedTerms();
        return uint64(feesAndStart);
    }

    function endTime() public view returns (uint64) {
        return startTime() + DURATION;
    }

    function expiration() external view returns (uint64) {
        return endTime();
    }

    function asset() external view returns (string memory symbol) {
        (,,,, symbol) = abi.decode(LibClone.argsOnClone(address(this)), (bytes32, bytes32, address, uint256, string));
    }

    function startPrice() external view returns (BoundaryPrice memory) {
        return _startPrice;
    }

    function endPrice() external view returns (BoundaryPrice memory) {
        return _endPrice;
    }

    /// @dev The oracle proves that there is no earlier update between the boundary and this one.
    function _prove(bytes[] calldata updateData, uint64 boundary, uint256 fee) private returns (BoundaryPrice memory) {
        Price memory proved = _parse(updateData, boundary, boundary + PRICE_WINDOW, fee);
        if (proved.price <= 0) revert PriceNotPositive(proved.price);
        if (!_isPrecise(proved)) revert ConfidenceTooWide(proved.price, proved.conf);
        return BoundaryPrice({price: proved.price, expo: proved.expo, publishTime: uint64(proved.publishTime)});
    }

    function _parse(bytes[] calldata updateData, uint64 boundary, uint64 last, uint256 fee)
        private
        returns (Price memory)
    {
        bytes32[] memory ids = new bytes32[](1);
        ids[0] = feedId();
        return IPriceOracle(priceOracle).parsePriceFeedUpdatesUnique{value: fee}(updateData, ids, boundary, last)[0]
            .price;
    }

    function _isPrecise(Price memory proved) private view returns (bool) {
        return uint256(proved.conf) * BASIS_POINTS <= uint64(proved.price) * MAX_CONFIDENCE_BPS;
    }

    function _feeOf(bytes[] calldata updateData) private view returns (uint256 fee) {
        fee = IPriceOracle(priceOracle).getUpdateFee(updateData);
        if (msg.value < fee) revert FeeTooLow(fee);
    }

    /// @dev Called last, when a call back from the receiver cannot change anything.
    function _giveChange(uint256 fee) private {
        if (msg.value > fee) SafeTransferLib.safeTransferETH(msg.sender, msg.value - fee);
    }

    /// @dev Marked as settled before the call; the conditional tokens would reject a second report anyway.
    function _report(uint256 yes, uint256 no) private {
        settled = true;
        uint256[] memory payouts = new uint256[](2);
        payouts[0] = yes;
        payouts[1] = no;
        IConditionalTokens(conditionalTokens).reportPayouts(questionId(), payouts);
        IPresageSettlement(settlement).closeMarket(marketId());
    }

    function _fixedTerms() private view returns (bytes32, bytes32, address, uint256) {
        return abi.decode(
            LibClone.argsOnClone(address(this), 0, FIXED_TERMS_LENGTH), (bytes32, bytes32, address, uint256)
        );
    }
}
