// Deploys the very bytecode that ships: the runner lays each contract's creation code at an address, as if it were a contract's code.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IArbitratedOracle} from "../../src/interfaces/IArbitratedOracle.sol";
import {IConditionalTokens} from "../../src/interfaces/IConditionalTokens.sol";
import {IEventFactory} from "../../src/interfaces/IEventFactory.sol";
import {IEventMarket} from "../../src/interfaces/IEventMarket.sol";
import {IERC1155} from "../../src/interfaces/IERC1155.sol";
import {IMarket} from "../../src/interfaces/IMarket.sol";
import {IMarketFactory} from "../../src/interfaces/IMarketFactory.sol";
import {IMarketResolution} from "../../src/interfaces/IMarketResolution.sol";
import {IOptimisticOracle} from "../../src/interfaces/IOptimisticOracle.sol";
import {IOwnerTimelock} from "../../src/interfaces/IOwnerTimelock.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IPresageSettlement} from "../../src/interfaces/IPresageSettlement.sol";
import {IResolution} from "../../src/interfaces/IResolution.sol";
import {IPriceOracle} from "../../src/interfaces/IPriceOracle.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {IQuickMarketFactory} from "../../src/interfaces/IQuickMarketFactory.sol";

interface Settlement is IPresageSettlement, IOwnedRoles, ISignedOperations {}

interface Shares is IConditionalTokens, IERC1155 {}

interface Factory is IMarketFactory, IOwnedRoles {}

interface Events is IEventFactory, IOwnedRoles {}

interface ResolvingEvent is IMarket, IResolution, IEventMarket {}

interface QuickFactory is IQuickMarketFactory, IOwnedRoles {}

interface Oracle is IOptimisticOracle, IArbitratedOracle {}

interface ResolvingMarket is IMarket, IMarketResolution {}

interface Stablecoin {
    function mint(address to, uint256 amount) external;
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function nonces(address owner) external view returns (uint256);
    function DOMAIN_SEPARATOR() external view returns (bytes32);
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}

library Production {
    // In the order in which solidity-runner.ts lays them.
    address private constant SETTLEMENT = address(0xc0de01);
    address private constant SHARES = address(0xc0de02);
    address private constant STABLECOIN = address(0xc0de03);
    address private constant MARKET = address(0xc0de04);
    address private constant FACTORY = address(0xc0de05);
    address private constant PRICE_ORACLE = address(0xc0de06);
    address private constant QUICK_MARKET = address(0xc0de07);
    address private constant QUICK_FACTORY = address(0xc0de08);
    address private constant ORACLE = address(0xc0de09);
    address private constant MARKET_ORACLE = address(0xc0de0a);
    address private constant TIMELOCK = address(0xc0de0b);
    address private constant OUTCOME_MARKET = address(0xc0de0c);
    address private constant EVENT_MARKET = address(0xc0de0d);
    address private constant EVENT_FACTORY = address(0xc0de0e);

    function deploySettlement(address owner, address collateral, address shares, uint256 grace)
        internal
        returns (Settlement)
    {
        return Settlement(deploy(SETTLEMENT, abi.encode(owner, collateral, shares, grace)));
    }

    function deployShares() internal returns (Shares) {
        return Shares(deploy(SHARES, ""));
    }

    function deployStablecoin() internal returns (Stablecoin) {
        return Stablecoin(deploy(STABLECOIN, ""));
    }

    /// @dev With a second arbitrator.
    function deployOracle(address arbitrator, address second, address currency, uint256 minimumBond)
        internal
        returns (Oracle)
    {
        return Oracle(deploy(ORACLE, abi.encode(arbitrator, second, currency, minimumBond)));
    }

    function deployTimelock(address owner, uint64 delay) internal returns (IOwnerTimelock) {
        return IOwnerTimelock(deploy(TIMELOCK, abi.encode(owner, delay)));
    }

    /// @dev With a market oracle that the caller owns.
    function deployMarket(
        address shares,
        address collateral,
        address settlement,
        address oracle,
        bool bondPermitRequired,
        uint64 voidDelay
    ) internal returns (address) {
        address source = deploy(MARKET_ORACLE, abi.encode(address(this), collateral, oracle));
        return deploy(MARKET, abi.encode(shares, collateral, settlement, source, bondPermitRequired, voidDelay));
    }

    function deployFactory(address owner, address market, address settlement, uint256 bond)
        internal
        returns (Factory factory)
    {
        factory = Factory(deploy(FACTORY, abi.encode(owner, market, settlement, bond)));
        letRegister(settlement, address(factory));
    }

    /// @dev With a market oracle that the caller owns.
    function deployEventMarket(
        address shares,
        address collateral,
        address settlement,
        address oracle,
        bool bondPermitRequired,
        uint64 voidDelay
    ) internal returns (address) {
        address source = deploy(MARKET_ORACLE, abi.encode(address(this), collateral, oracle));
        address outcome = deploy(OUTCOME_MARKET, "");
        return deploy(
            EVENT_MARKET, abi.encode(shares, collateral, settlement, source, bondPermitRequired, voidDelay, outcome)
        );
    }

    function deployEventFactory(address owner, address market, address settlement, uint256 bond)
        internal
        returns (Events factory)
    {
        factory = Events(deploy(EVENT_FACTORY, abi.encode(owner, market, settlement, bond)));
        letRegister(settlement, address(factory));
    }

    function deployPriceOracle(address feedSigner) internal returns (IPriceOracle) {
        return IPriceOracle(deploy(PRICE_ORACLE, abi.encode(feedSigner)));
    }

    function deployQuickMarket(
        address oracle,
        address shares,
        address collateral,
        address settlement,
        uint256 maxConfidenceBps,
        uint64 voidDelay
    ) internal returns (address) {
        return deploy(QUICK_MARKET, abi.encode(oracle, shares, collateral, settlement, maxConfidenceBps, voidDelay));
    }

    function deployQuickFactory(address owner, address market, address settlement)
        internal
        returns (QuickFactory factory)
    {
        factory = QuickFactory(deploy(QUICK_FACTORY, abi.encode(owner, market, settlement)));
        letRegister(settlement, address(factory));
    }

    /// @dev As the deployer does for both factories; the caller owns the settlement.
    function letRegister(address settlement, address account) internal {
        Settlement owned = Settlement(settlement);
        owned.grantRole(owned.REGISTRAR_ROLE(), account);
    }

    function deploy(address store, bytes memory arguments) private returns (address deployed) {
        bytes memory creation = bytes.concat(store.code, arguments);
        assembly ("memory-safe") {
            deployed := create(0, add(creation, 0x20), mload(creation))
            if iszero(deployed) {
                returndatacopy(0x00, 0x00, returndatasize())
                revert(0x00, returndatasize())
            }
        }
    }
}
