// Opens the operators' part: their keys and rights, their halts and names, and their actions, here and on a chain.
import { join } from 'node:path';
import type { JournalRecord } from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { readOrMakeSecret } from '@presage/runtime/node';
import type { TokenChecker } from '../auth/token-checker.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { AccountWatch, type AccountWatchOptions } from './account-watch.ts';
import { ChainOperations, type ChainOperationsOptions } from './chain-operations.ts';
import { ChainMarketCreator, type MarketCreatorOptions } from './market-creator.ts';
import { MarketPresentation } from './market-presentation.ts';
import { OperatorGuard } from './operator-guard.ts';
import { OperatorService, type OperatorServiceOptions } from './operator-service.ts';
import { type OperatorKey, OperatorState, toOperatorKeyId } from './operator-state.ts';
import type { NoteAction } from './ports.ts';

export interface OpenOperatorOptions {
  readonly config: Pick<Config, 'profile' | 'dataDir' | 'operatorKeys'>;
  /** Checks tokens of operator keys. */
  readonly checkerOf: (keys: OperatorState) => TokenChecker<OperatorKey>;
  readonly note: NoteAction;
}

export interface Operator {
  readonly state: OperatorState;
  readonly guard: OperatorGuard;
  /** Key that a sandbox creates for anybody who can reach it; undefined outside a sandbox. */
  readonly sandboxKey: { readonly keyId: string; readonly privateKey: string } | undefined;
  follow(record: JournalRecord): void;
  /** Warns if there is no operator key. */
  serve(parts: ServedParts): OperatorService;
  gauges(): Record<string, { help: string; read: () => number }>;
}

interface ServedParts extends Pick<OperatorServiceOptions, 'chains' | 'reads' | 'commands'> {
  /** The clock by which markets expire. */
  readonly clock: { nowSeconds(): number };
  readonly log: Log;
}

export interface OpenOperationsOptions
  extends Omit<ChainOperationsOptions, 'creator' | 'watch' | 'accounts'>,
    Pick<AccountWatchOptions, 'accounts' | 'everyMs' | 'onAlarm'> {
  /** Undefined if no account that may create markets is configured. */
  readonly creator: Pick<MarketCreatorOptions, 'creator' | 'send'> | undefined;
}

/** Opens the operations of one chain. The watch runs from `start` until it is closed. */
export function openOperations({ creator, accounts, everyMs, onAlarm, ...options }: OpenOperationsOptions) {
  const { rpc, contracts } = options;
  const watch = new AccountWatch({ rpc, contracts, accounts, everyMs, onAlarm });
  const operations = new ChainOperations({
    ...options,
    watch,
    accounts: Object.keys(accounts),
    creator: creator && new ChainMarketCreator({ rpc, contracts, ...creator }),
  });
  return { operations, start: () => watch.start(), close: () => watch.close() };
}

export async function openOperator({ config, checkerOf, note }: OpenOperatorOptions): Promise<Operator> {
  const state = new OperatorState();
  for (const { publicKey, ...key } of config.operatorKeys) {
    state.addFixed({ ...key, keyId: toOperatorKeyId(publicKey), publicKeyHex: publicKey });
  }
  const sandboxKey = config.profile === 'sandbox' ? await openSandboxKey(config.dataDir, state) : undefined;
  return {
    state,
    guard: new OperatorGuard(checkerOf(state)),
    sandboxKey,
    follow: (record) => state.follow(record),
    serve: ({ clock, log, ...parts }) => {
      if (state.keys().length === 0) log.warn({}, 'no operator keys: set PRESAGE_OPERATOR_KEYS');
      const nowSeconds = () => clock.nowSeconds();
      return new OperatorService({ ...parts, state, note, nowSeconds, wallMs: Date.now });
    },
    gauges: () => ({
      presage_trading_halted: {
        help: 'Whether an operator has halted trading',
        read: () => Number(state.halt !== undefined),
      },
      presage_markets_paused: { help: 'Markets that operators have paused', read: () => state.paused().size },
      presage_wallets_blocked: { help: 'Wallets that operators have blocked', read: () => state.blocked().size },
    }),
  };
}

export function openPresentation({ state }: Pick<Operator, 'state'>): MarketPresentation {
  return new MarketPresentation(state);
}

/** The same key at every start, so that existing setups keep working. */
async function openSandboxKey(dataDir: string, state: OperatorState) {
  const privateKey = await readOrMakeSecret(join(dataDir, 'operator-key'));
  const { publicKeyHex } = createApiKeyPair(Buffer.from(privateKey, 'hex'));
  const keyId = toOperatorKeyId(publicKeyHex);
  state.addFixed({ keyId, name: 'sandbox', rights: ['read', 'markets', 'trading', 'wallets', 'keys'], publicKeyHex });
  return { keyId, privateKey };
}
