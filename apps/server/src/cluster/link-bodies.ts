// Byte layout of each method and topic of the link: orders and events are journal records, rare messages are JSON.
import { decodeFrame, encodeFrame, type Frame, type FrameRef, type FrameSeal } from '@presage/journal';
import {
  asHex,
  CANCEL_REASONS,
  decodeRecord,
  type EngineOutput,
  encodeRecord,
  isEngineEvent,
  isJournalled,
  type JournalRecord,
} from '@presage/protocol';
import type { Decided, HostCommand, PlaceCommand } from '../host/ports.ts';
import { type LinkReader, type LinkWriter, MessageInvalid } from './link-bytes.ts';
import type { AtomicOutcomeAt, DecidedAt, OutputsAt, OwnerCall } from './ports.ts';

export interface Body {
  write(writer: LinkWriter, value: unknown): void;
  /** Throws if the bytes are not this body. */
  read(reader: LinkReader): unknown;
}

/** Bodies of a request and its answer. */
export interface MethodBodies {
  readonly asked: Body;
  readonly answer: Body;
}

function bodyOf<T>(write: (writer: LinkWriter, value: T) => void, read: (reader: LinkReader) => T): Body {
  // The sender of a body has its type from the caller of the method.
  return { write: (writer, value) => write(writer, value as T), read };
}

const JSON_BODY: Body = { write: (writer, value) => void writer.json(value), read: (reader) => reader.json() };
const RARE: MethodBodies = { asked: JSON_BODY, answer: JSON_BODY };

type Call<T> = OwnerCall & T;

/** Body of a call on a partition: the common head, then the arguments. */
function callOf<T extends object>(
  write: (writer: LinkWriter, asked: T) => void,
  read: (reader: LinkReader) => T,
): Body {
  return bodyOf<Call<T>>(
    (writer, call) => {
      writer.text(call.partition).text(call.id);
      // Shifted by one, since 0 is a valid sequence.
      writer.integer(call.retryFromSeq === undefined ? 0 : call.retryFromSeq + 1);
      write(writer, call);
    },
    (reader) => {
      const [partition, id, retry] = [reader.text(), reader.text(), reader.integer()];
      const head = retry === 0 ? { partition, id } : { partition, id, retryFromSeq: retry - 1 };
      return Object.assign(read(reader), head);
    },
  );
}

const COMMAND = callOf<{ command: HostCommand }>(
  (writer, { command }) => writeCommand(writer, command),
  (reader) => ({ command: readCommand(reader) }),
);
const COMMANDS = callOf<{ commands: readonly HostCommand[] }>(
  (writer, { commands }) => void writer.list(commands, (command) => writeCommand(writer, command)),
  (reader) => ({ commands: reader.list(() => readCommand(reader)) }),
);
const RECORDS = callOf<{ records: readonly JournalRecord[] }>(
  (writer, { records }) => void writer.list(records, (record) => writer.block(encodeRecord(record))),
  (reader) => ({ records: reader.list(() => decodeRecord(reader.block())) }),
);

const DECIDED_AT = bodyOf<DecidedAt>(
  (writer, decided) => {
    writeDecided(writer, decided);
    writer.integer(decided.durableSeq);
  },
  (reader) => ({ ...readDecided(reader), durableSeq: reader.integer() }),
);
const OUTPUTS_AT = bodyOf<OutputsAt>(
  (writer, { outputs, durableSeq }) => {
    writeOutputs(writer, outputs);
    writer.integer(durableSeq);
  },
  (reader) => ({ outputs: readOutputs(reader), durableSeq: reader.integer() }),
);
const ATOMIC_AT = bodyOf<AtomicOutcomeAt>(
  (writer, outcome) => {
    writer.flag(outcome.outcome === 'placed');
    if (outcome.outcome === 'placed') writer.list(outcome.decided, (each) => writeDecided(writer, each));
    else writer.json({ index: outcome.index, refusal: outcome.refusal });
    writer.integer(outcome.durableSeq);
  },
  (reader) => {
    if (reader.flag()) {
      const decided = reader.list(() => readDecided(reader));
      return { outcome: 'placed', decided, durableSeq: reader.integer() };
    }
    // Written just above, by a node of the same version.
    const { index, refusal } = reader.json() as Pick<Refused, 'index' | 'refusal'>;
    return { outcome: 'refused', index, refusal, durableSeq: reader.integer() };
  },
);
const APPENDED = bodyOf<FrameRef>(
  (writer, { firstSeq, lastSeq, timeMs, frame }) => {
    writer.integer(firstSeq).integer(lastSeq).integer(timeMs);
    writeSeal(writer, frame);
  },
  (reader) => {
    const [firstSeq, lastSeq, timeMs] = [reader.integer(), reader.integer(), reader.integer()];
    return { firstSeq, lastSeq, timeMs, frame: readSeal(reader) };
  },
);

type Refused = Extract<AtomicOutcomeAt, { readonly outcome: 'refused' }>;

const UNSIGNED = new Uint8Array(0);

function writeFrame(writer: LinkWriter, frame: Frame): void {
  writer.block(encodeFrame(frame, frame.records)).block(frame.signature ?? UNSIGNED);
}

function readFrame(reader: LinkReader): Frame {
  const [frame, signature] = [decodeFrame(reader.block()), reader.block()];
  if ('fault' in frame) throw new MessageInvalid(`a frame with a bad ${frame.fault}`);
  // Extends the same object: copying it would decode its records.
  return signature.length === 0 ? frame : Object.assign(frame, { signature: signature.slice() });
}

/** Frames that a follower missed, as many as fit into a page. */
const PAGE = bodyOf<readonly Frame[]>(
  (writer, frames) => void writer.list(frames, (frame) => writeFrame(writer, frame)),
  (reader) => reader.list(() => readFrame(reader)),
);

const METHODS: ReadonlyMap<string, MethodBodies> = new Map([
  ['run', { asked: COMMAND, answer: DECIDED_AT }],
  ['run-whole', { asked: COMMAND, answer: DECIDED_AT }],
  ['run-all', { asked: COMMANDS, answer: OUTPUTS_AT }],
  ['run-atomic', { asked: COMMANDS, answer: ATOMIC_AT }],
  ['append', { asked: RECORDS, answer: APPENDED }],
  ['read-frames', { asked: JSON_BODY, answer: PAGE }],
]);

export function bodiesOf(method: string): MethodBodies {
  return METHODS.get(method) ?? RARE;
}

const HEADS = bodyOf<Readonly<Record<string, number>>>(
  (writer, heads) => void writer.list(Object.entries(heads), ([name, seq]) => writer.text(name).integer(seq)),
  (reader) => Object.fromEntries(reader.list(() => [reader.text(), reader.integer()] as const)),
);

/** A frame as it was sealed and signed; the receiver checks its hash and predecessor, as it does when reading from the database. */
const FRAME = bodyOf<Frame>(writeFrame, readFrame);

const TOPICS: ReadonlyMap<string, Body> = new Map([
  ['heads', HEADS],
  ['frame', FRAME],
]);

export function newsOf(topic: string): Body {
  return TOPICS.get(topic) ?? JSON_BODY;
}

const PLACE = 1;
const CANCEL = 2;
const OTHER = 3;

/** Commands carry no time: the owner stamps them. */
function writeCommand(writer: LinkWriter, command: HostCommand): void {
  if (command.type === 'place-order') {
    writer.byte(PLACE).block(encodeRecord(toAccepted(command)));
  } else if (command.type === 'cancel-order') {
    const { marketId, orderHash, trader, reason } = command;
    writer
      .byte(CANCEL)
      .text(marketId)
      .text(orderHash)
      .text(trader ?? '')
      .integer(CANCEL_REASONS.indexOf(reason));
  } else {
    writer.byte(OTHER).json(command);
  }
}

function readCommand(reader: LinkReader): HostCommand {
  switch (reader.byte()) {
    case PLACE:
      return readPlace(reader);
    case CANCEL:
      return readCancel(reader);
    case OTHER:
      // Written by `writeCommand` of a node of the same version.
      return reader.json() as HostCommand;
    default:
      throw new MessageInvalid('a command of an unknown kind');
  }
}

/** Encodes a command to place an order as the record of its acceptance, which already has a layout; step and time are placeholders. */
function toAccepted({ orderHash, order, signature, terms, permit }: PlaceCommand): JournalRecord {
  const { marketId } = order;
  // Written out: a spread costs this Node microseconds, and every order passes here.
  const record = { type: 'order-accepted', marketId, step: 1, timeMs: 0, orderHash, order, signature, terms } as const;
  return permit === undefined ? record : { ...record, permit };
}

function readPlace(reader: LinkReader): PlaceCommand {
  const record = decodeRecord(reader.block());
  if (record.type !== 'order-accepted') throw new MessageInvalid(`${record.type} is no order`);
  const { orderHash, order, signature, terms, permit } = record;
  const command: PlaceCommand = { type: 'place-order', timeMs: 0, orderHash, order, signature, terms };
  return permit === undefined ? command : { ...command, permit };
}

function readCancel(reader: LinkReader): HostCommand {
  const [marketId, orderHash, trader] = [asHex(reader.text()), asHex(reader.text()), reader.text()];
  const reason = CANCEL_REASONS[reader.integer()];
  if (reason === undefined) throw new MessageInvalid('an order is cancelled for an unknown reason');
  const command = { type: 'cancel-order', timeMs: 0, marketId, orderHash, reason } as const;
  return trader === '' ? command : { ...command, trader: asHex(trader) };
}

function writeDecided(writer: LinkWriter, { outputs, firstSeq, frame }: Decided): void {
  writeOutputs(writer, outputs);
  writer.integer(firstSeq).flag(frame !== undefined);
  if (frame !== undefined) writeSeal(writer, frame);
}

function readDecided(reader: LinkReader): Decided {
  const [outputs, firstSeq] = [readOutputs(reader), reader.integer()];
  return { outputs, firstSeq, frame: reader.flag() ? readSeal(reader) : undefined };
}

/** Refusals and replays are not records and are rare, so they are JSON. */
function writeOutputs(writer: LinkWriter, outputs: readonly EngineOutput[]): void {
  writer.list(outputs, (output) => {
    if (isJournalled(output)) writer.flag(true).block(encodeRecord(output));
    else writer.flag(false).json(output);
  });
}

function readOutputs(reader: LinkReader): EngineOutput[] {
  return reader.list(() => {
    // Written by `writeOutputs` of a node of the same version.
    if (!reader.flag()) return reader.json() as EngineOutput;
    const record = decodeRecord(reader.block());
    if (!isEngineEvent(record)) throw new MessageInvalid(`${record.type} is no event`);
    return record;
  });
}

function writeSeal(writer: LinkWriter, { partition, firstSeq, lastSeq, timeMs, hash }: FrameSeal): void {
  writer.text(partition).integer(firstSeq).integer(lastSeq).integer(timeMs).block(hash);
}

function readSeal(reader: LinkReader): FrameSeal {
  const [partition, firstSeq, lastSeq] = [reader.text(), reader.integer(), reader.integer()];
  return { partition, firstSeq, lastSeq, timeMs: reader.integer(), hash: reader.block().slice() };
}
