// Where the last verification ended, kept in this browser's database: the next one resumes there.

const NAME = 'presage-verify';
const TABLE = 'states';

/** Undefined if there is no saved state or no database may be used. */
export async function readSavedState(origin: string): Promise<readonly string[] | undefined> {
  return inTable('readonly', (table) => table.get(origin)).catch(() => undefined);
}

/** A browser that keeps nothing verifies from the start each time. */
export async function saveState(origin: string, lines: Iterable<string>): Promise<void> {
  await inTable('readwrite', (table) => table.put([...lines], origin)).catch(() => undefined);
}

export async function forgetState(origin: string): Promise<void> {
  await inTable('readwrite', (table) => table.delete(origin)).catch(() => undefined);
}

/** When it resolves, the change is kept: the thread is ended as soon as it has said its verdict, and a transaction under way with it. */
async function inTable<T>(mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
  const database = await resultOf(opening);
  try {
    const transaction = database.transaction(TABLE, mode);
    const [result] = await Promise.all([resultOf(act(transaction.objectStore(TABLE))), endOf(transaction)]);
    return result;
  } finally {
    database.close();
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
