// What a named bug is: one exact change of the sources.
import type { TextChange } from '../bundle.ts';

export interface Mutation extends TextChange {
  readonly name: string;
  /** Whether lives of several nodes have to notice it. */
  readonly isCluster?: boolean;
  /** The test that fails with it, where no seed notices it. */
  readonly noticedBy?: string;
  /** Why neither a seed nor a test notices it, where none does. */
  readonly unnoticed?: string;
}
