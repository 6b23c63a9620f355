// Memory is given back once: after a burst, when nothing happens, and never while there is work.
import { getHeapStatistics } from 'node:v8';
import { IdleCollector } from '@presage/runtime/node';
import { expect, test } from 'vitest';

const MEGABYTE = 1024 * 1024;

function watch() {
  const now = { usedMegabytes: 0, busyShare: 0, collections: 0 };
  const collector = new IdleCollector({
    usedBytes: () => now.usedMegabytes * MEGABYTE,
    busyShare: () => now.busyShare,
    collect: () => {
      now.collections++;
      now.usedMegabytes = 20;
    },
  });
  const look = (times: number) => {
    for (let time = 0; time < times; time++) collector.look();
  };
  return { now, look };
}

test('a burst is collected after three idle looks, its room after ten more, and what is left is not collected again', () => {
  const { now, look } = watch();
  now.usedMegabytes = 90;
  now.busyShare = 0.8;
  look(10);
  expect(now.collections).toBe(0);
  now.busyShare = 0.02;
  look(2);
  expect(now.collections).toBe(0);
  look(1);
  expect(now.collections).toBe(1);
  look(9);
  expect(now.collections).toBe(1);
  look(1);
  expect(now.collections).toBe(2);
  now.usedMegabytes = 30;
  look(40);
  expect(now.collections).toBe(2);
});

test('what gathers without work is collected when it is four times as much', () => {
  const { now, look } = watch();
  now.usedMegabytes = 90;
  look(3 + 10);
  expect(now.collections).toBe(2);
  now.usedMegabytes = 80;
  look(20);
  expect(now.collections).toBe(2);
  now.usedMegabytes = 90;
  look(1);
  expect(now.collections).toBe(3);
  now.busyShare = 0.5;
  look(1);
  now.busyShare = 0.02;
  now.usedMegabytes = 40;
  look(3);
  expect(now.collections).toBe(4);
});

test('one busy moment begins the wait anew', () => {
  const { now, look } = watch();
  now.usedMegabytes = 90;
  look(2);
  now.busyShare = 0.5;
  look(1);
  now.busyShare = 0;
  look(2);
  expect(now.collections).toBe(0);
  look(1);
  expect(now.collections).toBe(1);
});

test('what a collection costs is no work', () => {
  const now = { spent: 0, usedMegabytes: 90, collections: 0 };
  const collector = new IdleCollector({
    usedBytes: () => now.usedMegabytes * MEGABYTE,
    busyShare: () => {
      const { spent } = now;
      now.spent = 0;
      return spent;
    },
    collect: () => {
      now.collections++;
      now.usedMegabytes = 20;
      now.spent += 0.3;
    },
  });
  for (let time = 0; time < 100; time++) collector.look();
  expect(now.collections).toBe(2);
});

test('by itself it collects what nobody refers to', () => {
  let garbage: number[][] | undefined = Array.from({ length: 300_000 }, (_, index) => [index, index]);
  const before = getHeapStatistics().used_heap_size;
  expect(garbage).toHaveLength(300_000);
  garbage = undefined;
  const collector = new IdleCollector({ busyShare: () => 0 });
  for (let time = 0; time < 3; time++) collector.look();
  expect(getHeapStatistics().used_heap_size).toBeLessThan(before);
});
