// Checks request bodies by the schema that documents them; the first fault names its field.
import { bodyShape, type Parsed, PresageError } from '@presage/protocol';
import type { Static, TSchema } from 'typebox';

/** The body of an endpoint: its published schema and the parser of the handler's input. */
export interface Body<T> {
  readonly schema: TSchema;
  /** Name in the OpenAPI document, for a schema outside the wire schemas. */
  readonly name?: string;
  /** Whether the query may carry the parameters instead. */
  readonly isOptional?: boolean;
  /** Parses the body; if missing, the body is passed on unchecked. */
  readonly read?: (body: unknown) => T;
}

/** Error for a wrong field; `got` is the value that was sent, if any. */
export function invalidField(field: string, expected: string, got?: unknown): PresageError {
  return new PresageError('invalid_field', { field, expected, ...(got !== undefined && { got }) });
}

export function missingField(field: string, expected: string): PresageError {
  return new PresageError('invalid_field', { field, expected, missing: true });
}

/** Returns a check for the schema. Unknown fields are ignored; null counts as absent for an optional field. */
export function checkerOf<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const shape = bodyShape(schema);
  return (sent) => {
    const body = shape.read(sent);
    if (body !== undefined) return body;
    const { code, details } = shape.faultOf(sent);
    throw new PresageError(code, details);
  };
}

export function bodyOf<T extends TSchema>(schema: T): Body<Static<T>> {
  return { schema, read: checkerOf(schema) };
}

/** A body with its own parser, for checks in a fixed order of which the schema's is one; the parser does them all. */
export function parsedBody<T>(schema: TSchema, parse: (body: unknown) => Parsed<T>): Body<T> {
  const read = (body: unknown): T => {
    const parsed = parse(body);
    if (!parsed.ok) throw new PresageError(parsed.fault.code, parsed.fault.details);
    return parsed.value;
  };
  return { schema, read };
}

/** A body that a port checks by the same schema; checking here would do the work twice. */
export function uncheckedBody(schema: TSchema): Body<unknown> {
  return { schema };
}
