// Reuses bearer tokens: at another gateway at nearly the same moment, and later. Each is valid once.
import { PresageError } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { issueToken } from '../world/sim-service.ts';
import type { World } from '../world/world.ts';

interface SentToken {
  readonly nonce: string;
  readonly text: string;
  answered: number;
}

/**
 * Delay for half of the tokens. The other half is used twice in one millisecond: their records differ only in the node.
 */
const APART_MS = 1.5;

export class TokenUser {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly sent: SentToken[] = [];

  constructor(world: World, random: SeededRandom) {
    this.#world = world;
    this.#random = random;
  }

  /** Uses a new token twice concurrently, or an old one again. */
  async act(): Promise<void> {
    const random = this.#random;
    const isNew = this.sent.length === 0 || random.chance(0.6);
    const token = isNew ? this.#issue() : random.pick(this.sent);
    const times = random.chance(0.5) ? 2 : 1;
    const delayMs = 1 + 10 * random.fraction();
    const apartMs = Number.parseInt(token.nonce.slice(-1), 16) % 2 === 0 ? 0 : APART_MS;
    await Promise.all(Array.from({ length: times }, (_, index) => this.#use(token, delayMs + index * apartMs)));
  }

  #issue(): SentToken {
    const nonce = this.#random.hex(16).slice(2);
    const token = { nonce, text: issueToken(nonce, Math.floor(this.#world.time.wallMs / 1_000)), answered: 0 };
    this.sent.push(token);
    return token;
  }

  async #use(token: SentToken, delayMs: number): Promise<void> {
    const world = this.#world;
    const { nonce, text } = token;
    const outcome = await world.ask(delayMs, ({ useToken }) => useToken(text));
    if (outcome.kind === 'answered') token.answered++;
    const code = outcome.kind === 'refused' && outcome.error instanceof PresageError ? ` ${outcome.error.code}` : '';
    world.say(`token ${nonce.slice(0, 8)}: ${outcome.kind}${code}`);
    if (token.answered > 1) world.violations.push(`token ${nonce} was accepted ${token.answered} times`);
  }
}
