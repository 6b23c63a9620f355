// Compiles a schema's validator on first use: compiling all of them took a tenth of every start of the service.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export function compileLater<T extends TSchema>(schema: T) {
  let validator: ReturnType<typeof Compile<T>> | undefined;
  return () => {
    validator ??= Compile(schema);
    return validator;
  };
}
