// The part of the configuration about lanes: processes of one service that take its connections.
import { parseJson } from '@presage/protocol';
import type { SettingsReader } from './settings-reader.ts';

/** What the service tells a lane that it starts. */
export interface LaneSettings {
  /** Lanes are numbered from 1 on. */
  readonly index: number;
  /** How many lanes there are. */
  readonly of: number;
  /** Where the service is called by its lanes. */
  readonly linkAddress: string;
  /** HTTP address of the service itself, for what only it can answer. */
  readonly address: string;
  /** Folder of the partitions, which the service writes. */
  readonly journalDir: string;
}

const MOST_LANES = 64;

export function readLanes(read: SettingsReader): number {
  return read.integer('PRESAGE_LANES', [0, MOST_LANES], 0);
}

/** Set by the service that starts a lane, never by hand. */
export function readLane(read: SettingsReader): LaneSettings | undefined {
  const text = read.optional('PRESAGE_LANE');
  if (text === undefined) return undefined;
  // Written by the same version of the program, where it is an object at all.
  if (text.startsWith('{')) return parseJson(text) as LaneSettings;
  read.faults.push('PRESAGE_LANE: a service names its lanes itself; for the number of lanes set PRESAGE_LANES');
  return undefined;
}
