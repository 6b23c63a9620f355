// Starts the chains, the contracts and the service, keeps them running, and stops them in reverse.
import { join } from 'node:path';
import { FIRST_CHAIN_ID } from '@presage/devchain';
import type { SandboxDeployment } from '../deployer/deploy-contracts.ts';
import { type ChainListening, type ChainReady, createChainProcess } from './chain-process.ts';
import {
  type ChainPlace,
  findIdleChains,
  placeOf,
  readChainPort,
  type StartedChain,
  writeChainsFile,
} from './chains-file.ts';
import { openContracts, preloadDeployer, readContracts } from './contracts-step.ts';
import { prepareService } from './first-start.ts';
import type { KeptProcess, KeptProcessHooks } from './kept-process.ts';
import { LogFile } from './log-file.ts';
import { MakerProcess } from './maker-process.ts';
import { buildPage } from './page-step.ts';
import { drawPanel } from './panel.ts';
import { ProcessRegister } from './process-register.ts';
import { createServiceProcess, type ServiceReady } from './service-process.ts';
import type { Environment, Settings } from './settings.ts';
import { requireDatabase, requireFreePort } from './start-checks.ts';
import { StartFault } from './start-fault.ts';
import type { TerminalReporter } from './terminal-reporter.ts';

export interface SupervisorOptions {
  readonly settings: Settings;
  /** Passed on to the service. */
  readonly environment: Environment;
  readonly terminal: TerminalReporter;
}

type Progress = (text: string) => void;
type Role = 'chain' | 'service';
type LoggedRole = Role | 'maker';

const USUAL_SERVICE_PORT = 8080;
const USUAL_CHAIN_PORT = 8545;
/** The service gives itself 15 s to end, after the time of its drain, which is added separately. */
const TIMEOUT_MS = { service: 20_000, chain: 10_000 } as const;

export class Supervisor {
  readonly #settings: Settings;
  readonly #environment: Environment;
  readonly #terminal: TerminalReporter;
  readonly #log: LogFile | undefined;
  readonly #chains = new Map<number, KeptProcess<ChainReady>>();
  #service: KeptProcess<ServiceReady> | undefined;
  readonly #maker: MakerProcess;
  /** The service's address for the maker, which may be switched on before the port is known. */
  #serviceUrl: Promise<ServiceReady> | undefined;
  #register: ProcessRegister | undefined;
  /** Shows the service's progress; set when the terminal shows the service's step. */
  #onServiceProgress: Progress = () => undefined;
  #isStopping = false;

  constructor({ settings, environment, terminal }: SupervisorOptions) {
    this.#settings = settings;
    this.#environment = environment;
    this.#terminal = terminal;
    this.#maker = new MakerProcess(this.#hooks('maker', () => undefined));
    this.#log = settings.isLogShown ? undefined : new LogFile(join(settings.dataDir, 'service.log'));
  }

  get #serviceDir(): string {
    return join(this.#settings.dataDir, 'service');
  }

  /** Starts everything; from then on each child is kept running. */
  async start(): Promise<void> {
    const { dataDir, host, port, hasOwnChain, faults } = this.#settings;
    if (faults.length > 0) throw new StartFault(faults.join('\n'));
    requireDatabase(this.#environment);
    this.#register = await ProcessRegister.open(dataDir);
    if (port) await requireFreePort(host, port);
    this.#log?.open();
    this.#terminal.say('Presage is starting.\n');
    const page = buildPage((text) => this.#terminal.warn(text));
    const ending = hasOwnChain ? await this.#startSandbox() : await this.#startAlone();
    await page;
    this.#terminal.say(`\n  Ready in ${(performance.now() / 1000).toFixed(1)} s.\n${ending}`);
  }

  /** Stops the service before the chains, since it may need them to drain. Resolves to whether every child exited with 0. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    await this.#maker.stop();
    const service = await this.#stopAll('service', this.#service === undefined ? [] : [this.#service]);
    const chains = await this.#stopAll('chain', [...this.#chains.values()]);
    this.#close();
    return service && chains;
  }

  /** Stops after a failed start, silently, so that the reason stays the last line. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    await this.#maker.stop();
    const chains = [...this.#chains.values()].map((chain) => chain.stop(TIMEOUT_MS.chain));
    await Promise.all([this.#service?.stop(this.#timeoutMs('service')), ...chains]);
    this.#close();
  }

  /** Kills every child at once. Nothing is lost: every answer the service gave is durable. */
  kill(): void {
    this.#isStopping = true;
    this.#maker.kill();
    for (const child of this.#children()) child.kill();
    this.#close();
  }

  #close(): void {
    this.#register?.close();
    this.#log?.close();
  }

  async #startSandbox(): Promise<string> {
    const { dataDir, chainIds } = this.#settings;
    const places = chainIds.map((chainId) => placeOf(dataDir, chainId));
    await this.#sayIdle();
    const known = await Promise.all(places.map(readContracts));
    const isFirst = known.includes(undefined);
    const preparing = isFirst ? [preloadDeployer(), prepareService(this.#environment, this.#serviceDir)] : [];
    const listening = new Map<number, ChainListening>();
    let early: Promise<ServiceReady> | undefined;
    const onListening = (index: number, chain: ChainListening) => {
      listening.set(index, chain);
      early ??= this.#startEarly(known, listening);
      // The step that awaits the service reports the failure.
      early?.catch(() => undefined);
    };
    const starting = this.#terminal.step('chain', (progress) => this.#startChains(places, progress, onListening));
    const ready = await starting;
    const started = await this.#terminal.step('contracts', (progress) => this.#deploy(places, ready, progress));
    await Promise.all(preparing);
    const { url } = await this.#terminal.step('service', async (progress) => {
      this.#onServiceProgress = progress;
      return [await (early ?? this.#startBeside(started, ready[0]?.feedUrl)), 'ready'] as const;
    });
    return drawPanel({ url, chains: started, dataDir, logPath: this.#log?.path });
  }

  /** If all contracts are known, starts the service beside the chains, for whose answers it waits. Undefined if it cannot start yet. */
  #startEarly(
    known: readonly (SandboxDeployment | undefined)[],
    listening: ReadonlyMap<number, ChainListening>,
  ): Promise<ServiceReady> | undefined {
    const started = known.flatMap((deployment, index) => {
      const chain = listening.get(index);
      return deployment === undefined || chain === undefined || chain.isNew ? [] : [{ deployment, rpcUrl: chain.url }];
    });
    if (started.length < known.length) return undefined;
    return this.#startBeside(started, listening.get(0)?.feedUrl);
  }

  async #startBeside(started: readonly StartedChain[], feedUrl: string | undefined): Promise<ServiceReady> {
    const { dataDir, simulation } = this.#settings;
    const chains = await writeChainsFile(dataDir, started, simulation);
    // The sandbox's contracts trust only its own feed.
    const own = { PRESAGE_CHAINS: chains, PRESAGE_DATA_DIR: this.#serviceDir, PRESAGE_PYTH_URL: feedUrl };
    return this.#startService({ ...this.#environment, ...own });
  }

  async #startAlone(): Promise<string> {
    const { url } = await this.#terminal.step('service', async (progress) => {
      this.#onServiceProgress = progress;
      return [await this.#startService(this.#environment), 'ready'] as const;
    });
    return `\n  Page and API  ${url}\n  Docs          ${url}/docs\n`;
  }

  /** Warns of chains of earlier starts that are not started: their markets stay in the journal, but cannot be traded. */
  async #sayIdle(): Promise<void> {
    const { dataDir, chainIds } = this.#settings;
    for (const chainId of await findIdleChains(dataDir, chainIds)) {
      this.#terminal.warn(
        `Chain ${chainId} of an earlier start is not started: its markets are shown and cannot be traded, and its ` +
          `unsettled trades wait. PRESAGE_SANDBOX_CHAINS=${chainId - FIRST_CHAIN_ID + 1} starts it again as it was.`,
      );
    }
  }

  async #startChains(
    places: readonly ChainPlace[],
    progress: Progress,
    onListening: (index: number, chain: ChainListening) => void,
  ): Promise<readonly [ChainReady[], string]> {
    const ready = await Promise.all(
      places.map((place, index) => this.#startChain(place, progress, (chain) => onListening(index, chain))),
    );
    const texts = ready.map(({ isNew, blockNumber }) => (isNew ? 'new' : `at block ${blockNumber}, as before`));
    return [ready, describeEach(places, texts)];
  }

  async #deploy(
    places: readonly ChainPlace[],
    ready: readonly ChainReady[],
    onProgress: Progress,
  ): Promise<readonly [StartedChain[], string]> {
    const rpcUrls = ready.map(({ url }) => url);
    const found = await Promise.all(
      places.map((place, index) => openContracts({ place, rpcUrl: rpcUrls[index]!, onProgress })),
    );
    const texts = found.map(({ isNew }) => (isNew ? 'deployed' : 'as before'));
    const started = found.map(({ deployment }, index) => ({ deployment, rpcUrl: rpcUrls[index]! }));
    return [started, describeEach(places, texts)];
  }

  /** Reuses the port of the last start, which wallets may know; takes any other if that port is in use. */
  async #startChain(
    place: ChainPlace,
    progress: Progress,
    onListening: (chain: ChainListening) => void,
  ): Promise<ChainReady> {
    const { dataDir, port: servicePort } = this.#settings;
    // Only a sandbox on the usual port takes the chain port that wallets suggest; otherwise two on one machine could take each other's.
    const { chainId } = place;
    const usualPort = servicePort === USUAL_SERVICE_PORT ? USUAL_CHAIN_PORT + chainId - FIRST_CHAIN_ID : 0;
    const open = async (port: number) => {
      const chain = createChainProcess({ place, port, onListening, ...this.#hooks('chain', progress) });
      this.#refuseWhenStopping();
      this.#chains.set(chainId, chain);
      return chain.open();
    };
    return open(await readChainPort(dataDir, chainId, usualPort)).catch((error: unknown) => {
      if (error instanceof StartFault && error.message.includes('EADDRINUSE')) return open(0);
      throw error;
    });
  }

  #startService(environment: Environment): Promise<ServiceReady> {
    const onMaker = (running: boolean) => void this.#switchMaker(running);
    const hooks = this.#hooks('service', (text) => this.#onServiceProgress(text));
    const service = createServiceProcess({ environment, onMaker, ...hooks });
    this.#refuseWhenStopping();
    this.#service = service;
    this.#serviceUrl = service.open();
    return this.#serviceUrl;
  }

  async #switchMaker(running: boolean): Promise<void> {
    const ready = await this.#serviceUrl?.catch(() => undefined);
    if (ready !== undefined && !this.#isStopping) this.#maker.set(running, ready.url);
  }

  #refuseWhenStopping(): void {
    if (this.#isStopping) throw new StartFault('stopped before the start was done');
  }

  #children(): (KeptProcess<ChainReady> | KeptProcess<ServiceReady>)[] {
    return [...this.#chains.values(), ...(this.#service === undefined ? [] : [this.#service])];
  }

  #hooks(role: LoggedRole, onProgress: Progress): KeptProcessHooks {
    return {
      onProgress,
      onLog: (line) => {
        this.#log?.write(line);
        if (this.#log === undefined) this.#terminal.pass(line);
        else this.#terminal.log(line);
      },
      onRun: (pid, isRunning) => (isRunning ? this.#register?.add(role, pid) : this.#register?.remove(pid)),
      onNotice: (text) => this.#terminal.warn(text),
    };
  }

  #timeoutMs(role: Role): number {
    return TIMEOUT_MS[role] + (role === 'service' ? this.#settings.drainMs : 0);
  }

  async #stopAll(role: Role, children: readonly Pick<KeptProcess<ChainReady>, 'stop'>[]): Promise<boolean> {
    if (children.length === 0) return true;
    const ends = await this.#terminal.step(role, async () => {
      return [await Promise.all(children.map((child) => child.stop(this.#timeoutMs(role)))), 'stopped'] as const;
    });
    return ends.every((end) => end === undefined || end.code === 0);
  }
}

/** Names the chains only if there are several. */
function describeEach(places: readonly ChainPlace[], texts: readonly string[]): string {
  if (places.length === 1) return texts[0]!;
  return places.map(({ chainId }, index) => `${chainId} ${texts[index]}`).join('; ');
}
