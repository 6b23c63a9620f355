// A stablecoin that can turn against its users in every way that live tokens have been seen to.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestStablecoin} from "../../src/tokens/TestStablecoin.sol";

enum Mood {
    Honest,
    Paused,
    AnswersFalse,
    AnswersNothing,
    TakesFee,
    BurnsGas,
    Reenters
}

contract HostileStablecoin is TestStablecoin {
    uint256 public constant FEE = 1;

    Mood public mood;
    mapping(address account => bool) public isBlocked;
    address private _reentered;
    bytes private _reentry;
    bool public reentrySucceeded;

    function setMood(Mood next) external {
        mood = next;
    }

    function setBlocked(address account, bool blocked) external {
        isBlocked[account] = blocked;
    }

    /// @dev What it calls in the middle of a transfer, once in the mood.
    function setReentry(address target, bytes calldata data) external {
        (_reentered, _reentry) = (target, data);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        requireWilling(msg.sender, to);
        if (mood == Mood.AnswersFalse) return false;
        return answer(super.transfer(to, takeFee(msg.sender, amount)));
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        requireWilling(from, to);
        if (mood == Mood.AnswersFalse) return false;
        return answer(super.transferFrom(from, to, takeFee(from, amount)));
    }

    function requireWilling(address from, address to) private {
        require(!isBlocked[from] && !isBlocked[to], "blocked");
        require(mood != Mood.Paused, "paused");
        while (mood == Mood.BurnsGas) {}
        if (mood != Mood.Reenters) return;
        // Once is enough: what it calls must find an honest token.
        mood = Mood.Honest;
        (bool done,) = _reentered.call(_reentry);
        if (done) reentrySucceeded = true;
        mood = Mood.Reenters;
    }

    function takeFee(address from, uint256 amount) private returns (uint256) {
        if (mood != Mood.TakesFee || amount == 0) return amount;
        _burn(from, FEE);
        return amount - FEE;
    }

    function answer(bool done) private view returns (bool) {
        if (mood != Mood.AnswersNothing) return done;
        assembly ("memory-safe") {
            return(0x00, 0x00)
        }
    }
}
