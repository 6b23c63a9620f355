// A refusal is an answer with a code, not an exception.
import type { EngineOutput, ErrorCode } from '@presage/protocol/engine-types';

export function refuse(code: ErrorCode, details?: Readonly<Record<string, unknown>>): EngineOutput[] {
  return [details === undefined ? { type: 'command-refused', code } : { type: 'command-refused', code, details }];
}
