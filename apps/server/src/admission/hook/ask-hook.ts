// Asks the operator's hook about a wallet: an HTTP endpoint, or a function of a module.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Address, parseJson, toChecksumAddress } from '@presage/protocol';
import { messageOf, readBoundedText } from '@presage/runtime';
import { parseVerdict, type Verdict } from './verdict.ts';

/** Asks for a verdict; rejects if the hook fails, takes too long or answers anything but a verdict. */
export type AskHook = (wallet: Address, signal: AbortSignal) => Promise<Verdict>;

/** Limit on the answer; a verdict takes a few hundred bytes. */
const MOST_BYTES = 16_384;

/** `target` is a URL, or the path of a module whose default export takes `{ wallet }` and gives the verdict. */
export function openHook(target: string): Promise<AskHook> {
  return /^https?:\/\//.test(target) ? Promise.resolve(askEndpoint(target)) : openModule(target);
}

function askEndpoint(url: string): AskHook {
  return async (wallet, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ wallet: toChecksumAddress(wallet) }),
      redirect: 'error',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`it answered with status ${response.status}`);
    }
    return parseVerdict(parseJson(await readBoundedText(response, MOST_BYTES)));
  };
}

async function openModule(path: string): Promise<AskHook> {
  const { default: admit } = await loadModule(path);
  if (typeof admit !== 'function') {
    throw new Error(`PRESAGE_ADMISSION_HOOK: ${path} has no default export that is a function; export one`);
  }
  return async (wallet, signal) => parseVerdict(await admit({ wallet: toChecksumAddress(wallet), signal }));
}

/** Loads the hook's module. Failure refuses the start, since starting without the configured hook would admit everybody. */
async function loadModule(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    throw new Error(
      `PRESAGE_ADMISSION_HOOK: the module ${path} cannot be loaded: ${messageOf(error)}. Mend or unset it.`,
    );
  }
}
