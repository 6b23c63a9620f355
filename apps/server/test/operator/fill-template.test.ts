// The expiration that a template gives: the same on every server, and never another day than was typed.
import { describe, expect, it } from 'vitest';
import { fillTemplate } from '../../src/operator/fill-template.ts';

const TEMPLATE = {
  question: 'Will it rain?',
  description: '',
  source: '',
  category: 'general',
  imageUrl: '',
  expires: '{when}',
  earlyResolution: false,
};
const expirationOf = (when: string) => fillTemplate(TEMPLATE, { when }, 0).expiration;

describe('the expiration of a template', () => {
  it.each([
    ['2027-01-31', 1_801_353_600],
    ['2027-01-31T18:00Z', 1_801_418_400],
    ['2027-01-31T18:00:00.5Z', 1_801_418_400],
    ['2027-01-31T20:00:00+02:00', 1_801_418_400],
  ])('reads %s', (when, seconds) => {
    expect(expirationOf(when)).toBe(seconds);
  });

  it.each(['2027-01-31T18:00:00', '2027-01-31 18:00', '2027-02-30', '2027-02-30T18:00Z', '2027-13-01', 'soon'])(
    'refuses %s',
    (when) => {
      expect(() => expirationOf(when)).toThrow('a time such as 2027-01-31T18:00:00Z');
    },
  );
});
