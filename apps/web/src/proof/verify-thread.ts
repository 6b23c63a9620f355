// The thread that verifies the exchange, from where the last verification ended: the page stays responsive and loads the verifier on demand.
import { StateUnreadable, type VerifyProgress, verifyExchange } from '@presage/sdk/verify';
import type { VerifyMessage, VerifyRequest } from './messages.ts';

/** Interval of progress messages, short enough to look continuous. */
const PROGRESS_EVERY_MS = 100;

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => void answer(data));

async function answer(request: VerifyRequest): Promise<void> {
  try {
    const { saveState: save, ...verdict } = await verify(request);
    if (save !== undefined) await saveState(request.url, save());
    say({ type: 'verdict', verdict });
  } catch (error) {
    say({ type: 'failure', text: error instanceof Error ? error.message : String(error) });
  }
}

async function verify(request: VerifyRequest) {
  const options = { ...request, onProgress: tellNowAndThen() };
  try {
    return await verifyExchange({ ...options, state: await readSavedState(request.url) });
  } catch (error) {
    if (!(error instanceof StateUnreadable)) throw error;
    // A state that is damaged or was saved by an older page is useless.
    await forgetState(request.url);
    return verifyExchange(options);
  }
}

function tellNowAndThen(): (progress: VerifyProgress) => void {
  let toldMs = 0;
  return (progress) => {
    if (performance.now() - toldMs < PROGRESS_EVERY_MS) return;
    toldMs = performance.now();
    say({ type: 'progress', progress });
  };
}

function say(message: VerifyMessage): void {
  // The worker's `postMessage` takes no origin, but the types are those of the window.
  (postMessage as (message: VerifyMessage) => void)(message);
}

const NAME = 'presage-verify';
const TABLE = 'states';

/** The saved state; undefined if there is none or the browser allows no database. */
async function readSavedState(origin: string): Promise<readonly string[] | undefined> {
  return inTable('readonly', (table) => table.get(origin)).catch(() => undefined);
}

/** Saves the state. If the browser cannot store it, each verification starts from the beginning. */
async function saveState(origin: string, lines: Iterable<string>): Promise<void> {
  await inTable('readwrite', (table) => table.put([...lines], origin)).catch(() => undefined);
}

async function forgetState(origin: string): Promise<void> {
  await inTable('readwrite', (table) => table.delete(origin)).catch(() => undefined);
}

/** Resolves when the change is committed: the page ends the thread right after its verdict, which would abort an open transaction. */
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
