// The messages that proposers and settlers of a market sign.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BondPayment, ISignedProposals} from "../interfaces/ISignedProposals.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";

abstract contract SignedProposals is ISignedProposals, SignedOperations {
    bytes32 private constant PROPOSE_TYPEHASH = keccak256(
        "ProposeResolution(address market,address proposer,uint8 outcome,address payer,uint256 bond,uint32 round,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant SPONSORED_TYPEHASH =
        keccak256("ProposeResolution(address market,address proposer,bool outcome,uint256 nonce,uint256 deadline)");
    bytes32 private constant SETTLE_TYPEHASH =
        keccak256("SettleMarket(address market,address settler,uint8 winningOutcome,uint256 nonce,uint256 deadline)");
    /// @dev Neither YES nor NO: all outcomes pay the same.
    uint8 internal constant HALF = 2;

    function proposeResolutionBySig(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId) {
        return _propose(proposer, outcome, deadline, _join(v, r, s), payment);
    }

    function proposeResolutionBySig(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes calldata signature,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId) {
        return _propose(proposer, outcome, deadline, signature, payment);
    }

    function settleBySig(
        address settler,
        uint8 winningOutcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _settleSigned(settler, winningOutcome, deadline, _join(v, r, s));
    }

    function settleBySig(address settler, uint8 winningOutcome, uint256 deadline, bytes calldata signature) external {
        _settleSigned(settler, winningOutcome, deadline, signature);
    }

    function _propose(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes memory signature,
        BondPayment calldata payment
    ) internal virtual returns (bytes32 assertionId);

    function _settleSigned(address settler, uint8 winningOutcome, uint256 deadline, bytes memory signature) internal virtual;

    /// @dev Uses up the proposer's nonce.
    /// @param payer who pays the bond of `amount`
    function _requireProposal(
        address proposer,
        uint8 outcome,
        address payer,
        uint256 amount,
        uint32 round,
        uint256 deadline,
        bytes memory signature
    ) internal {
        // A proposer who does not want to pay signs the zero address: then a sponsor pays or nobody does.
        bytes32 structHash = keccak256(
            abi.encode(
                PROPOSE_TYPEHASH,
                address(this),
                proposer,
                outcome,
                payer == proposer ? proposer : address(0),
                amount,
                round,
                nonces[proposer],
                deadline
            )
        );
        if (payer != proposer && _isSponsoredFormSigned(proposer, outcome, deadline, signature)) {
            if (block.timestamp > deadline) revert SignatureExpired();
        } else {
            _requireSigned(proposer, structHash, deadline, signature);
        }
        nonces[proposer]++;
    }

    /// @dev Uses up the settler's nonce.
    function _requireSettlement(address settler, uint8 winningOutcome, uint256 deadline, bytes memory signature) internal {
        bytes32 structHash = keccak256(
            abi.encode(SETTLE_TYPEHASH, address(this), settler, winningOutcome, nonces[settler]++, deadline)
        );
        _requireSigned(settler, structHash, deadline, signature);
    }

    /// @dev A proposer whose bond a sponsor pays may sign the short form without payer, bond and round: it cannot take money from
    /// them.
    function _isSponsoredFormSigned(address proposer, uint8 outcome, uint256 deadline, bytes memory signature)
        private
        view
        returns (bool)
    {
        if (outcome >= HALF) return false;
        bytes32 structHash = keccak256(
            abi.encode(SPONSORED_TYPEHASH, address(this), proposer, outcome == 0, nonces[proposer], deadline)
        );
        return _isSigned(proposer, structHash, signature);
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("PresageMarket", "1");
    }
}
