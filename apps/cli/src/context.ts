// The context of a command: its clients, wallet, output and timeout.
import {
  createPublicClient,
  createSandboxClient,
  createTradingClient,
  type PublicClient,
  type SandboxClient,
  type ServiceConfig,
  type TradingClient,
} from '@presage/sdk';
import { UsageError } from './exit-codes.ts';
import { configDirOf, type Environment, KeyFiles, type Wallet, walletFromEnvironment } from './key-files.ts';
import { Output, type Sink } from './output.ts';

export interface GlobalOptions {
  readonly url?: string;
  readonly json?: boolean;
  readonly wallet?: string;
  readonly timeout?: string;
}

/** The environment variables and streams of the process, replaceable in tests. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_TIMEOUT_SECONDS = 60;
const DEFAULT_WALLET = 'default';

export class Context {
  readonly env: Environment;
  readonly url: string;
  readonly output: Output;
  readonly keyFiles: KeyFiles;
  readonly walletName: string;
  readonly #timeout: string | undefined;
  #signal: AbortSignal | undefined;
  #reader: PublicClient | undefined;
  #config: Promise<ServiceConfig> | undefined;

  constructor({ url, json, wallet, timeout }: GlobalOptions, { env, stdout, stderr }: Surroundings) {
    this.env = env;
    this.url = toServiceUrl(url ?? (env.PRESAGE_URL || DEFAULT_URL));
    this.output = new Output({ json: json === true, stdout, stderr, env });
    this.keyFiles = new KeyFiles(configDirOf(env));
    this.walletName = wallet ?? (env.PRESAGE_WALLET || DEFAULT_WALLET);
    this.#timeout = timeout;
  }

  /** Aborts when the timeout is over; the timer starts with the first use. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.timeout(toTimeoutMs(this.#timeout));
    return this.#signal;
  }

  /** The same, but only if the user gave a timeout: for work without a default limit. */
  get askedSignal(): AbortSignal | undefined {
    return this.#timeout === undefined ? undefined : this.signal;
  }

  get reader(): PublicClient {
    this.#reader ??= createPublicClient({ url: this.url });
    return this.#reader;
  }

  get sandbox(): SandboxClient {
    return createSandboxClient({ url: this.url });
  }

  /** The controls of the sandbox; refuses a live service, which has none, with what to do there instead. */
  async onlySandbox(remedy: string): Promise<SandboxClient> {
    const { sandbox } = await this.config();
    if (!sandbox) throw new UsageError(`${this.url} is not a sandbox`, remedy);
    return this.sandbox;
  }

  config(): Promise<ServiceConfig> {
    this.#config ??= this.reader.getConfig({ signal: this.signal });
    return this.#config;
  }

  async chainId(): Promise<number> {
    const chain = (await this.config()).chains[0];
    if (chain === undefined) throw new UsageError(`${this.url} serves no chain`, 'See why with `presage doctor`.');
    return chain.chainId;
  }

  /** The wallet in use, reported on stderr; the sandbox creates one if there is none. */
  async wallet(): Promise<Wallet> {
    const wallet = await this.#findWallet();
    this.output.note(`wallet ${wallet.account.address} (${wallet.source})`);
    return wallet;
  }

  async #findWallet(): Promise<Wallet> {
    const known = walletFromEnvironment(this.env) ?? (await this.keyFiles.readWallet(this.walletName));
    if (known !== undefined) return known;
    const { sandbox } = await this.config();
    if (!sandbox || this.walletName !== DEFAULT_WALLET) {
      throw new UsageError(
        `there is no wallet "${this.walletName}"`,
        'Create one with `presage wallet new`, or set PRESAGE_PRIVATE_KEY.',
      );
    }
    this.output.note('no wallet yet: creating one, since this is a sandbox');
    return this.keyFiles.createWallet(this.walletName);
  }

  async trader(): Promise<TradingClient> {
    const { account } = await this.wallet();
    const apiKey = await this.keyFiles.readApiKey(this.url, account.address);
    if (apiKey === undefined && (await this.config()).authRequired) {
      throw new UsageError('this service needs an API key', 'Create one with `presage keys create`.');
    }
    return createTradingClient({ url: this.url, account, ...(apiKey && { apiKey }) });
  }
}

function toServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not the address of a service`, `Write it like ${DEFAULT_URL}.`);
  }
  return text.replace(/\/+$/, '');
}

function toTimeoutMs(text: string | undefined): number {
  const seconds = text === undefined ? DEFAULT_TIMEOUT_SECONDS : Number(text);
  const isPlain = text === undefined || /^\d+(?:\.\d+)?$/.test(text);
  if (!(isPlain && seconds > 0 && seconds <= 86_400)) {
    throw new UsageError(`"${text}" is not a time limit`, 'Write seconds from 1 to 86400.');
  }
  return Math.ceil(seconds * 1_000);
}

/** Ctrl-C as an abort signal, for commands that run until then. A second Ctrl-C ends the process immediately. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
