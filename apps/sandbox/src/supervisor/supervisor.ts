// Starts the chain, the contracts and the service in order, keeps them running, and stops them in reverse.
import { join } from 'node:path';
import { type ChainReady, createChainProcess } from './chain-process.ts';
import { readChainPort, writeChainsFile } from './chains-file.ts';
import { openContracts, preloadDeployer } from './contracts-step.ts';
import { requireDatabase } from './database-check.ts';
import { requireFreePort } from './free-port.ts';
import type { KeptProcess, KeptProcessHooks } from './kept-process.ts';
import { LogFile } from './log-file.ts';
import { MakerProcess } from './maker-process.ts';
import { buildPage } from './page-step.ts';
import { drawPanel } from './panel.ts';
import { ProcessRegister } from './process-register.ts';
import { createServiceProcess, type ServiceReady } from './service-process.ts';
import type { Settings } from './settings.ts';
import { StartFault } from './start-fault.ts';
import type { TerminalReporter } from './terminal-reporter.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SupervisorOptions {
  readonly settings: Settings;
  /** Handed on to the service. */
  readonly environment: Environment;
  readonly terminal: TerminalReporter;
}

type Progress = (text: string) => void;
type Role = 'chain' | 'service';
type LoggedRole = Role | 'maker';

const USUAL_SERVICE_PORT = 8080;
const USUAL_CHAIN_PORT = 8545;
/** The service gives itself 15 s to drain. */
const TIMEOUT_MS = { service: 20_000, chain: 10_000 } as const;

export class Supervisor {
  readonly #settings: Settings;
  readonly #environment: Environment;
  readonly #terminal: TerminalReporter;
  readonly #log: LogFile | undefined;
  readonly #children = new Map<Role, KeptProcess<ChainReady> | KeptProcess<ServiceReady>>();
  readonly #maker: MakerProcess;
  /** Where the maker finds the service; it may be asked for before the port is known. */
  #serviceUrl: Promise<ServiceReady> | undefined;
  #register: ProcessRegister | undefined;
  #isStopping = false;

  constructor({ settings, environment, terminal }: SupervisorOptions) {
    this.#settings = settings;
    this.#environment = environment;
    this.#terminal = terminal;
    this.#maker = new MakerProcess(this.#hooks('maker', () => undefined));
    this.#log = settings.isLogShown ? undefined : new LogFile(join(settings.dataDir, 'service.log'));
  }

  /** Starts everything; from then on only a child that cannot be kept running ends it, by a rejection. */
  async run(): Promise<never> {
    const { dataDir, host, port, hasOwnChain } = this.#settings;
    requireDatabase(this.#environment);
    this.#register = await ProcessRegister.open(dataDir);
    if (port) await requireFreePort(host, port);
    this.#log?.open();
    this.#terminal.say('Presage is starting.\n');
    const page = buildPage((text) => this.#terminal.warn(text));
    const ending = hasOwnChain ? await this.#startSandbox() : await this.#startAlone();
    await page;
    this.#terminal.say(`\n  Ready in ${(performance.now() / 1000).toFixed(1)} s.\n${ending}`);
    return Promise.race([...this.#children.values()].map(({ failure }) => failure));
  }

  /** The service first, since it may need the chain to drain. True when every child ended well. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    await this.#maker.stop();
    const service = await this.#stopOne('service');
    const chain = await this.#stopOne('chain');
    this.#close();
    return service && chain;
  }

  /** After a failure: whatever still runs is stopped silently, so that the reason stays the last line. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    await this.#maker.stop();
    await Promise.all([...this.#children].map(([role, child]) => child.stop(TIMEOUT_MS[role])));
    this.#close();
  }

  /** At once: what was answered is durable, so this loses nothing but a tidy end. */
  kill(): void {
    this.#isStopping = true;
    this.#maker.kill();
    for (const child of this.#children.values()) child.kill();
    this.#close();
  }

  #close(): void {
    this.#register?.close();
    this.#log?.close();
  }

  async #startSandbox(): Promise<string> {
    const { dataDir } = this.#settings;
    const [{ url: rpcUrl, feedUrl }] = await Promise.all([
      this.#terminal.step('chain', (progress) => this.#startChain(progress)),
      preloadDeployer(dataDir),
    ]);
    const deployment = await this.#terminal.step('contracts', async (onProgress) => {
      const found = await openContracts({ dataDir, rpcUrl, onProgress });
      return [found.deployment, found.isNew ? 'deployed' : 'as before'] as const;
    });
    const chains = await writeChainsFile(dataDir, rpcUrl, deployment);
    // The sandbox's contracts trust only its own feed.
    const own = { PRESAGE_CHAINS: chains, PRESAGE_DATA_DIR: join(dataDir, 'service'), PRESAGE_PYTH_URL: feedUrl };
    const { url } = await this.#startService({ ...this.#environment, ...own });
    return drawPanel({ url, rpcUrl, chainId: deployment.chainId, dataDir, logPath: this.#log?.path });
  }

  async #startAlone(): Promise<string> {
    const { url } = await this.#startService(this.#environment);
    return `\n  Page and API  ${url}\n  Docs          ${url}/docs\n`;
  }

  /** Wallets may know the port of the last start; when somebody else has it now, any other must do. */
  async #startChain(progress: Progress): Promise<readonly [ChainReady, string]> {
    const { dataDir, port: servicePort } = this.#settings;
    // The port that wallets suggest, for the sandbox at the usual place alone: a chain that comes back must not find another's there.
    const usualPort = servicePort === USUAL_SERVICE_PORT ? USUAL_CHAIN_PORT : 0;
    const open = async (port: number) => {
      const chain = createChainProcess({ dataDir, port, ...this.#hooks('chain', progress) });
      return this.#keep('chain', chain).open();
    };
    const ready = await open(await readChainPort(dataDir, usualPort)).catch((error: unknown) => {
      if (error instanceof StartFault && error.message.includes('EADDRINUSE')) return open(0);
      throw error;
    });
    return [ready, ready.blockNumber === 0 ? 'new' : `at block ${ready.blockNumber}, as before`];
  }

  #startService(environment: Environment): Promise<ServiceReady> {
    return this.#terminal.step('service', async (progress) => {
      const onMaker = (running: boolean) => void this.#switchMaker(running);
      const service = createServiceProcess({ environment, onMaker, ...this.#hooks('service', progress) });
      this.#serviceUrl = this.#keep('service', service).open();
      return [await this.#serviceUrl, 'ready'] as const;
    });
  }

  async #switchMaker(running: boolean): Promise<void> {
    const ready = await this.#serviceUrl?.catch(() => undefined);
    if (ready !== undefined && !this.#isStopping) this.#maker.set(running, ready.url);
  }

  #keep<T extends KeptProcess<ChainReady> | KeptProcess<ServiceReady>>(role: Role, child: T): T {
    if (this.#isStopping) throw new StartFault('stopped before the start was done');
    this.#children.set(role, child);
    return child;
  }

  #hooks(role: LoggedRole, onProgress: Progress): KeptProcessHooks {
    return {
      onProgress,
      onLog: (line) => (this.#log ? this.#handleLog(line, this.#log) : this.#terminal.pass(line)),
      onRun: (pid, isRunning) => (isRunning ? this.#register?.add(role, pid) : this.#register?.remove(pid)),
      onNotice: (text) => this.#terminal.warn(text),
    };
  }

  #handleLog(line: string, log: LogFile): void {
    log.write(line);
    this.#terminal.log(line);
  }

  async #stopOne(role: Role): Promise<boolean> {
    const child = this.#children.get(role);
    if (child === undefined) return true;
    const end = await this.#terminal.step(role, async () => [await child.stop(TIMEOUT_MS[role]), 'stopped'] as const);
    return end === undefined || end.code === 0;
  }
}
