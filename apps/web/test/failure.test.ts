// What is said of a failure: in words, whatever was thrown.
import { PresageConnectionError } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { toFailure } from '../src/state/failure.ts';

const REFUSED = 'You did not sign. Nothing was sent';
const SILENT = 'It failed, and no reason was given';

describe('a failure', () => {
  it.each([
    ['a wallet whose person said no', Object.assign(new Error('User rejected.'), { code: 4001 }), REFUSED],
    ['a wallet that throws a plain object', { code: 4001, message: 'User rejected.' }, REFUSED],
    ['a wallet with another trouble', { code: -32002, message: 'Already processing.' }, 'Already processing'],
    ['a wallet that throws a text', 'locked', 'locked'],
    ['a wallet without a message', { code: -32603 }, SILENT],
    ['a wallet with an empty message', { code: -32603, message: '' }, SILENT],
    ['a wallet that throws nothing', undefined, SILENT],
    ['an empty error', new Error(''), SILENT],
    ['a sentence', new Error('There is none. Get one.'), 'There is none. Get one'],
    ['no answer', new PresageConnectionError('no answer', 'cut'), 'The service does not answer'],
  ])('of %s is told', (_of, thrown, message) => {
    expect(toFailure(thrown).message).toBe(message);
  });
});
