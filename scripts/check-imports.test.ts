// The import directions of the house hold today.
import { expect, it } from 'vitest';
import { findForbiddenImports } from './check-imports.ts';

it('no workspace imports against the street and no room imports its sibling', () => {
  expect(findForbiddenImports()).toEqual([]);
});
