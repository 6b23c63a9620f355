// Every message of the stream against the schema of its type, which is what /asyncapi.json publishes.
import { STREAM_MESSAGES, type StreamMessageType } from '@presage/protocol';
import { Compile, type Validator } from 'typebox/compile';
import { expect } from 'vitest';
import type { StreamReply } from './stream-client.ts';

const checks = new Map<string, Validator>();

export function expectSchema(message: StreamReply): void {
  const schema = STREAM_MESSAGES[message.type as StreamMessageType];
  expect(schema, `a schema for ${message.type}`).toBeDefined();
  const check = checks.get(message.type) ?? Compile(schema);
  checks.set(message.type, check);
  const faults = [...check.Errors(message)].map(({ instancePath, message: text }) => `${instancePath} ${text}`);
  expect(faults, message.type).toEqual([]);
}
