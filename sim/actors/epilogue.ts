// After the life: a result is proposed for an expired market, the dispute window passes, the keeper settles it, and
// holders redeem. An event without a proposal is voided.
import { type Contracts, createContracts } from '@presage/chain';
import {
  conditionOf,
  indexSetsOf,
  isDecided,
  MARKET_DOMAIN_NAME,
  type MarketFacts,
  OPERATION_TYPES,
  resolverOf,
  SPONSORED_PROPOSAL_TYPES,
  toLowerHex,
} from '@presage/protocol';
import { parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { describe } from '../world/describe.ts';
import { toRpc } from '../world/sim-chain-template.ts';
import type { World } from '../world/world.ts';

/** Slightly more than the dispute window of the contracts. */
const LEAP_MS = 7_500_000;
const LIMIT_MS = 90_000;
const ZERO_WORD = `0x${'0'.repeat(64)}` as const;
/** Chance that nobody proposes a result of an event, so that the keeper has to void it. */
const FORGOTTEN_CHANCE = 0.4;
/** Longer than the ten minutes between the keeper's searches for voidable markets. */
const VOID_LOOK_SECONDS = 700;

export class Epilogue {
  readonly #world: World;
  readonly #settle: () => Promise<boolean>;

  /** `settle` waits until the world is quiet. */
  constructor(world: World, settle: () => Promise<boolean>) {
    this.#world = world;
    this.#settle = settle;
  }

  async run(): Promise<void> {
    const world = this.#world;
    const market = this.#expired();
    if (market === undefined) return;
    const isForgotten = market.event !== undefined && world.randomFor('forgotten events').chance(FORGOTTEN_CHANCE);
    if (isForgotten) await this.#forget(market);
    else await this.#decide(market);
    const isSettled = () => isDecided(this.#resolutionOf(market));
    if (!(await world.time.runUntil(isSettled, world.time.nowMs + LIMIT_MS))) {
      const { status } = this.#resolutionOf(market) ?? {};
      world.violations.push(`the keeper did not settle ${market.marketId.slice(0, 10)}: ${status}`);
      return;
    }
    world.say(`${market.marketId.slice(0, 10)} is ${this.#resolutionOf(market)?.status}`);
    for (const wallet of world.template.wallets) {
      await this.#until('a redemption was not relayed', this.#redeem(market, wallet));
    }
    if (!(await this.#settle())) world.violations.push('not quiet after redemptions');
  }

  async #decide(market: MarketFacts): Promise<void> {
    const world = this.#world;
    const [proposer] = world.template.wallets;
    await this.#until('the proposal was not relayed', this.#propose(market, proposer!));
    if (!(await this.#settle())) world.violations.push('not quiet after a proposal');
    world.say('two hours pass');
    world.leap(LEAP_MS);
  }

  async #forget(market: MarketFacts): Promise<void> {
    const world = this.#world;
    const from = await this.#contracts.market(resolverOf(market)).read('voidableFrom', []);
    world.say('the time to propose passes');
    world.leap((Number(from) + VOID_LOOK_SECONDS - world.chain.head.time) * 1_000);
  }

  #expired(): MarketFacts | undefined {
    const now = this.#world.chain.head.time;
    const markets = this.#world.service?.host.reads.markets() ?? [];
    const expired = markets.filter(({ facts, resolution }) => {
      return this.#world.marketIds.includes(facts.marketId) && facts.expiration < now && resolution === undefined;
    });
    return (expired.find(({ facts }) => facts.event !== undefined) ?? expired[0])?.facts;
  }

  #resolutionOf({ marketId }: MarketFacts) {
    return this.#world.service?.host.reads.market(marketId)?.resolution;
  }

  async #until(complaint: string, story: Promise<string>): Promise<void> {
    const world = this.#world;
    let said: string | undefined;
    story.then(
      (text) => {
        said = text;
      },
      (error) => {
        said = `failed: ${describe(error)}`;
      },
    );
    await world.time.runUntil(() => said !== undefined, world.time.nowMs + LIMIT_MS);
    world.say(said ?? complaint);
    if (said === undefined || said.startsWith('failed')) world.violations.push(`${complaint}: ${said}`);
  }

  async #propose({ contractAddress }: MarketFacts, wallet: PrivateKeyAccount): Promise<string> {
    const { chainId } = this.#world.template.deployment;
    const deadline = this.#deadline();
    const nonce = await this.#nonceAt(contractAddress, wallet);
    const signature = await wallet.signTypedData({
      domain: { name: MARKET_DOMAIN_NAME, version: '1', chainId, verifyingContract: contractAddress },
      types: SPONSORED_PROPOSAL_TYPES,
      primaryType: 'ProposeResolution',
      message: { market: contractAddress, proposer: wallet.address, outcome: true, nonce, deadline },
    });
    const request = { ...this.#owned(wallet), marketAddress: contractAddress, outcome: 0 as const, deadline };
    const outcome = await this.#world.askActor(1, (actor) =>
      actor.relayer.service.relay({
        operation: 'propose-resolution',
        request: { ...request, ...toParts(signature) },
      }),
    );
    if (outcome.kind === 'refused') throw outcome.error;
    return `proposed: ${outcome.kind}`;
  }

  async #redeem(market: MarketFacts, wallet: PrivateKeyAccount): Promise<string> {
    const { contractAddress, stablecoin: collateralToken } = market;
    const { chainId, conditionalTokens } = this.#world.template.deployment;
    const markets = this.#marketsDecidedWith(market);
    if ((await this.#sharesOf(markets, wallet)) === 0n) return `${wallet.address.slice(0, 10)} holds nothing`;
    const deadline = this.#deadline();
    const indexSets = markets.flatMap((facts) => indexSetsOf(facts));
    const fields = { collateralToken, parentCollectionId: ZERO_WORD, conditionId: conditionOf(market) };
    const nonce = await this.#nonceAt(conditionalTokens, wallet);
    const signature = await wallet.signTypedData({
      domain: { name: 'ConditionalTokensWithPermit', version: '1', chainId, verifyingContract: conditionalTokens },
      types: OPERATION_TYPES,
      primaryType: 'RedeemPositions',
      message: { owner: wallet.address, ...fields, indexSets, nonce, deadline },
    });
    const request = { ...this.#owned(wallet), ...fields, indexSets, marketAddress: contractAddress };
    const outcome = await this.#world.askActor(1, (actor) =>
      actor.relayer.service.relay({
        operation: 'ctf-redemption',
        request: { ...request, deadline, ...toParts(signature) },
      }),
    );
    const isWorthless = outcome.kind === 'refused' && describe(outcome.error).includes('nothing');
    if (outcome.kind === 'refused' && !isWorthless) throw outcome.error;
    return `${wallet.address.slice(0, 10)} redeems: ${outcome.kind}`;
  }

  #owned(wallet: PrivateKeyAccount) {
    const { chainId } = this.#world.template.deployment;
    return { chainId: BigInt(chainId), owner: toLowerHex(wallet.address) };
  }

  #deadline(): bigint {
    return BigInt(this.#world.chain.head.time + 3_600);
  }

  async #nonceAt(contract: string, { address }: PrivateKeyAccount): Promise<bigint> {
    const data = `0x7ecebe00${address.slice(2).toLowerCase().padStart(64, '0')}`;
    return BigInt(String(await this.#world.chain.call('eth_call', [{ to: contract, data }, 'latest'])));
  }

  /** The market, or all markets of its event. */
  #marketsDecidedWith(market: MarketFacts): readonly MarketFacts[] {
    if (market.event === undefined) return [market];
    const { reads } = this.#world.service?.host ?? {};
    return reads?.marketsNamed(market.event.id).map(({ facts }) => facts) ?? [];
  }

  async #sharesOf(markets: readonly MarketFacts[], { address }: PrivateKeyAccount): Promise<bigint> {
    const ids = markets.flatMap(({ yesTokenId, noTokenId }) => [BigInt(yesTokenId), BigInt(noTokenId)]);
    const held = await this.#contracts.conditionalTokens.read('balanceOfBatch', [ids.map(() => address), ids]);
    return held.reduce((sum, amount) => sum + amount, 0n);
  }

  get #contracts(): Contracts {
    return createContracts({ rpc: toRpc(this.#world.chain), deployment: this.#world.template.contracts });
  }
}

function toParts(signature: `0x${string}`) {
  const { r, s, yParity } = parseSignature(signature);
  return { v: 27 + yParity, r, s };
}
