// Opens the resolution of one chain's markets: the keeper, where the operator wants one.
import type { JournalRecord } from '@presage/protocol';
import { Keeper, type KeeperOptions } from './keeper.ts';

export interface OpenResolutionOptions extends KeeperOptions {
  /** Whether undisputed markets are settled without being asked. */
  readonly isKeeperOn: boolean;
}

export interface Resolution {
  /** A record of the markets became durable. */
  follow(record: JournalRecord): void;
  start(): void;
  close(): Promise<void>;
}

export function openResolution({ isKeeperOn, ...options }: OpenResolutionOptions): Resolution {
  const keeper = new Keeper(options);
  return {
    follow: (record) => keeper.follow(record),
    start: () => {
      if (isKeeperOn) keeper.start();
    },
    close: () => keeper.close(),
  };
}
