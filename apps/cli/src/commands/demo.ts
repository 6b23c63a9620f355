// `presage demo`: a complete trade in half a minute, from an empty wallet to the redeemed winnings, each step with its transaction.
import { createTradingClient, type OrderTrade, type RelayedTransaction, type TradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Call, command } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawDuration } from '../durations.ts';
import { drawAmount, throwIfFailed } from '../values.ts';

const QUESTION = 'Does the tour of Presage end well?';
const MARKET_LIFE_SECONDS = 600;
const GIFT = '100';
const SIZE = '10';
const PRICE = '0.6';
/** 100 of test money, less 10 shares bought at 0.6, plus a payout of 1 for each of them. */
const BALANCE_AT_THE_END = 104_000_000n;

interface Step {
  readonly step: string;
  readonly detail: string;
  readonly txHash?: string;
}

export const DEMO = command(
  'demo',
  'show a complete trade in half a minute: fund, approve, buy, settle, warp, propose, settle, redeem (sandbox)',
  demo,
);

async function demo({ context }: Call): Promise<void> {
  await context.onlySandbox('Start one with `npm start`.');
  await new Tour(context).run();
}

/** Two new wallets and a new market, so that existing state neither matters nor changes. */
class Tour {
  readonly #context: Context;
  readonly #you: TradingClient;
  readonly #other: TradingClient;
  readonly #steps: Step[] = [];

  constructor(context: Context) {
    this.#context = context;
    this.#you = newcomer(context.url);
    this.#other = newcomer(context.url);
  }

  async run(): Promise<void> {
    await this.#fund();
    await this.#approve();
    const marketId = await this.#openMarket();
    await this.#trade(marketId);
    await this.#resolve(marketId);
    await this.#redeem();
    await this.#checkBalance();
  }

  async #fund(): Promise<void> {
    const { sandbox, signal } = this.#context;
    const yours = await sandbox.fund(this.#you.address, GIFT, { signal });
    this.#report({ step: 'fund', detail: `${GIFT} for you, ${this.#you.address}`, txHash: yours.txHash });
    const others = await sandbox.fund(this.#other.address, GIFT, { signal });
    this.#report({ step: 'fund', detail: `${GIFT} for the other side`, txHash: others.txHash });
  }

  /** Approvals are signed here and relayed by the operator, because neither wallet has gas. */
  async #approve(): Promise<void> {
    const { signal } = this.#context;
    for (const client of [this.#you, this.#other]) {
      if ((await this.#context.config()).authRequired) await client.createApiKey({ keyName: 'demo', signal });
      const who = client === this.#you ? 'you' : 'the other side';
      await this.#confirm('approve', `stablecoin, by ${who}, without gas`, await client.approveStablecoin({ signal }));
    }
  }

  async #openMarket(): Promise<string> {
    const { sandbox, signal } = this.#context;
    const market = await sandbox.createMarket({ question: QUESTION, expiresIn: MARKET_LIFE_SECONDS }, { signal });
    this.#report({ step: 'market', detail: `${market.id} "${QUESTION}"` });
    return market.id;
  }

  async #trade(marketId: string): Promise<void> {
    const { signal } = this.#context;
    const terms = { marketId, outcome: 'YES', size: SIZE, price: PRICE } as const;
    const offer = await this.#other.placeOrder({ ...terms, side: 'sell' }, { signal });
    this.#report({ step: 'sell', detail: `the other side offers ${SIZE} YES at ${PRICE}: ${offer.orderHash}` });
    const bought = await this.#you.placeOrder({ ...terms, side: 'buy' }, { signal });
    this.#report({ step: 'buy', detail: `you buy them: ${bought.orderHash}, ${bought.orderStatus}` });
    const { settled, failed } = await bought.waitForSettlement({ signal });
    throwIfFailed(failed);
    for (const trade of settled) this.#report({ step: 'settle', detail: drawTrade(trade), ...hashOf(trade) });
  }

  async #resolve(marketId: string): Promise<void> {
    const { signal } = this.#context;
    const { disputeWindowSeconds } = (await this.#context.config()).chains[0]!;
    await this.#warp(MARKET_LIFE_SECONDS + 1, 'the market is over');
    await this.#confirm('propose', 'YES, by you', await this.#you.proposeResolution(marketId, 'YES', { signal }));
    await this.#warp(disputeWindowSeconds + 1, 'nobody disputed it');
    await this.#confirm('settle', 'YES is final', await this.#you.settleMarket(marketId, { signal }));
  }

  async #redeem(): Promise<void> {
    const { transactions, totalPayout } = await this.#you.redeemAll({ signal: this.#context.signal });
    for (const transaction of transactions) {
      await this.#confirm('redeem', `${drawAmount(totalPayout)} for your shares`, transaction);
    }
  }

  async #checkBalance(): Promise<void> {
    const { balance } = await this.#you.balances({ signal: this.#context.signal });
    this.#report({ step: 'done', detail: `you began with ${GIFT} and have ${drawAmount(balance)}` });
    if (BigInt(balance) === BALANCE_AT_THE_END) return;
    throw new Error(`the tour should end with ${drawAmount(BALANCE_AT_THE_END)}, not with ${drawAmount(balance)}`);
  }

  async #warp(seconds: number, why: string): Promise<void> {
    await this.#context.sandbox.advanceTime(seconds, { signal: this.#context.signal });
    this.#report({ step: 'warp', detail: `${drawDuration(seconds)} on: ${why}` });
  }

  async #confirm(step: string, detail: string, transaction: RelayedTransaction): Promise<void> {
    await transaction.wait({ signal: this.#context.signal });
    this.#report({ step, detail, ...hashOf(transaction) });
  }

  #report(step: Step): void {
    this.#steps.push(step);
    const { output } = this.#context;
    const { colors } = output;
    output.show(step, () => {
      const line = `${String(this.#steps.length).padStart(2)}  ${colors.bold(step.step.padEnd(8))} ${step.detail}`;
      return step.txHash === undefined ? line : `${line}\n${' '.repeat(13)}${colors.dim(step.txHash)}`;
    });
  }
}

function newcomer(url: string): TradingClient {
  return createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
}

function drawTrade({ id, size, price }: OrderTrade): string {
  return `trade ${id}: ${drawAmount(size)} at ${drawAmount(price)}, confirmed on the chain`;
}

function hashOf({ txHash }: { readonly txHash?: string }): { readonly txHash?: string } {
  return txHash ? { txHash } : {};
}
