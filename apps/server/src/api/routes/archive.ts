// Endpoints for the public daily archive: lists of a day's files with their hashes, and the files.
import { PresageError } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { ArchivedDay, ArchiveFolder } from '../../proof/archive-folder.ts';
import { type Endpoint, endpoint, streamingEndpoint } from '../endpoint.ts';
import { isUnchanged } from '../entity-tag.ts';
import { textKind } from '../parameters.ts';
import { ReaderPlaces } from '../reader-places.ts';

const DAY = textKind({
  schema: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
  description: 'A day of UTC',
  expected: 'a day, such as 2026-01-31',
  read: (text) => text,
});

const FILE = textKind({
  schema: Type.String({ pattern: wire.ARCHIVE_FILE_PATTERN }),
  description: 'The name of a file of the day',
  expected: 'a name that the day lists, such as m0-trades.csv',
  read: (text) => text,
});

/** Limit on files read concurrently: each needs an open file besides its connection. */
const MAX_FILES = 64;

const about = { method: 'get', tag: 'Proof', errors: ['archive_not_found'] } as const;

export function archiveEndpoints(archive: ArchiveFolder): Endpoint[] {
  const places = new ReaderPlaces(MAX_FILES);
  const findDay = async (day: string): Promise<ArchivedDay> => {
    const found = await archive.find(day);
    if (found === undefined) throw new PresageError('archive_not_found', { day });
    return found;
  };
  return [
    endpoint({
      ...about,
      path: '/api/v1/archive/:day',
      id: 'getArchivedDay',
      summary: 'Trades and books of a day, as files with their hashes',
      description:
        'The files follow from the public journal alone: `presage archive --check` computes them again, and the frames that are named are those of the journal.',
      params: { day: DAY },
      answer: wire.ArchivedDay,
      entityTag: 'content',
      handle: async ({ params: { day } }) => {
        const { partitions, ...manifest } = await findDay(day);
        const files = partitions.flatMap(({ partition, files }) =>
          files.map((file) => ({ ...file, partition, path: `/api/v1/archive/${day}/${file.name}` })),
        );
        return { ...manifest, files, partitions: partitions.map(({ files: _, ...positions }) => positions) };
      },
    }),
    streamingEndpoint({
      ...about,
      path: '/api/v1/archive/:day/:file',
      id: 'getArchivedFile',
      summary: 'A file of the daily archive',
      params: { day: DAY, file: FILE },
      answer: Type.String(),
      contentType: 'text/csv',
      errors: ['archive_not_found', 'overloaded'],
      handle: async ({ params: { day, file: name }, request, reply }) => {
        const files = (await findDay(day)).partitions.flatMap((partition) => partition.files);
        // A reader that has already left would never release its place.
        if (reply.raw.destroyed) return;
        const file = files.find((each) => each.name === name);
        if (file !== undefined && isUnchanged(request, reply, file.sha256)) return;
        reply.raw.once(
          'close',
          places.take(request.address, () => reply.raw.destroy()),
        );
        const content = file && (await archive.open(day, file));
        if (content === undefined) throw new PresageError('archive_not_found', { day, file: name });
        reply.header('content-disposition', `attachment; filename="${day}-${name}"`);
        reply.type('text/csv; charset=utf-8').send(content);
      },
    }),
  ];
}
