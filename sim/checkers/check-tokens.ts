// Checks tokens against the control partition: an accepted one is written once, and none is written twice.
import type { TokenUser } from '../actors/tokens.ts';
import type { KeptRecord } from './kept-journal.ts';

export function* checkTokens({ sent }: TokenUser, records: readonly KeptRecord[]): Generator<string> {
  const written = new Map<string, number>();
  for (const { record } of records) {
    if (record.type === 'token-used') written.set(record.nonce, (written.get(record.nonce) ?? 0) + 1);
  }
  for (const [nonce, times] of written) if (times > 1) yield `token ${nonce} is written ${times} times`;
  for (const { nonce, answered } of sent) {
    if (answered > 0 && !written.has(nonce)) yield `token ${nonce} was accepted and is not in the journal`;
  }
}
