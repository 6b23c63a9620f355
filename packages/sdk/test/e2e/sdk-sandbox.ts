// One running sandbox for the SDK's tests: clients of named wallets, and markets that no other test touches.
import {
  openSandbox,
  type SandboxOptions,
  type SandboxProcess,
  TestClient,
  walletOf,
  withoutQuickMarkets,
} from '@presage/testkit';
import { afterAll, beforeAll } from 'vitest';
import {
  type ApiKey,
  createPublicClient,
  createTradingClient,
  type Market,
  type PublicClient,
} from '../../src/index.ts';

export class SdkSandbox {
  readonly process: SandboxProcess;
  readonly http: TestClient;
  readonly reader: PublicClient;

  private constructor(process: SandboxProcess, http: TestClient) {
    this.process = process;
    this.http = http;
    this.reader = createPublicClient({ url: process.url });
  }

  /** Without quick markets, unless `env` names some: see `QUICK_MARKETS`. */
  static async open(options: SandboxOptions = {}): Promise<SdkSandbox> {
    const process = await openSandbox(withoutQuickMarkets(options));
    return new SdkSandbox(process, await TestClient.open(process.url));
  }

  /** Starts again on the same data after a kill. */
  async reopen(options: Omit<SandboxOptions, 'dataDir'> = {}): Promise<SdkSandbox> {
    const { dataDir } = this.process;
    return SdkSandbox.open({ ...options, dataDir });
  }

  get url(): string {
    return this.process.url;
  }

  client(name: string, apiKey?: ApiKey) {
    return createTradingClient({ url: this.url, account: walletOf(name), ...(apiKey && { apiKey }) });
  }

  async post<T>(path: string, body: object): Promise<T> {
    const answer = await this.http.post<T>(path, body);
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  newMarket(question: string, expiresIn = 30 * 86_400): Promise<Market> {
    return this.post('/sandbox/markets', { question, expiresIn });
  }

  close(): Promise<void> {
    return this.process.discard();
  }
}

/** What all tests of a file share. */
export interface SdkPlace {
  readonly sandbox: SdkSandbox;
  /** With the same settings and data, after a kill. */
  reopen(): Promise<void>;
}

/** Open while the tests of the file run. */
export function usePlace(env: Readonly<Record<string, string>>): SdkPlace {
  let sandbox: SdkSandbox | undefined;
  beforeAll(async () => {
    sandbox = await SdkSandbox.open({ env });
  });
  afterAll(() => sandbox?.close());
  return {
    get sandbox() {
      if (sandbox === undefined) throw new Error('the sandbox does not run yet');
      return sandbox;
    },
    async reopen() {
      sandbox = await sandbox?.reopen({ env });
    },
  };
}
