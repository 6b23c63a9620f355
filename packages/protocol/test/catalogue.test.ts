// The catalogue of errors is complete, its fixed texts are unchanged, and nothing retired returns.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderErrorDocs } from '../scripts/error-docs.ts';
import { ERRORS, PresageError, RETIRED_CODES } from '../src/index.ts';

/** Texts that clients compare: authentication, then relayer. */
const SPECIFIED = [
  'missing authorization header',
  'invalid authorization format',
  'invalid token format',
  'token expired',
  'API key not found',
  'API key is inactive',
  'API key has expired',
  'invalid signature',
  'token already used',
  'Invalid request body',
  'Invalid address format',
  'Invalid signature format',
  'No relayer configured for chain',
];

describe('error catalogue', () => {
  it('holds every fixed text verbatim', () => {
    const texts = new Set(Object.values(ERRORS).map(({ error }) => error));
    expect(SPECIFIED.filter((text) => !texts.has(text as never))).toEqual([]);
  });

  it('gives each code a snake_case name, a status of 4xx or 5xx, a text and a remedy', () => {
    for (const [code, { status, error, remedy }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(error.length).toBeGreaterThan(5);
      expect(remedy.endsWith('.')).toBe(true);
    }
  });

  it('answers 401 for the texts of the authentication table and, to operators, for a token of another request', () => {
    const unauthorised = Object.values(ERRORS).filter(({ status }) => status === 401);
    const texts = [...SPECIFIED.slice(0, 9), ERRORS.token_for_other_request.error];
    expect(new Set(unauthorised.map(({ error }) => error))).toEqual(new Set(texts));
  });

  it('never brings back a retired code', () => {
    expect(RETIRED_CODES.filter((code) => code in ERRORS)).toEqual([]);
  });

  it('travels as an error with its status and details', () => {
    const error = new PresageError('would_cross', { bestPrice: 5 });
    expect(error).toMatchObject({ status: 409, retryable: false, details: { bestPrice: 5 } });
  });

  it('is what docs/errors.md says; `npm run gen` writes it', () => {
    expect(readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')).toBe(renderErrorDocs());
  });
});
