import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ProcessProbe } from '@presage/runtime/node';
import { isLongRun } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileJournal, JournalCorrupt, type JournalFiles, nodeFiles, verifyJournal } from '../src/index.ts';
import { readTexts, record } from './journal-contents.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const FRAME_BYTES = 180;
const RECORDS_PER_SEGMENT = 6;
const SEGMENTS = ['0000000000000001.frames', '0000000000000007.frames', '0000000000000013.frames'] as const;
const LAST = SEGMENTS[2];

type Files = ReadonlyMap<string, Buffer>;

/** Where the bytes of the specimen are damaged and opened. */
interface Place {
  readonly files: JournalFiles;
  put(wanted: Files): Promise<void>;
  take(): Promise<Files>;
}

let dir: string;
let texts: readonly string[];
/** The files as a killed process leaves them (the mark stands at the first frame of the last segment), and as a proper end does. */
let crashed: Files;
let closed: Files;

const onDisk: Place = {
  files: nodeFiles,
  put: async (wanted) => {
    for (const name of await readdir(dir)) if (!wanted.has(name)) await rm(join(dir, name));
    for (const [name, bytes] of wanted) await writeFile(join(dir, name), bytes);
  },
  take: async () => {
    const names = (await readdir(dir)).filter((name) => !name.startsWith('lock-'));
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name))] as const)));
  },
};

const disk = new SimulatedDisk();
const inMemory: Place = {
  files: disk,
  put: async (wanted) => disk.load(new Map([...wanted].map(([name, bytes]) => [`${dir}/${name}`, bytes]))),
  take: async () => new Map([...disk.contents()].map(([path, bytes]) => [basename(path), bytes])),
};

// Who holds the lock is not the question here, and asking the system thousands of times takes long.
const probe: ProcessProbe = {
  self: async () => ({ pid: process.pid, startTicks: 1, bootId: 'this' }),
  isAlive: async () => true,
};

const optionsAt = ({ files }: Place) => ({ dir, partition: 'm0', segmentBytes: 600, growBytes: 300, files, probe });

/** Three segments of three frames, with one, two and three records, each frame of 180 bytes. */
function contentOf(frame: number): string[] {
  const count = (frame % 3) + 1;
  return Array.from({ length: count }, (_, at) => `${frame}.${at}`.padEnd(84 / count - 4, '#'));
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'presage-journal-damage-'));
  const journal = await FileJournal.open(optionsAt(onDisk));
  texts = Array.from({ length: 9 }, (_, frame) => contentOf(frame)).flat();
  for (let frame = 0; frame < 9; frame++) await journal.append(contentOf(frame).map(record), frame);
  crashed = await onDisk.take();
  await journal.close();
  closed = await onDisk.take();
});

afterAll(() => rm(dir, { recursive: true }));

test('the specimen has three segments of three frames and room after them', () => {
  expect([...crashed.keys()].sort()).toEqual([...SEGMENTS, 'mark']);
  for (const name of SEGMENTS) {
    const bytes = crashed.get(name)!;
    expect(bytes.length).toBe(600);
    expect([0, 1, 2].map((frame) => bytes.readUInt32LE(frame * FRAME_BYTES + 8))).toEqual(Array(3).fill(FRAME_BYTES));
    expect(bytes.subarray(3 * FRAME_BYTES).every((byte) => byte === 0)).toBe(true);
  }
});

function flip(at: number, mask: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[at]! ^= mask;
    return bytes;
  };
}

const EVERY_BIT = [1, 2, 4, 8, 16, 32, 64, 128, 255];

/** Damages a copy of the journal at one place and checks what opening it does. */
class DamageFixture {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  async putDamaged(whole: Files, name: string, change: (bytes: Buffer) => Buffer): Promise<void> {
    await this.#place.put(new Map(whole).set(name, change(Buffer.from(whole.get(name)!))));
  }

  /** Opens what is there, appends one record, opens again; returns what had survived. */
  async recover(): Promise<{ survived: string[]; tornBytes: number }> {
    const report = await verifyJournal(dir, this.#place.files);
    const journal = await FileJournal.open(optionsAt(this.#place));
    const { tornBytes } = journal.recovery;
    expect(report).toMatchObject({ tornBytes, lastSeq: journal.lastSeq, headHash: journal.headHash });
    const survived = await readTexts(journal);
    await journal.append([record('after')], 0);
    await journal.close();
    const again = await FileJournal.open(optionsAt(this.#place));
    expect(await readTexts(again)).toEqual([...survived, 'after']);
    expect(again.recovery.tornBytes).toBe(0);
    await again.close();
    return { survived, tornBytes };
  }

  async expectCorrupt(file: string, why: string): Promise<void> {
    const before = await this.#place.take();
    const error = await FileJournal.open(optionsAt(this.#place)).catch((reason: unknown) => reason);
    const report = await verifyJournal(dir, this.#place.files).catch((reason: unknown) => reason);
    const found = {
      corrupt: error instanceof JournalCorrupt ? basename(error.file) : error,
      isReportedAlike: report instanceof JournalCorrupt && report.message === (error as JournalCorrupt).message,
      isUntouched: isDeepStrictEqual(await this.#place.take(), before),
    };
    const wanted = { corrupt: file, isReportedAlike: true, isUntouched: true };
    // Thousands of times: an expectation takes longer than the opening of a journal.
    if (!isDeepStrictEqual(found, wanted)) expect(found, why).toEqual(wanted);
  }
}

/** One bit, another from byte to byte. */
const oneBit = (at: number) => [1 << (at % 8)];

/** By default some bytes: in memory every field of a frame has one of them, on the disk each opening waits. Every byte in a long run. */
const PLACES = [
  { where: 'in memory', place: inMemory, step: isLongRun ? 1 : 3, masksAt: isLongRun ? () => EVERY_BIT : oneBit },
  { where: 'on disk', place: onDisk, step: isLongRun ? 1 : 41, masksAt: oneBit },
];

describe.each(PLACES)('$where', ({ place, step, masksAt }) => {
  const fixture = new DamageFixture(place);

  describe('a flipped byte', () => {
    test.each([SEGMENTS[0], SEGMENTS[1]])('anywhere in %s, which has a successor, is corruption', async (name) => {
      for (let at = 0; at < crashed.get(name)!.length; at += step) {
        for (const mask of masksAt(at)) {
          await fixture.putDamaged(crashed, name, flip(at, mask));
          await fixture.expectCorrupt(name, `byte ${at} mask ${mask}`);
        }
      }
    });

    test('in a frame of the last segment that has another after it is corruption', async () => {
      for (let at = 0; at < 2 * FRAME_BYTES; at += step) {
        for (const mask of masksAt(at)) {
          await fixture.putDamaged(crashed, LAST, flip(at, mask));
          await fixture.expectCorrupt(LAST, `byte ${at} mask ${mask}`);
        }
      }
    });

    test('in the very last frame, after a crash, is a torn tail: exactly that frame is cut', async () => {
      for (let at = 2 * FRAME_BYTES; at < 3 * FRAME_BYTES; at += step) {
        for (const mask of masksAt(at)) {
          await fixture.putDamaged(crashed, LAST, flip(at, mask));
          const { survived, tornBytes } = await fixture.recover();
          expect(survived, `byte ${at} mask ${mask}`).toEqual(texts.slice(0, -3));
          expect(tornBytes).toBe(FRAME_BYTES);
        }
      }
    });

    test('in the very last frame, after a proper end, is corruption: the mark knows better', async () => {
      for (let at = 2 * FRAME_BYTES; at < 3 * FRAME_BYTES; at += step) {
        await fixture.putDamaged(closed, LAST, flip(at, 1 << (at % 8)));
        await fixture.expectCorrupt(LAST, `byte ${at}`);
      }
    });

    test('in the room after the last frame is cleared and costs no record', async () => {
      for (let at = 3 * FRAME_BYTES; at < 600; at += step) {
        await fixture.putDamaged(crashed, LAST, flip(at, 1 << (at % 8)));
        const { survived, tornBytes } = await fixture.recover();
        expect(survived, `byte ${at}`).toEqual(texts);
        expect(tornBytes).toBe(at + 1 - 3 * FRAME_BYTES);
      }
    });
  });

  describe('a cut', () => {
    test('at any byte of the last frame leaves all frames before it', async () => {
      for (let at = 2 * FRAME_BYTES; at < 3 * FRAME_BYTES; at += step) {
        for (const cut of [(bytes: Buffer) => bytes.subarray(0, at), (bytes: Buffer) => bytes.fill(0, at)]) {
          await fixture.putDamaged(crashed, LAST, cut);
          expect((await fixture.recover()).survived, `byte ${at}`).toEqual(texts.slice(0, -3));
        }
      }
    });

    test('at any byte of the last segment leaves an exact prefix, or is refused for what the mark remembers', async () => {
      for (let at = 0; at < 2 * FRAME_BYTES; at += step) {
        await fixture.putDamaged(crashed, LAST, (bytes) => bytes.subarray(0, at));
        if (at < FRAME_BYTES) await fixture.expectCorrupt(LAST, `byte ${at}`);
        else
          expect((await fixture.recover()).survived, `byte ${at}`).toEqual(texts.slice(0, 2 * RECORDS_PER_SEGMENT + 1));
      }
    });

    test.each([0, 1])(
      'at any byte of the frames of segment %i, which has a successor, is corruption',
      async (index) => {
        for (let at = 0; at < 3 * FRAME_BYTES; at += step) {
          await fixture.putDamaged(crashed, SEGMENTS[index]!, (bytes) => bytes.subarray(0, at));
          // Cut between two frames, nothing is wrong in the file itself: the gap shows where the next one begins.
          await fixture.expectCorrupt(SEGMENTS[at % FRAME_BYTES === 0 ? index + 1 : index]!, `byte ${at}`);
        }
      },
    );
  });

  describe('a torn tail', () => {
    test('may consist of anything but later frames, in any order of its sectors', async () => {
      const frame = crashed.get(LAST)!.subarray(2 * FRAME_BYTES, 3 * FRAME_BYTES);
      const remains = [
        Buffer.alloc(FRAME_BYTES, 0xf8),
        Buffer.from(frame).fill(0, 0, 120),
        Buffer.from(frame.toReversed()),
      ];
      for (const garbage of remains) {
        await fixture.putDamaged(crashed, LAST, (bytes) => {
          garbage.copy(bytes, 2 * FRAME_BYTES);
          return bytes;
        });
        expect((await fixture.recover()).survived).toEqual(texts.slice(0, -3));
      }
    });

    test('cannot span two frames, since only one is in flight: that is corruption', async () => {
      await fixture.putDamaged(crashed, LAST, (bytes) =>
        flip(FRAME_BYTES + 100, 1)(flip(2 * FRAME_BYTES + 100, 1)(bytes)),
      );
      await fixture.expectCorrupt(LAST, 'two damaged frames at the end');
    });

    test('is found however far a damaged length field points', async () => {
      for (const length of [0, 95, 96, FRAME_BYTES - 1, FRAME_BYTES + 1, 2 * FRAME_BYTES, 0x7fffffff, 0xffffffff]) {
        const withLength = (bytes: Buffer, offset: number) => {
          bytes.writeUInt32LE(length, offset + 8);
          return bytes;
        };
        await fixture.putDamaged(crashed, LAST, (bytes) => withLength(bytes, FRAME_BYTES));
        await fixture.expectCorrupt(LAST, `length ${length}`);
        await fixture.putDamaged(crashed, LAST, (bytes) => withLength(bytes, 2 * FRAME_BYTES));
        expect((await fixture.recover()).survived, `length ${length}`).toEqual(texts.slice(0, -3));
      }
    });
  });

  test.each([
    [0, 1],
    [1, 2],
    [0, 2],
  ] as const)('segments %i and %i in each other’s place are corruption', async (left, right) => {
    const [one, other] = [SEGMENTS[left], SEGMENTS[right]];
    const swapped = new Map([...crashed, [one, crashed.get(other)!], [other, crashed.get(one)!]]);
    await place.put(swapped);
    await expect(FileJournal.open(optionsAt(place))).rejects.toThrow(JournalCorrupt);
  });

  test('a zeroed frame with good ones after it is corruption, not the end', async () => {
    await fixture.putDamaged(crashed, LAST, (bytes) => bytes.fill(0, FRAME_BYTES, 2 * FRAME_BYTES));
    await fixture.expectCorrupt(LAST, 'zeroed');
  });
});
