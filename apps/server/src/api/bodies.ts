// Bodies checked by the schema that documents them; the first fault names its field.
import { firstFieldFault, PresageError } from '@presage/protocol';
import type Type from 'typebox';
import { Compile } from 'typebox/compile';

export function bodyOf<T extends Type.TSchema>(schema: T): (body: unknown) => Type.Static<T> {
  const compiled = Compile(schema);
  return (body) => {
    if (compiled.Check(body)) return body as Type.Static<T>;
    const { code, details } = firstFieldFault([...compiled.Errors(body)], schema);
    throw new PresageError(code, details);
  };
}
