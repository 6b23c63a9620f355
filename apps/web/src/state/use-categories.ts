// The categories that the operator has defined, read once.
import type { Category } from '@presage/sdk';
import { usePage } from './page-context.ts';
import { useRemote } from './remote.ts';

const NONE: readonly Category[] = [];

export function useCategories(version = 0): readonly Category[] {
  const { reader } = usePage();
  const { value } = useRemote('categories', (signal) => reader.listCategories({ signal }), { version });
  return value?.categories ?? NONE;
}
