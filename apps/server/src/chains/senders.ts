// The accounts that the settler sends from on one chain, each with a durable sender of its own.
import {
  openFees,
  type SenderAlarm,
  type SenderJournal,
  type SenderSnapshot,
  TransactionSender,
  toWei,
} from '@presage/chain';
import { type SigningKey, toSigningAccount } from '@presage/chain/setup';
import type { LocalAccount } from 'viem';
import type { ChainKeys } from '../config/chain-config.ts';
import type { ChainContext } from './chain-context.ts';
import type { ChainLog } from './chain-log.ts';
import type { ChainState } from './chain-state.ts';
import { type EventAlarm, RecentAlarms } from './recent-alarms.ts';

export interface SendingAccount {
  /** Name in metrics and in the status. */
  readonly name: string;
  readonly account: LocalAccount;
  readonly sender: TransactionSender;
}

interface SenderRecords {
  readonly journal: SenderJournal;
  readonly snapshot: SenderSnapshot;
}

type SendingContext = Pick<ChainContext, 'chain' | 'rpc' | 'node' | 'log' | 'pollMs' | 'idleMs'>;

export class Senders {
  readonly settler: SendingAccount;
  readonly relayer: SendingAccount;
  /** Undefined if the chain has no account of its own that creates markets. */
  readonly creator: SendingAccount | undefined;
  /** Recent alarms about transactions of these accounts. */
  readonly recent = new RecentAlarms(Date.now);

  constructor(context: SendingContext, keys: ChainKeys, log: ChainLog, history: ChainState) {
    const open = openAccounts(context, this.recent);
    this.settler = open('settlement', keys.settler, {
      journal: log.sender,
      snapshot: history.settler,
    });
    this.relayer = open('relayer', keys.relayer, { journal: log.relaySender, snapshot: history.relayer });
    const creation = { journal: log.createSender, snapshot: history.creator };
    this.creator = keys.creator && open('creator', keys.creator, creation);
  }

  list(): SendingAccount[] {
    return [this.settler, this.relayer, ...(this.creator ? [this.creator] : [])];
  }

  /** The account of a role: `settler`, `relayer` or `creator`. */
  find(role: string): SendingAccount | undefined {
    return { settler: this.settler, relayer: this.relayer, creator: this.creator }[role];
  }

  /** Names of the senders whose transactions wait for a nonce that does not move. */
  stuck(): string[] {
    return this.list().flatMap(({ name, sender }) => (sender.stuckNonce === null ? [] : [name]));
  }

  wake(): void {
    for (const { sender } of this.list()) sender.wake();
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    const help = 'Whether a nonce does not move and all later transactions wait for it';
    const toGauge = ({ name, sender }: SendingAccount) => {
      const read = () => Number(sender.stuckNonce !== null);
      return [`presage_${name}_nonce_stuck`, { help, read }] as const;
    };
    return Object.fromEntries(this.list().map(toGauge));
  }
}

/** Sender alarms that stay raised for a while. */
const LASTING: Readonly<Partial<Record<SenderAlarm['type'], EventAlarm>>> = {
  'deep-reorg': 'deep_reorg',
  'foreign-transaction': 'key_shared',
};

/** All accounts offer the same gas price, from the settings and the market. */
function openAccounts({ chain, rpc, node, log, pollMs, idleMs }: SendingContext, recent: RecentAlarms) {
  const { chainId, confirmations, minTipGwei, maxFeeGwei } = chain;
  const fees = openFees(rpc, minTipGwei);
  const common = { rpc, node, chainId, confirmations, pollMs, idleMs, fees, maxFeePerGasCap: toWei(maxFeeGwei) };
  return (name: string, key: SigningKey, records: SenderRecords): SendingAccount => {
    const account = toSigningAccount(key);
    const onAlarm = (alarm: SenderAlarm) => {
      const lasting = LASTING[alarm.type];
      if (lasting !== undefined) recent.raise(lasting);
      log.error({ alarm, sender: name }, 'transaction sender raised an alarm');
    };
    return { name, account, sender: new TransactionSender({ ...common, ...records, account, onAlarm }) };
  };
}
