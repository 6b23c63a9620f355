// Gnosis conditional tokens, the same operations by signature, and transfers for an exchange that must not call receivers.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISignedOperations} from "./ISignedOperations.sol";

/// @notice One redemption of a batch, as signed in RedeemPositions.
/// @param nonce the signed nonce, which tells whether somebody else has already sent this redemption
struct SignedRedemption {
    address owner;
    address collateralToken;
    bytes32 parentCollectionId;
    bytes32 conditionId;
    uint256[] indexSets;
    uint256 nonce;
    uint256 deadline;
    bytes signature;
}

interface IConditionalTokens is ISignedOperations {
    error TooManyOutcomeSlots();
    error TooFewOutcomeSlots();
    error ConditionAlreadyPrepared();
    error ConditionNotPrepared();
    error ConditionAlreadyResolved();
    error ConditionNotResolved();
    error PayoutIsAllZeroes();
    error TrivialPartition();
    error InvalidIndexSet();
    error PartitionNotDisjoint();
    error EventAlreadyPrepared();

    /// @notice A batch skipped a redemption whose nonce was already used.
    event RedemptionSkipped(address indexed owner, bytes32 indexed conditionId, uint256 nonce);
    event ConditionPreparation(
        bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount
    );
    event ConditionResolution(
        bytes32 indexed conditionId,
        address indexed oracle,
        bytes32 indexed questionId,
        uint256 outcomeSlotCount,
        uint256[] payoutNumerators
    );
    event PositionSplit(
        address indexed stakeholder,
        address collateralToken,
        bytes32 indexed parentCollectionId,
        bytes32 indexed conditionId,
        uint256[] partition,
        uint256 amount
    );
    event PositionsMerge(
        address indexed stakeholder,
        address collateralToken,
        bytes32 indexed parentCollectionId,
        bytes32 indexed conditionId,
        uint256[] partition,
        uint256 amount
    );
    event PayoutRedemption(
        address indexed redeemer,
        address indexed collateralToken,
        bytes32 indexed parentCollectionId,
        bytes32 conditionId,
        uint256[] indexSets,
        uint256 payout
    );

    /// @notice A condition became an event. Its markets follow from it: see OutcomeIds.
    event EventPreparation(
        bytes32 indexed eventId,
        address indexed oracle,
        bytes32 indexed questionId,
        uint256 outcomeCount,
        address collateralToken
    );
    /// @param indexes a bit for each outcome whose NO was burned; YES of all others was minted
    /// @param freed collateral that was paid to the owner
    event PositionsConverted(
        address indexed owner, bytes32 indexed eventId, uint256 indexes, uint256 amount, uint256 freed
    );

    // ---------------------------------------------------------------- as in Gnosis conditional tokens

    function prepareCondition(address oracle, bytes32 questionId, uint256 outcomeSlotCount) external;

    /// @notice Resolves the sender's own condition: the oracle is part of the condition's id.
    function reportPayouts(bytes32 questionId, uint256[] calldata payouts) external;

    /// @notice Turns collateral, or a position, into positions on disjoint index sets of a condition.
    function splitPosition(
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata partition,
        uint256 amount
    ) external;

    function mergePositions(
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata partition,
        uint256 amount
    ) external;

    /// @notice Burns the sender's positions on a resolved condition and pays what they are worth, rounded down per position.
    function redeemPositions(
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets
    ) external;

    function payoutNumerators(bytes32 conditionId, uint256 index) external view returns (uint256);
    function payoutDenominator(bytes32 conditionId) external view returns (uint256);
    function getOutcomeSlotCount(bytes32 conditionId) external view returns (uint256);
    function getConditionId(address oracle, bytes32 questionId, uint256 outcomeSlotCount)
        external
        pure
        returns (bytes32);
    function getCollectionId(bytes32 parentCollectionId, bytes32 conditionId, uint256 indexSet)
        external
        view
        returns (bytes32);
    function getPositionId(address collateralToken, bytes32 collectionId) external pure returns (uint256);

    // ---------------------------------------------------------------- events

    /// @notice Makes the sender's condition of 2 to 64 outcomes an event, and prepares the condition if nobody has.
    function prepareEvent(address collateralToken, bytes32 questionId, uint256 outcomeCount)
        external
        returns (bytes32 eventId);

    /// @notice The collateral in which an event's markets are traded; zero if there is no such event.
    function collateralOfEvent(bytes32 eventId) external view returns (address);

    /// @notice Burns `amount` of the sender's NO of each outcome in `indexes`, gives `amount` of YES of every other outcome, and pays
    /// `amount` of collateral for each NO but one.
    /// @param indexes a bit for each outcome
    function convertPositions(bytes32 eventId, uint256 indexes, uint256 amount) external;

    /// @notice The condition of a binary market, and the index sets of its YES and NO: a condition of two outcomes is its own market,
    /// and an event has one for each outcome.
    function marketOf(bytes32 marketId)
        external
        view
        returns (bytes32 conditionId, uint256 yesIndexSet, uint256 noIndexSet);

    /// @notice The share ids of a binary market.
    function outcomeTokens(address collateralToken, bytes32 marketId)
        external
        view
        returns (uint256 yesTokenId, uint256 noTokenId);

    /// @notice Whether the condition of a binary market has a result.
    function isResolved(bytes32 marketId) external view returns (bool);

    // ---------------------------------------------------------------- signed by the owner, sent by anyone

    function setApprovalForAllBySig(
        address owner,
        address operator,
        bool approved,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Redeems for `owner`; the payout goes to `owner`, never to the sender.
    function redeemPositionsBySig(
        address owner,
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Splits the owner's collateral into YES and NO of a binary market; this contract needs the allowance.
    /// @param conditionId the market's id, which is an event's outcome or a condition of two outcomes
    function splitPositionBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Merges YES and NO of a binary market back into the owner's collateral.
    /// @param conditionId the market's id, as for a split
    function mergePositionsBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Converts for `owner`, who signed ConvertPositions(owner, eventId, indexes, amount, nonce, deadline); shares and collateral
    /// go to `owner`.
    function convertPositionsBySig(
        address owner,
        bytes32 eventId,
        uint256 indexes,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    // ---------------------------------------------------------------- the same, also for contract wallets

    function setApprovalForAllBySig(
        address owner,
        address operator,
        bool approved,
        uint256 deadline,
        bytes calldata signature
    ) external;

    function redeemPositionsBySig(
        address owner,
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Redeems one after the other. One whose nonce is already used was sent or invalidated by somebody else and is
    /// skipped. Any other error reverts the whole batch.
    function redeemPositionsBatchBySig(SignedRedemption[] calldata redemptions) external;

    function splitPositionBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature
    ) external;

    function mergePositionsBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature
    ) external;

    function convertPositionsBySig(
        address owner,
        bytes32 eventId,
        uint256 indexes,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature
    ) external;

    // ---------------------------------------------------------------- for an exchange: no receiver is ever called

    /// @notice Transfers `amount` of `from`'s shares, or all of them if they hold fewer, without an acceptance callback.
    /// @dev Transfers none if `from` has not approved the sender, as if they held none: shares that a stranger sent must not block
    /// a sale.
    /// The name has a selector near zero, which the dispatcher compares first.
    /// @return moved how many shares were transferred
    function operatorTransfer(address from, address to, uint256 id, uint256 amount) external returns (uint256 moved);

    /// @notice Splits the sender's collateral on a binary market: YES to one, NO to the other, without acceptance callbacks.
    function splitTo(address collateralToken, bytes32 marketId, uint256 amount, address yesTo, address noTo)
        external;
}
