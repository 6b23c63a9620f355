// Who makes room when places are shared.
import { expect, it } from 'vitest';
import { FairPlaces } from '../src/index.ts';

it('the address with most places is the crowd, oldest first, for whoever will have fewer', () => {
  const places = new FairPlaces<{ address: string; name: string }>();
  const take = (address: string, name: string) => places.add({ address, name });
  for (const name of ['a1', 'a2', 'a3']) take('a', name);
  take('b', 'b1');
  const crowdFor = (address: string) => places.crowdBefore(address).map(({ name }) => name);
  expect(crowdFor('c')).toEqual(['a1', 'a2', 'a3']);
  expect(crowdFor('b')).toEqual(['a1', 'a2', 'a3']);
  expect(crowdFor('a')).toEqual([]);
  take('b', 'b2');
  expect(crowdFor('b')).toEqual([]);
  for (const place of places.crowdBefore('c')) places.delete(place);
  expect([places.size, crowdFor('c')]).toEqual([2, ['b1', 'b2']]);
});
