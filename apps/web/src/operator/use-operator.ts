// The operator's client, where the key that was given has the right.
import type { OperatorRight } from '@presage/sdk';
import type { OperatorClient } from '@presage/sdk/operator';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';

/** Undefined without a key, or where it lacks the right. */
export function useOperator(right: OperatorRight): OperatorClient | undefined {
  const opened = useWatched(usePage().operator.opened);
  return opened?.key.rights.includes(right) ? opened.client : undefined;
}
