// Builds the environment of a lane: the service's, plus settings that make it a gateway of this service, minus secrets it does not need.
import { join } from 'node:path';
import { stringifyJson } from '@presage/protocol';
import type { Environment } from '../config/settings-reader.ts';
import type { Config, LaneSettings } from '../config.ts';

export interface LaneEnvironmentOptions {
  readonly config: Pick<Config, 'dataDir' | 'dailyDir' | 'cluster' | 'drainSeconds' | 'lanes' | 'chains'>;
  /** The environment of the service. */
  readonly environment: Environment;
  /** URL of the view's database; contains a password. */
  readonly databaseUrl: string;
  readonly linkAddress: string;
  /** HTTP address of the service. */
  readonly address: string;
  readonly receiptKey: string;
}

/** Environment of a lane: a gateway with its own folder, and with the journal, view and keys of the service. */
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

/** Settings withheld from lanes: only the service calls webhooks, and the operator's key is for the command line. */
const NOT_FOR_LANES = /^PRESAGE_(WEBHOOK_\w+|OPERATOR_KEY)$/;

/** Removes secrets, since a lane parses input of strangers. Finds wallet keys by value: the chains file may name their variables freely. */
function withoutSecrets({ config, environment }: LaneEnvironmentOptions): Environment {
  const keys = config.chains.flatMap((chain) => [chain.keys?.settler, chain.keys?.relayer, chain.keys?.creator]);
  const secrets = new Set(keys.flatMap((key) => (key?.kind === 'local' ? [key.privateKey] : [])));
  const isSecret = (value = '') => secrets.has(`0x${value.trim().replace(/^0x/i, '').toLowerCase()}`);
  const kept = Object.entries(environment).filter(([name, value]) => !NOT_FOR_LANES.test(name) && !isSecret(value));
  return Object.fromEntries(kept);
}
