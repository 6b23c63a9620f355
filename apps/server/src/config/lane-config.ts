// Configuration of lanes: processes of one service that take its connections.
import { parseJson } from '@presage/protocol';
import type { SettingsReader } from './settings-reader.ts';

/** Settings that the service passes to a lane. */
export interface LaneSettings {
  /** Number of the lane, from 1. */
  readonly index: number;
  /** Total number of lanes. */
  readonly of: number;
  /** Address at which lanes call the service over the link. */
  readonly linkAddress: string;
  /** HTTP address of the service, for requests that only it can answer. */
  readonly address: string;
  /** Folder of the partitions, which the service writes. */
  readonly journalDir: string;
}

const MOST_LANES = 64;

export function readLanes(read: SettingsReader): number {
  return read.integer('PRESAGE_LANES', [0, MOST_LANES], 0);
}

/** Reads a lane's settings, which the starting service sets, never a person. */
export function readLane(read: SettingsReader): LaneSettings | undefined {
  const text = read.optional('PRESAGE_LANE');
  if (text === undefined) return undefined;
  // An object comes from the same version of the program, so its fields are not checked.
  if (text.startsWith('{')) return parseJson(text) as LaneSettings;
  read.faults.push('PRESAGE_LANE: a service names its lanes itself; for the number of lanes set PRESAGE_LANES');
  return undefined;
}
