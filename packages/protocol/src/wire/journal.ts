// The public journal: frames with the bytes that are hashed, signed heads, and receipts.
import Type from 'typebox';
import { AddressText, Bytes32Text } from './scalars.ts';

const Seq = Type.Integer({ minimum: 1, description: 'place in the partition, from 1 without gaps' });
const TimeMs = Type.Integer({ minimum: 0, description: 'Unix milliseconds' });
const Partition = Type.String({ description: 'm0 holds the markets' });

const signedFrame = {
  partition: Partition,
  firstSeq: Seq,
  lastSeq: Seq,
  frameHash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'SHA-256 of the frame as stored' }),
  timeMs: TimeMs,
  signature: Type.String({
    pattern: '^0x[0-9a-f]{128}$',
    description:
      'Ed25519, by the receiptKey in /config, over the lines `Presage journal frame`, partition, firstSeq, lastSeq, frameHash, timeMs',
  }),
};

const SignedFrameAnswer = Type.Object(signedFrame);

export const ReceiptAnswer = Type.Object(
  { ...signedFrame, seq: Seq },
  {
    description:
      "the operator's signed word that this stands in the journal at `seq`: keep it, `presage verify` checks it",
  },
);

export const JournalFrame = Type.Object({
  firstSeq: Seq,
  lastSeq: Seq,
  timeMs: TimeMs,
  hash: Bytes32Text,
  previousHash: Bytes32Text,
  bytes: Type.String({ description: 'base64 of the frame: what is hashed, and what the next frame names' }),
  records: Type.Optional(
    Type.Array(Type.Object({ seq: Seq, type: Type.String() }, { additionalProperties: true }), {
      description: 'the same, readable; integers past 2^53 are decimal strings',
    }),
  ),
});

export const JournalPage = Type.Object({
  partition: Partition,
  frames: Type.Array(JournalFrame, { description: 'whole frames: the first may begin before fromSeq' }),
  nextSeq: Type.Integer({ minimum: 1, description: 'fromSeq of the next page' }),
  publishedSeq: Type.Integer({ minimum: 0, description: 'the last record that may be read now' }),
  head: Type.Union([SignedFrameAnswer, Type.Null()], {
    description: 'the newest frame, published or not, signed; null while the journal is empty',
  }),
});

export const JournalHead = Type.Object({
  heads: Type.Array(SignedFrameAnswer, {
    description: 'the newest frame of every partition, also of those whose records are not public',
  }),
  hash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'of all heads: what is anchored on chain' }),
  delaySeconds: Type.Integer({ minimum: 0, description: 'how old a record is when it is published' }),
  key: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'the public key of the signatures' }),
});

export const JournalAnchorList = Type.Object({
  contract: Type.Union([AddressText, Type.Null()], {
    description: 'its event is Anchored(address indexed operator, bytes32 hash)',
  }),
  operator: Type.Union([AddressText, Type.Null()], { description: 'whose events count' }),
  chainId: Type.Union([Type.Integer(), Type.Null()]),
  anchors: Type.Array(
    Type.Object({
      hash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
      timeMs: TimeMs,
      heads: Type.Array(SignedFrameAnswer, { description: 'what the hash is of' }),
    }),
  ),
  count: Type.Integer(),
});

/** Names such as `m0-trades.csv`; no path can be part of it. */
export const ARCHIVE_FILE_PATTERN = '^m[0-9]{1,4}-(trades|books|outcomes)\\.csv$';

const archivedFile = {
  name: Type.String({ pattern: ARCHIVE_FILE_PATTERN }),
  sha256: Bytes32Text,
  bytes: Type.Integer({ minimum: 0 }),
};

const archivedPositions = {
  partition: Partition,
  firstSeq: Seq,
  lastSeq: Seq,
  previousHash: Type.String({
    pattern: '^0x[0-9a-f]{64}$',
    description: 'hash of the frame before the first one of the day',
  }),
  frameHash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'hash of the last frame of the day' }),
};

const archivedDay = {
  version: Type.Literal(1, {
    description: 'of the content: the same journal gives the same bytes under the same version',
  }),
  day: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'in UTC' }),
};

/** The manifest that `presage archive` writes beside the files of a day. */
export const ArchiveManifest = Type.Object({
  ...archivedDay,
  partitions: Type.Array(Type.Object({ ...archivedPositions, files: Type.Array(Type.Object(archivedFile)) })),
});

export const ArchivedDay = Type.Object({
  ...archivedDay,
  files: Type.Array(
    Type.Object({ ...archivedFile, partition: Partition, path: Type.String({ description: 'where the file is' }) }),
  ),
  partitions: Type.Array(Type.Object(archivedPositions), {
    description: 'the frames of the journal that the files follow from',
  }),
});
