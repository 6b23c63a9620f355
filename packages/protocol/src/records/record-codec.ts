// Records to bytes and back: checked before they are written and after they are read, and older versions upgraded on the way.
import type Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type AcceptedJson, fromAcceptedJson, toAcceptedJson } from '../core/order-json.ts';
import { CHAIN_NOTE_SHAPES, type ChainTopic } from './chain-records.ts';
import type { OrderAccepted } from './engine-events.ts';
import { decodeHot, encodeHot, HOT_TYPES, HOT_VERSION } from './hot-records.ts';
import type { JournalRecord } from './journal-records.ts';
import { RecordInvalid } from './record-bytes.ts';
import { RECORD_SHAPES } from './record-shapes.ts';
import {
  isChangedSince,
  type Kinded,
  kindOf,
  RECORD_VERSION,
  type RecordJson,
  upgradeRecord,
} from './record-upgrades.ts';

const { 'chain-noted': _notes, ...SHAPES_BY_TYPE } = RECORD_SHAPES;
/** Notes of a chain are checked by topic, so that an error names the field instead of every topic. */
const NOTE_SHAPES = Object.entries(CHAIN_NOTE_SHAPES).map(([topic, shape]) => [`chain-noted/${topic}`, shape] as const);
const SHAPES = new Map<string, Type.TSchema>([...Object.entries(SHAPES_BY_TYPE), ...NOTE_SHAPES]);
/**
 * Compiled on the first record of each kind: otherwise every program that knows records would compile all of them at
 * its start.
 */
const CHECKERS = new Map<string, Validator>();

/**
 * Binary types that changed since their layout was fixed. All others skip the upgrade, which takes a fraction of the
 * time.
 */
const CHANGED_HOT: ReadonlySet<string> = new Set(HOT_TYPES.filter((type) => isChangedSince(HOT_VERSION, type)));

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { fatal: true });

export { RecordInvalid };

/** Every record in JSON begins with its version, so that it can be read before the rest is parsed. */
const PREFIX = `{"v":${RECORD_VERSION},`;
const ANY_PREFIX = /^\{"v":([1-9][0-9]{0,8}),/;

export function encodeRecord(record: JournalRecord): Uint8Array {
  const hot = encodeHot(record);
  if (hot !== undefined) return hot;
  const json = record.type === 'order-accepted' ? toAcceptedJson(record) : record;
  assertShape(json);
  return utf8.encode(PREFIX + JSON.stringify(json).slice(1));
}

export function decodeRecord(bytes: Uint8Array): JournalRecord {
  const hot = decodeHot(bytes);
  if (hot !== undefined) return CHANGED_HOT.has(hot.type) ? upgradeHot(hot) : hot;
  const line = text.decode(bytes);
  return fromJson(line.startsWith(PREFIX) ? parseBody(line, PREFIX) : parseOlder(line));
}

function fromJson(json: RecordJson): JournalRecord {
  assertShape(json);
  return json.type === 'order-accepted' ? fromAcceptedJson(json) : json;
}

/** Upgrades a binary record as if it had been read from JSON of that version. */
function upgradeHot(hot: JournalRecord): JournalRecord {
  const json = hot.type === 'order-accepted' ? toAcceptedJson(hot) : hot;
  return fromJson(upgradeRecord(HOT_VERSION, { ...json }));
}

function parseBody(line: string, prefix: string): RecordJson {
  return JSON.parse(`{${line.slice(prefix.length)}`);
}

function parseOlder(line: string): RecordJson {
  const [prefix, digits] = ANY_PREFIX.exec(line) ?? [];
  if (prefix === undefined) throw new RecordInvalid(`not a record: ${line.slice(0, 20)}`);
  const version = Number(digits);
  if (version > RECORD_VERSION) {
    throw new RecordInvalid(
      `a record of version ${version} was written by a newer program: this one reads up to version ${RECORD_VERSION}. Start the newer version again, or restore a backup from before the upgrade.`,
    );
  }
  return upgradeRecord(version, parseBody(line, prefix));
}

/** Checks the body of a note that is kept outside its record, as in a checkpoint; throws as a malformed record does. */
export function checkNoteBody(topic: ChainTopic, body: unknown): void {
  const note = { type: 'chain-noted', timeMs: 0, topic, body };
  assertShape(note);
}

/** A record as JSON holds it. */
type JsonRecord = Exclude<JournalRecord, OrderAccepted> | AcceptedJson;

/** Schemas and types are proved equal (record-shapes.ts), so a value of a record's shape is of its type. */
function assertShape(json: Kinded): asserts json is JsonRecord {
  const kind = kindOf(json);
  const checker = CHECKERS.get(kind) ?? compileChecker(kind);
  if (checker.Check(json)) return;
  const first = checker.Errors(json)[0];
  throw new RecordInvalid(`${kind}${first?.instancePath} ${first?.message}`);
}

function compileChecker(kind: string): Validator {
  const shape = SHAPES.get(kind);
  if (shape === undefined) throw new RecordInvalid(`unknown record type ${kind}: written by a newer version?`);
  const checker = Compile(shape);
  CHECKERS.set(kind, checker);
  return checker;
}
