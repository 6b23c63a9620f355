// The environment of a lane: that of its service, with what makes it a gateway of this one service and without secrets that it does not need.
import { join } from 'node:path';
import { stringifyJson } from '@presage/protocol';
import type { Environment } from '../config/settings-reader.ts';
import type { Config, LaneSettings } from '../config.ts';

export interface LaneEnvironmentOptions {
  readonly config: Pick<Config, 'dataDir' | 'dailyDir' | 'cluster' | 'drainSeconds' | 'lanes' | 'chains'>;
  /** The environment of the service. */
  readonly environment: Environment;
  /** Database of the view; contains a password. */
  readonly databaseUrl: string;
  readonly linkAddress: string;
  /** HTTP address of the service itself. */
  readonly address: string;
  readonly receiptKey: string;
}

/** A lane is a gateway with a folder of its own, whose journal, view and keys are those of the service. */
export function toLaneEnvironment(options: LaneEnvironmentOptions, index: number): Environment {
  const { config, databaseUrl, receiptKey, linkAddress, address } = options;
  const { dataDir, dailyDir, cluster, drainSeconds, lanes: of } = config;
  const lane: LaneSettings = { index, of, linkAddress, address, journalDir: join(dataDir, 'journal') };
  return {
    ...withoutSecrets(options),
    PRESAGE_LANE: stringifyJson(lane),
    PRESAGE_LANES: '0',
    PRESAGE_ROLES: 'gateway',
    PRESAGE_HOST: '127.0.0.1',
    PRESAGE_PORT: '0',
    PRESAGE_DATA_DIR: join(dataDir, 'lanes', String(index)),
    PRESAGE_DAILY_DIR: dailyDir ?? join(dataDir, 'daily'),
    PRESAGE_DATABASE_URL: databaseUrl,
    PRESAGE_CLUSTER_SECRET: cluster?.secret,
    PRESAGE_RECEIPT_KEY: receiptKey,
    PRESAGE_DRAIN_SECONDS: String(drainSeconds),
    PRESAGE_PARENT_PID: String(process.pid),
  };
}

/** Only the service calls webhooks; the key of an operator is for the command line. */
const NOT_FOR_LANES = /^PRESAGE_(WEBHOOK_\w+|OPERATOR_KEY)$/;

/** A lane reads what strangers send. Keys of wallets are known by their values: the chains file names their variables as it likes. */
function withoutSecrets({ config, environment }: LaneEnvironmentOptions): Environment {
  const keys = config.chains.flatMap((chain) => [chain.keys?.settler, chain.keys?.relayer, chain.keys?.creator]);
  const secrets = new Set(keys.flatMap((key) => (key?.kind === 'local' ? [key.privateKey] : [])));
  const isSecret = (value = '') => secrets.has(`0x${value.trim().replace(/^0x/i, '').toLowerCase()}`);
  const kept = Object.entries(environment).filter(([name, value]) => !NOT_FOR_LANES.test(name) && !isSecret(value));
  return Object.fromEntries(kept);
}
