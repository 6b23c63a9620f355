// The type of a named bug: one exact change of the sources.
import type { TextChange } from '../bundle.ts';

export interface Mutation extends TextChange {
  readonly name: string;
  /** Whether it takes lives of several nodes to notice it. */
  readonly isCluster?: boolean;
  /** The test that fails with it, if no seed notices it. */
  readonly noticedBy?: string;
  /** Why neither a seed nor a test notices it. */
  readonly unnoticed?: string;
}
