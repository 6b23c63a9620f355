// A stablecoin that costs what USDC costs: behind a proxy, with a pause, a block list and a counted allowance.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Laid out like FiatTokenV2_2: owner and pause in one slot, the block flag in the top bit of a balance.
contract DearStablecoinLogic {
    address private _owner;
    bool private _paused;
    mapping(address account => uint256) private _balancesAndFlags;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    uint256 public totalSupply;
    uint256 private constant BLOCKED = 1 << 255;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    modifier whenNotPaused() {
        require(!_paused, "Pausable: paused");
        _;
    }

    modifier notBlocked(address account) {
        require(_balancesAndFlags[account] & BLOCKED == 0, "Blacklistable: account is blacklisted");
        _;
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        _balancesAndFlags[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function balanceOf(address account) external view returns (uint256) {
        return _balancesAndFlags[account] & ~BLOCKED;
    }

    function approve(address spender, uint256 value)
        external
        whenNotPaused
        notBlocked(msg.sender)
        notBlocked(spender)
        returns (bool)
    {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value)
        external
        whenNotPaused
        notBlocked(msg.sender)
        notBlocked(to)
        returns (bool)
    {
        _transfer(msg.sender, to, value);
        return true;
    }

    /// @dev Counts the allowance down, also an unlimited one.
    function transferFrom(address from, address to, uint256 value)
        external
        whenNotPaused
        notBlocked(msg.sender)
        notBlocked(from)
        notBlocked(to)
        returns (bool)
    {
        require(value <= allowance[from][msg.sender], "ERC20: transfer amount exceeds allowance");
        allowance[from][msg.sender] -= value;
        _transfer(from, to, value);
        return true;
    }

    function _transfer(address from, address to, uint256 value) private {
        require(from != address(0) && to != address(0), "ERC20: zero address");
        require(value <= _balancesAndFlags[from], "ERC20: transfer amount exceeds balance");
        _balancesAndFlags[from] -= value;
        _balancesAndFlags[to] += value;
        emit Transfer(from, to, value);
    }
}

/// @dev An upgradable proxy of the older kind: the implementation's address is read from storage at every call.
contract DearStablecoin {
    bytes32 private constant SLOT = keccak256("org.zeppelinos.proxy.implementation");

    constructor() {
        address logic = address(new DearStablecoinLogic());
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            sstore(slot, logic)
        }
    }

    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
