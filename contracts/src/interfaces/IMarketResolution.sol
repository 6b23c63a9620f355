// A market with a question of its own, and how it is resolved.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IResolution} from "./IResolution.sol";
import {ISignedProposals} from "./ISignedProposals.sol";

interface IMarketResolution is IResolution, ISignedProposals {}
