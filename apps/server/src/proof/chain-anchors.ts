// The anchors of all chains, including chains that join later.
import type { Anchors } from './anchors.ts';

export class ChainAnchors<Chain> {
  readonly #opened: Anchors[] = [];
  /** Chain ids in the order of the configuration. */
  readonly #order: readonly number[];
  readonly #open: (chain: Chain) => Promise<Anchors | undefined>;

  constructor(order: readonly number[], open: (chain: Chain) => Promise<Anchors | undefined>) {
    this.#order = order;
    this.#open = open;
  }

  readonly add = async (chain: Chain): Promise<void> => {
    const anchors = await this.#open(chain);
    if (anchors === undefined) return;
    this.#opened.push(anchors);
    anchors.start();
  };

  /** Anchors of a chain, or of the first chain that has any. */
  find(chainId?: number): Anchors | undefined {
    if (chainId !== undefined) return this.#opened.find((each) => each.chainId === chainId);
    const place = (each: Anchors) => this.#order.indexOf(each.chainId);
    return [...this.#opened].sort((a, b) => place(a) - place(b))[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((anchors) => anchors.close()));
  }
}
