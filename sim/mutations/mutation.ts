// What a named bug is: one exact change of the sources.
import type { TextChange } from '../bundle.ts';

export interface Mutation extends TextChange {
  readonly name: string;
  /** Whether lives of several nodes have to notice it. */
  readonly isCluster?: boolean;
  /** Why no seed notices it, where none does. */
  readonly unnoticed?: string;
}
