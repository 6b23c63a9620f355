// After the life: a market that has expired is proposed, the dispute window passes, the keeper settles it, and holders redeem.
import { createContracts } from '@presage/chain';
import {
  isDecided,
  MARKET_DOMAIN_NAME,
  type MarketFacts,
  OPERATION_TYPES,
  SPONSORED_PROPOSAL_TYPES,
  toLowerHex,
} from '@presage/protocol';
import { parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { describe } from '../world/describe.ts';
import { toRpc } from '../world/sim-chain-template.ts';
import type { World } from '../world/world.ts';

/** The dispute window of the contracts, and some more. */
const LEAP_MS = 7_500_000;
const LIMIT_MS = 90_000;
const ZERO_WORD = `0x${'0'.repeat(64)}` as const;
const INDEX_SETS = [1n, 2n] as const;

export class Epilogue {
  readonly #world: World;
  readonly #settle: () => Promise<boolean>;

  /** `settle` waits until everything is quiet. */
  constructor(world: World, settle: () => Promise<boolean>) {
    this.#world = world;
    this.#settle = settle;
  }

  async run(): Promise<void> {
    const world = this.#world;
    const market = this.#expired();
    if (market === undefined) return;
    const [proposer] = world.template.wallets;
    await this.#until('the proposal was not relayed', this.#propose(market, proposer!));
    if (!(await this.#settle())) world.violations.push('not quiet after a proposal');
    world.say('two hours pass');
    world.leap(LEAP_MS);
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

  #expired(): MarketFacts | undefined {
    const now = this.#world.chain.head.time;
    const markets = this.#world.service?.host.reads.markets() ?? [];
    return markets.find(({ facts, resolution }) => {
      return this.#world.marketIds.includes(facts.marketId) && facts.expiration < now && resolution === undefined;
    })?.facts;
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

  async #redeem({ marketId, contractAddress, stablecoin }: MarketFacts, wallet: PrivateKeyAccount): Promise<string> {
    const { chainId, conditionalTokens } = this.#world.template.deployment;
    if ((await this.#sharesOf(marketId, wallet)) === 0n) return `${wallet.address.slice(0, 10)} holds nothing`;
    const deadline = this.#deadline();
    const fields = { collateralToken: stablecoin, parentCollectionId: ZERO_WORD, conditionId: marketId };
    const nonce = await this.#nonceAt(conditionalTokens, wallet);
    const signature = await wallet.signTypedData({
      domain: { name: 'ConditionalTokensWithPermit', version: '1', chainId, verifyingContract: conditionalTokens },
      types: OPERATION_TYPES,
      primaryType: 'RedeemPositions',
      message: { owner: wallet.address, ...fields, indexSets: INDEX_SETS, nonce, deadline },
    });
    const request = { ...this.#owned(wallet), ...fields, indexSets: INDEX_SETS, marketAddress: contractAddress };
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

  async #sharesOf(marketId: MarketFacts['marketId'], { address }: PrivateKeyAccount): Promise<bigint> {
    const facts = this.#world.service?.host.reads.facts(marketId);
    const { contracts } = this.#world.template;
    const tokens = createContracts({ rpc: toRpc(this.#world.chain), deployment: contracts }).conditionalTokens;
    const ids = [BigInt(facts?.yesTokenId ?? 0), BigInt(facts?.noTokenId ?? 0)];
    const held = await tokens.read('balanceOfBatch', [[address, address], ids]);
    return held.reduce((sum, amount) => sum + amount, 0n);
  }
}

function toParts(signature: `0x${string}`) {
  const { r, s, yParity } = parseSignature(signature);
  return { v: 27 + yParity, r, s };
}
