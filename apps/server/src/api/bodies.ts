// Bodies: checked by the schema that documents them; the first fault names its field.
import { bodyShape, type Parsed, PresageError } from '@presage/protocol';
import type { Static, TSchema } from 'typebox';

/** The body of an endpoint: the schema it publishes, and how a sent body becomes the handler's input. */
export interface Body<T> {
  readonly schema: TSchema;
  /** Name in the OpenAPI document, for a schema that is not one of the wire's. */
  readonly name?: string;
  /** Set if the query may carry everything instead. */
  readonly isOptional?: boolean;
  /** Without it the body is passed on unchecked. */
  readonly read?: (body: unknown) => T;
}

/** `got` is the value that was sent; it is left out if there was none. */
export function invalidField(field: string, expected: string, got?: unknown): PresageError {
  return new PresageError('invalid_field', { field, expected, ...(got !== undefined && { got }) });
}

export function missingField(field: string, expected: string): PresageError {
  return new PresageError('invalid_field', { field, expected, missing: true });
}

/** Unknown fields are ignored, and null counts as absent where a field may be absent. */
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

/** For bodies whose shape is one of several checks in a fixed order: the parser does them all, with the same schema. */
export function parsedBody<T>(schema: TSchema, parse: (body: unknown) => Parsed<T>): Body<T> {
  const read = (body: unknown): T => {
    const parsed = parse(body);
    if (!parsed.ok) throw new PresageError(parsed.fault.code, parsed.fault.details);
    return parsed.value;
  };
  return { schema, read };
}

/** For bodies that a port checks by the same schema: checking them here too would be a second pass. */
export function uncheckedBody(schema: TSchema): Body<unknown> {
  return { schema };
}
