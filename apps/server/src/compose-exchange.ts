// Composes the part of the service that trades: control, host, chains and admission. The simulator composes it with its own ports.
import type { Shutdown } from '@presage/runtime';
import { openAdmission, openGate } from './admission/open.ts';
import type { SignerLookup, StopLookup } from './admission/ports.ts';
import { Chains, type ChainsOptions } from './chains/chains.ts';
import type { ServiceClock } from './clock.ts';
import type { Config } from './config.ts';
import type { RecordFollower } from './host/follow-records.ts';
import { type Journal, type OpenHost, type OpenHostOptions, openHost, openSwitches } from './host/open.ts';
import type { Log } from './log/log.ts';
import type { Prices } from './prices/prices.ts';
import type { Views } from './projections/views.ts';
import { Sandbox } from './sandbox/open.ts';
import type { MarketStops } from './settlement/stopped-returns.ts';

type HostPorts = Pick<OpenHostOptions, 'receipts' | 'onDecided' | 'onProgress' | 'checkpointEvery'>;
type ChainPorts = Pick<ChainsOptions, 'onFatal' | 'openHeads' | 'openPost' | 'pace'>;

export interface ExchangePorts<View extends { readonly views: Views }> extends HostPorts, ChainPorts {
  readonly config: Config;
  readonly clock: ServiceClock;
  readonly log: Log;
  readonly shutdown: Shutdown;
  readonly journal: Journal;
  readonly signers: SignerLookup;
  readonly openPrices: (sandbox: Sandbox) => Promise<Prices>;
  readonly openView: (host: OpenHost) => Promise<View>;
  /** Further followers of the control partition. */
  readonly controlFollowers?: readonly RecordFollower[];
  /** Further followers of the market partitions. */
  readonly marketFollowers?: readonly RecordFollower[];
  /** Markets and traders that operators have stopped; undefined if nothing can be stopped. */
  readonly stops?: StopLookup & MarketStops;
  /** Called when the sandbox's demo maker should start or stop. */
  readonly onMaker: (running: boolean) => void;
}

export type Exchange<View extends { readonly views: Views }> = Awaited<ReturnType<typeof openExchange<View>>>;

export async function openExchange<View extends { readonly views: Views }>(ports: ExchangePorts<View>) {
  const { config, clock, log, shutdown, journal, signers, stops, onProgress } = ports;
  const { note } = journal;
  const sandbox = new Sandbox({ config, clock, note, onMaker: ports.onMaker });
  const switches = openSwitches(note, log, () => config.roles.includes('engine'));
  journal.followControl([clock, switches, sandbox, ...(ports.controlFollowers ?? [])]);
  const prices = await ports.openPrices(sandbox);
  const { receipts, onDecided, checkpointEvery } = ports;
  const host = await openHost({
    journal,
    receipts,
    nowMs: clock.nowMs,
    onProgress,
    log,
    ...(onDecided && { onDecided }),
    ...(checkpointEvery && { checkpointEvery }),
  });
  shutdown.add('host', () => host.close());
  const view = await ports.openView(host);
  // Each chain has its own partition, sender and indexer, and sees its own markets only.
  onProgress('asking the chains');
  const chains = await Chains.open({ ...ports, host, views: view.views, prices, sandbox });
  journal.followMarkets([...(ports.marketFollowers ?? []), chains]);
  const { reads, commands } = host;
  const gate = await openGate(config.admission, { reads, views: view.views, nowMs: clock.nowMs, log });
  const admission = await openAdmission(chains, { reads, signers, commands, clock, gate, ...(stops && { stops }) });
  return {
    sandbox,
    switches,
    prices,
    host,
    view,
    chains,
    admission,
    /** Starts deciding commands and acting on chains; neither happens before this call. */
    start: () => {
      host.start();
      switches.start(commands);
      shutdown.add('dead-man switches', () => switches.close());
      chains.start();
    },
  };
}
