// What the process of a lane is told: everything that a gateway of its service needs, and no secret beyond that.
import { expect, it } from 'vitest';
import { type LaneEnvironmentOptions, toLaneEnvironment } from '../../src/lanes/lane-environment.ts';

const KEYS = ['11', '22', '33'].map((digits) => digits.repeat(32)) as [string, string, string];

it('leaves out the keys of wallets, of operators and of webhooks, whatever their variables are called', () => {
  const [settler, relayer, creator] = KEYS.map((key) => ({ kind: 'local', privateKey: `0x${key}` }));
  const options = {
    config: {
      dataDir: '/data',
      cluster: { secret: 'of this start' },
      drainSeconds: 0,
      lanes: 2,
      chains: [{ keys: { settler, relayer, creator } }],
    },
    environment: {
      PATH: '/bin',
      PRESAGE_PROFILE: 'live',
      PRESAGE_LANES: '2',
      PRESAGE_PYTH_KEY: 'for its own price sources',
      PRESAGE_OPERATOR_KEYS: 'public halves',
      PRESAGE_OPERATOR_KEY: '44'.repeat(32),
      PRESAGE_WEBHOOK_URL: 'https://receiver',
      PRESAGE_WEBHOOK_SECRET: 'a secret of the receiver',
      SETTLER: `0x${KEYS[0]}`,
      RELAYER: ` ${KEYS[1]}\n`,
      CREATOR: `0X${KEYS[2].toUpperCase()}`,
    },
    databaseUrl: 'postgres://view',
    linkAddress: '127.0.0.1:1',
    address: 'http://127.0.0.1:2',
    receiptKey: '55'.repeat(32),
  };
  // Only what is read of a configuration.
  const environment = toLaneEnvironment(options as unknown as LaneEnvironmentOptions, 1);
  const told = Object.entries(environment).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(told)).toEqual({
    PATH: '/bin',
    PRESAGE_PROFILE: 'live',
    PRESAGE_PYTH_KEY: 'for its own price sources',
    PRESAGE_OPERATOR_KEYS: 'public halves',
    PRESAGE_LANE: expect.stringContaining('"index":1'),
    PRESAGE_LANES: '0',
    PRESAGE_ROLES: 'gateway',
    PRESAGE_HOST: '127.0.0.1',
    PRESAGE_PORT: '0',
    PRESAGE_DATA_DIR: '/data/lanes/1',
    PRESAGE_DAILY_DIR: '/data/daily',
    PRESAGE_DATABASE_URL: 'postgres://view',
    PRESAGE_CLUSTER_SECRET: 'of this start',
    PRESAGE_RECEIPT_KEY: '55'.repeat(32),
    PRESAGE_DRAIN_SECONDS: '0',
    PRESAGE_PARENT_PID: String(process.pid),
  });
});
