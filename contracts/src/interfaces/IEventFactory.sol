// Creates events: one clone per question, whose id follows from its terms and its creator, and a market for each outcome.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @param names of the outcomes, "none of them" among them if that can be the answer
/// @param early whether the event may be resolved before its expiration
struct EventTerms {
    string question;
    string description;
    string category;
    string[] names;
    uint64 expiration;
    bool early;
    uint16 feeRateBps;
    uint16 makerShareBps;
}

interface IEventFactory {
    error ExpirationNotInFuture();
    error ExpirationTooFar(uint64 latest);
    error QuestionLength(uint256 length);
    error DescriptionLength(uint256 length);
    error CategoryLength(uint256 length);
    error NameLength(uint256 index, uint256 length);
    /// @dev Each text is short enough, but all of them together are not.
    error TermsLength(uint256 length);
    error OutcomeCount(uint256 count);
    error NotAnEvent(address market);

    event EventCreated(
        bytes32 indexed eventId,
        address indexed market,
        address indexed maker,
        bytes32 questionId,
        uint256 bond,
        EventTerms terms
    );
    /// @notice An outcome became tradable.
    event OutcomeListed(
        bytes32 indexed eventId,
        bytes32 indexed marketId,
        address indexed market,
        uint256 index,
        uint256 yesTokenId,
        uint256 noTokenId
    );
    event BondChanged(uint256 bond);

    /// @notice Creates an event for the sender and lists its first outcomes. All of 128 need more than one transaction on most chains.
    /// @param listed how many outcomes to list now
    function createEvent(EventTerms calldata terms, uint256 listed) external returns (bytes32 eventId, address market);

    /// @notice Lists the next outcomes of an event; anyone may.
    function listOutcomes(address market, uint256 count) external;

    /// @notice The bond of events created from now on; existing ones keep theirs.
    function setBond(uint256 bond) external;

    function isEvent(address market) external view returns (bool);
    function listedOutcomes(address market) external view returns (uint256);
    function bond() external view returns (uint256);
    function eventImplementation() external view returns (address);
    function settlement() external view returns (address);
    function CREATOR_ROLE() external view returns (bytes32);
}
