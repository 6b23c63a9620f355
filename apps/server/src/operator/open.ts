// Opens the operator module: keys and rights, state set by operators, and their actions.
import { join } from 'node:path';
import { type JournalRecord, type OperatorRight, PresageError } from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { readOrMakeSecret } from '@presage/runtime/node';
import type { TokenChecker } from '../auth/token-checker.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { Approvals } from './approvals.ts';
import type { NoteAction } from './asked.ts';
import { BlockedOrders, type BlockedOrdersOptions } from './blocked-orders.ts';
import { MarketSchedule } from './market-schedule.ts';
import { OperatorService, type OperatorServiceOptions } from './operator-service.ts';
import { type OperatorKey, OperatorState, toOperatorKeyId } from './operator-state.ts';
import { type AskedRequest, type CheckedOperator, requireSignedBody, requireSignedFor } from './signed-request.ts';
import { UnfinishedActs } from './unfinished-acts.ts';

interface OpenOperatorOptions {
  readonly config: Pick<Config, 'profile' | 'dataDir' | 'operatorKeys' | 'approvals' | 'fees' | 'serviceName'>;
  /** Checks tokens of operator keys. */
  readonly checkerOf: (keys: OperatorState) => TokenChecker<OperatorKey>;
  readonly note: NoteAction;
}

export { ChainOperations, type ChainOperationsOptions } from './chain-operations.ts';

export type Operator = Awaited<ReturnType<typeof openOperator>>;

interface ServedParts extends Pick<OperatorServiceOptions, 'chains' | 'commands'> {
  readonly reads: OperatorServiceOptions['reads'] & BlockedOrdersOptions['reads'];
  /** Service clock, by which markets expire. */
  readonly clock: { nowSeconds(): number };
  readonly log: Log;
}

export async function openOperator({ config, checkerOf, note }: OpenOperatorOptions) {
  const state = new OperatorState();
  for (const { publicKey, ...key } of config.operatorKeys) {
    state.addFixed({ ...key, keyId: toOperatorKeyId(publicKey), publicKeyHex: publicKey });
  }
  const tokens = checkerOf(state);
  return {
    state,
    /** Actions that need two operators. */
    approvals: new Approvals({ config: config.approvals, state, note, wallMs: Date.now }),
    /**
     * Checks a token, which must be signed for this request; `checkBody` compares the body once it has arrived. Without a right, any
     * key is accepted. Throws a 401, or 403 `right_missing`.
     */
    check: (request: AskedRequest, right: OperatorRight | undefined): CheckedOperator => {
      let bodyHash = '';
      const checked = tokens.check(request.headers.authorization, (token) => {
        bodyHash = requireSignedFor(token, { service: config.serviceName, method: request.method, path: request.url });
      });
      const requireRight = (key: OperatorKey): OperatorKey => {
        const { rights } = key;
        if (right !== undefined && !rights.includes(right)) throw new PresageError('right_missing', { right, rights });
        return key;
      };
      requireRight(checked.key);
      return { ...checked, bodyHash, requireKey: () => requireRight(checked.requireKey()) };
    },
    checkBody: requireSignedBody,
    /** Key that a sandbox creates for anybody who can reach it; undefined outside a sandbox. */
    sandboxKey: config.profile === 'sandbox' ? await openSandboxKey(config.dataDir, state) : undefined,
    follow: (record: JournalRecord) => state.follow(record),
    /** Creates the service; warns if there is no operator key. The caller starts and closes `schedule` and `unfinished`. */
    serve: ({ clock, log, ...parts }: ServedParts) => {
      if (state.keys().length === 0) log.warn({}, 'no operator keys: set PRESAGE_OPERATOR_KEYS');
      const nowSeconds = () => clock.nowSeconds();
      const { categories, rest } = config.fees;
      const feesFor = (category: string) => categories[category] ?? rest;
      const service = new OperatorService({ ...parts, state, note, nowSeconds, wallMs: Date.now, feesFor, log });
      const { markets, events, closings, voids } = service;
      const isActor = (chainId?: number) =>
        parts.chains
          .list()
          .some(({ config, actor }) => actor !== undefined && config.chainId === (chainId ?? config.chainId));
      const schedule = new MarketSchedule({ state, creations: markets, isActor, nowSeconds, wallMs: Date.now, log });
      const blockedOrders = new BlockedOrders({ ...parts, state, isActing: isActor, log });
      const sources = [blockedOrders, closings, voids, markets, events];
      return { service, schedule, blockedOrders, unfinished: new UnfinishedActs({ sources, isActor, log }) };
    },
    gauges: () => ({
      presage_trading_halted: {
        help: 'Whether an operator has halted trading',
        read: () => Number(state.halt !== undefined),
      },
      presage_markets_paused: {
        help: 'Pauses of markets, by operators and on chain',
        read: () => state.pauses().length,
      },
      presage_wallets_blocked: { help: 'Wallets that operators have blocked', read: () => state.blocked.size },
    }),
  };
}

/** Opens the sandbox's operator key; the same at every start, so that existing setups keep working. */
async function openSandboxKey(dataDir: string, state: OperatorState) {
  const privateKey = await readOrMakeSecret(join(dataDir, 'operator-key'));
  const { publicKeyHex } = createApiKeyPair(Buffer.from(privateKey, 'hex'));
  const keyId = toOperatorKeyId(publicKeyHex);
  state.addFixed({ keyId, name: 'sandbox', rights: ['read', 'markets', 'trading', 'wallets', 'keys'], publicKeyHex });
  return { keyId, privateKey };
}
