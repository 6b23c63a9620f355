// Creating markets: terms, ids that can be foretold, roles, and creations that nobody can hinder.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus, Resolution} from "../../src/interfaces/IMarket.sol";
import {IMarketFactory} from "../../src/interfaces/IMarketFactory.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {Factory, Oracle, Production, ResolvingMarket} from "./Production.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract MarketsTest is SettlementFixture {
    uint64 private constant EXPIRATION = uint64(START + 1 days);
    uint256 private constant BOND = 500e6;
    Factory private factory;

    function setUp() public override {
        super.setUp();
        Oracle oracle = Production.deployOracle(address(this), address(0), address(usd), 1e6);
        address implementation = Production.deployMarket(
            address(shares), address(usd), address(settlement), address(oracle), false, 30 days
        );
        factory = Production.deployFactory(address(this), implementation, address(settlement), BOND);
        factory.grantRole(factory.CREATOR_ROLE(), address(this));
    }

    function create() private returns (bytes32 id, ResolvingMarket market) {
        address created;
        (id, created) = factory.createMarket("Will it rain?", "One millimetre.", "general", EXPIRATION);
        market = ResolvingMarket(created);
    }

    function test_aMarketKeepsItsTerms() public {
        (bytes32 id, ResolvingMarket market) = create();
        requireSame(market.question(), "Will it rain?");
        requireSame(market.description(), "One millimetre.");
        requireSame(market.category(), "general");
        require(market.maker() == address(this) && market.expiration() == EXPIRATION, "maker or expiration");
        assertEq(market.bond(), BOND, "bond");
        assertEq(market.nonces(address(this)), 0, "nonce");
        require(market.marketId() == id, "id");
        require(market.conditionalTokens() == address(shares) && market.collateral() == address(usd), "tokens");
        require(factory.isMarket(address(market)) && !factory.isMarket(address(this)), "isMarket");
    }

    function test_theIdIsTheConditionWhoseOracleIsTheMarket() public {
        (bytes32 id, ResolvingMarket market) = create();
        bytes32 questionId = keccak256(
            abi.encode(address(this), "Will it rain?", "One millimetre.", "general", EXPIRATION, uint256(0))
        );
        require(market.questionId() == questionId, "question id");
        require(id == shares.getConditionId(address(market), questionId, 2), "condition id");
        assertEq(shares.getOutcomeSlotCount(id), 2, "prepared");
        require(settlement.tokenIdOf(id, 0) != 0 && settlement.tokenIdOf(id, 1) != 0, "registered");
    }

    function testFuzz_theNextMarketIsForetold(string calldata question, string calldata category, uint32 lifetime) public {
        vm.assume(bytes(question).length > 0 && bytes(question).length <= 1_000);
        vm.assume(bytes(category).length > 0 && bytes(category).length <= 32);
        uint64 expiration = uint64(START + 1 + lifetime % 3_652 days);
        for (uint256 i; i < 2; ++i) {
            (bytes32 foretold, address place,) = factory.predictMarket(address(this), question, "", category, expiration);
            (bytes32 id, address market) = factory.createMarket(question, "", category, expiration);
            require(id == foretold && market == place, "prediction");
            requireSame(ResolvingMarket(market).question(), question);
            requireSame(ResolvingMarket(market).category(), category);
        }
    }

    function test_equalTermsMakeDifferentMarkets() public {
        (bytes32 first,) = create();
        (bytes32 second,) = create();
        require(first != second, "ids");
    }

    function test_otherCreationsDoNotChangeAnId() public {
        (bytes32 foretold,,) = factory.predictMarket(address(this), "Will it rain?", "One millimetre.", "general", EXPIRATION);
        factory.createMarket("Another?", "", "defi", EXPIRATION);
        (bytes32 id,) = create();
        require(id == foretold, "the id moved");
    }

    /// @dev A creation that a reorganization replaced by one with other fees made another market.
    function test_theIdFollowsFromTheFees() public {
        settlement.setTreasury(address(0x7ea5));
        uint256 start = vm.snapshotState();
        uint16[2][4] memory rates = [[uint16(0), 0], [uint16(1), 0], [uint16(2), 0], [uint16(1), 1]];
        bytes32[4] memory found;
        for (uint256 i; i < rates.length; ++i) {
            (bytes32 id, address created) = factory.createFeeMarket(
                "Will it rain?", "One millimetre.", "general", EXPIRATION, i % 2 == 0, rates[i][0], rates[i][1]
            );
            found[i] = id;
            for (uint256 j; j < i; ++j) require(found[j] != id, "two markets with one id");
            (uint16 rate, uint16 share) = settlement.feesOf(id);
            require(rate == rates[i][0] && share == rates[i][1], "fees");
            require(ResolvingMarket(created).earlyResolution() == (i % 2 == 0), "early");
            require(ResolvingMarket(created).expiration() == EXPIRATION, "expiration");
            vm.revertToState(start);
        }
    }

    function test_aConditionPreparedByAStrangerDoesNotStopTheMarket() public {
        (bytes32 foretold, address place, bytes32 questionId) =
            factory.predictMarket(address(this), "Will it rain?", "One millimetre.", "general", EXPIRATION);
        vm.prank(address(0xbad));
        shares.prepareCondition(place, questionId, 2);
        (bytes32 id,) = create();
        require(id == foretold, "id");
    }

    function test_theSettlementLearnsWhenAMarketEnds() public {
        (bytes32 id,) = create();
        assertEq(settlement.settlesUntil(id), EXPIRATION + GRACE, "settles until");
    }

    function test_creationTellsEverythingAViewNeeds() public {
        vm.recordLogs();
        (bytes32 id, ResolvingMarket market) = create();
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory log = logs[logs.length - 1];
        require(log.topics[0] == IMarketFactory.MarketCreated.selector, "event");
        require(log.topics[1] == id && log.topics[2] == toTopic(address(market)), "id and market");
        require(log.topics[3] == toTopic(address(this)), "maker");
        require(
            keccak256(log.data)
                == keccak256(
                    abi.encode(
                        market.questionId(),
                        EXPIRATION,
                        settlement.tokenIdOf(id, 0),
                        settlement.tokenIdOf(id, 1),
                        BOND,
                        "general",
                        "Will it rain?",
                        "One millimetre."
                    )
                ),
            "data"
        );
    }

    function test_aMarketExpiresAtItsExpiration() public {
        (, ResolvingMarket market) = create();
        vm.warp(EXPIRATION - 1);
        require(market.status() == MarketStatus.Open, "open");
        vm.warp(EXPIRATION);
        require(market.status() == MarketStatus.Expired, "expired");
        Resolution memory none = market.resolution();
        require(none.assertionId == 0 && none.proposer == address(0) && none.round == 0, "no proposal yet");
    }

    function test_aReportedConditionMakesTheMarketResolved() public {
        (, ResolvingMarket market) = create();
        uint256[] memory payouts = new uint256[](2);
        payouts[1] = 1;
        bytes32 questionId = market.questionId();
        vm.prank(address(market));
        shares.reportPayouts(questionId, payouts);
        require(market.status() == MarketStatus.Resolved, "resolved");
    }

    function test_eachMarketSignsInItsOwnDomain() public {
        (, ResolvingMarket first) = create();
        (, ResolvingMarket second) = create();
        require(first.DOMAIN_SEPARATOR() == domainOf(address(first)), "first");
        require(second.DOMAIN_SEPARATOR() == domainOf(address(second)), "second");
        vm.chainId(5);
        require(first.DOMAIN_SEPARATOR() == domainOf(address(first)), "after a fork");
    }

    function test_onlyACreatorCreates() public {
        bytes32 role = factory.CREATOR_ROLE();
        vm.prank(address(0xbad));
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(0xbad)));
        factory.createMarket("Will it rain?", "", "general", EXPIRATION);
    }

    function test_unfitTermsAreRefused() public {
        vm.expectRevert(IMarketFactory.ExpirationNotInFuture.selector);
        factory.createMarket("q", "", "general", uint64(START));
        vm.expectRevert(abi.encodeWithSelector(IMarketFactory.QuestionLength.selector, 0));
        factory.createMarket("", "", "general", EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(IMarketFactory.QuestionLength.selector, 1_001));
        factory.createMarket(string(new bytes(1_001)), "", "general", EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(IMarketFactory.DescriptionLength.selector, 10_001));
        factory.createMarket("q", string(new bytes(10_001)), "general", EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(IMarketFactory.CategoryLength.selector, 0));
        factory.createMarket("q", "", "", EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(IMarketFactory.CategoryLength.selector, 33));
        factory.createMarket("q", "", string(new bytes(33)), EXPIRATION);
    }

    /// @dev One second more, milliseconds, and the end of time.
    function test_anExpirationLiesAtMostTenYearsAhead() public {
        uint64 latest = uint64(block.timestamp) + factory.MAX_LIFETIME();
        uint64[3] memory far = [latest + 1, uint64(block.timestamp) * 1_000, type(uint64).max];
        for (uint256 i; i < 3; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IMarketFactory.ExpirationTooFar.selector, latest));
            factory.createMarket("q", "", "general", far[i]);
        }
        factory.createMarket("q", "", "general", latest);
    }

    function test_theLongestTermsFit() public {
        bytes memory description = new bytes(10_000);
        for (uint256 i; i < description.length; ++i) {
            description[i] = bytes1(uint8(1 + i % 250));
        }
        (, address market) = factory.createMarket(string(new bytes(1_000)), string(description), string(new bytes(32)), EXPIRATION);
        requireSame(ResolvingMarket(market).description(), string(description));
    }

    function test_aNewBondIsForNewMarkets() public {
        (, ResolvingMarket old) = create();
        vm.prank(address(0xbad));
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        factory.setBond(1);
        factory.setBond(7e6);
        (, ResolvingMarket young) = create();
        assertEq(old.bond(), BOND, "old");
        assertEq(young.bond(), 7e6, "young");
    }

    function domainOf(address market) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("PresageMarket"),
                keccak256("1"),
                block.chainid,
                market
            )
        );
    }

    function toTopic(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function requireSame(string memory actual, string memory expected) private pure {
        require(keccak256(bytes(actual)) == keccak256(bytes(expected)), "texts differ");
    }
}
