// Errors of a view that cannot be used or written: what this process knew about it is void.
import type { ViewSource } from './batch-feed.ts';

/** Base class: the cursor is read again before anything of the view is shown. */
export class ViewVoid extends Error {
  override readonly name: string = 'ViewVoid';
}

/** Another writer moved, dropped or replaced the tables. */
export class ViewMoved extends ViewVoid {
  override readonly name = 'ViewMoved';
}

/** The view shows more of this journal than this node has followed: the node has to catch up first. */
export class ViewAhead extends ViewVoid {
  override readonly name = 'ViewAhead';

  constructor({ partition, lastSeq }: ViewSource, cursor: number) {
    super(`the view is at ${cursor} of ${partition}, this node has followed it to ${lastSeq}`);
  }
}

/** An operator has to decide. A start fails with it; a running service reports it, serves no lists and checks again. */
export class ViewRefused extends ViewVoid {
  override readonly name: string = 'ViewRefused';
}

const DISCARD_VIEW = 'drop schema if exists presage_view, presage_audit cascade';

export class ViewForeign extends ViewRefused {
  override readonly name = 'ViewForeign';

  constructor(partition: string, identity: { readonly there: string; readonly here: string | undefined }) {
    const here = identity.here === undefined ? 'is empty' : `begins with ${shorten(identity.here)}`;
    super(
      `The database of PRESAGE_DATABASE_URL belongs to another journal: its ${partition} begins with ` +
        `${shorten(identity.there)}, the one here ${here}. It was left as it is. Set PRESAGE_DATABASE_URL to another ` +
        `database, or, if no service needs that view any more, discard it in this one: ${DISCARD_VIEW};`,
    );
  }
}

export class ViewInUse extends ViewRefused {
  override readonly name = 'ViewInUse';

  constructor(reason: string) {
    super(
      `The view in the database of PRESAGE_DATABASE_URL has to be rebuilt (${reason}), but another service is ` +
        'connected to it. It was left as it is. Stop that service, or set PRESAGE_DATABASE_URL to another database.',
    );
  }
}

/** The tables are kept: they may be the only remains of the deleted records. */
export class ViewUnbuildable extends ViewRefused {
  override readonly name = 'ViewUnbuildable';

  constructor(reason: string, { partition, firstSeq }: ViewSource) {
    super(
      `The view has to be built anew (${reason}), but records 1 to ${firstSeq - 1} of ${partition} were deleted ` +
        `(PRESAGE_ARCHIVE_DAYS). Put its archived segments back into journal/${partition}/archive and start again.`,
    );
  }
}

/** Shortens a hash for comparison by eye. */
function shorten(hash: string): string {
  return hash.slice(0, 12);
}
