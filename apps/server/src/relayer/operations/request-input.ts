// Bodies of relayed operations: a schema and the conversion to a request, which judges addresses and signatures after the shape, each with its own text.
import {
  Bytes32Text,
  bodyShape,
  integerInput,
  MAX_UINT64,
  type Parsed,
  Uint8Input,
  Uint64Input,
  Uint256Input,
} from '@presage/protocol';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { type Owned, RequestReader, type Signature } from './request-reader.ts';

export interface RequestInput<Request> {
  /** Name of the schema in the OpenAPI document. */
  readonly name: string;
  readonly schema: TSchema;
  readonly parse: (body: unknown) => Parsed<Request>;
}

/** `read` gets a body of the schema's shape; its reader collects other faults. */
export function requestInput<Schema extends TSchema, Request>(
  name: string,
  schema: Schema,
  read: (body: Static<Schema>, reader: RequestReader) => Request,
): RequestInput<Request> {
  const shape = bodyShape(schema);
  const parse = (sent: unknown): Parsed<Request> => {
    const body = shape.read(sent);
    if (body === undefined) {
      const { details } = shape.faultOf(sent, false);
      return { ok: false, fault: { code: 'invalid_request_body', ...(details && { details }) } };
    }
    const reader = new RequestReader();
    const value = read(body, reader);
    return reader.fault === undefined ? { ok: true, value } : { ok: false, fault: reader.fault };
  };
  return { name, schema, parse };
}

interface Field<Schema extends TSchema, Value> {
  readonly schema: Schema;
  read(input: Static<Schema>, reader: RequestReader, name: string): Value;
}

type Fields = Readonly<Record<string, Field<TSchema, unknown>>>;
type ValuesOf<Each extends Fields> = { readonly [Name in keyof Each]: ReturnType<Each[Name]['read']> };

export function field<Schema extends TSchema, Value>(
  schema: Schema,
  read: (input: Static<Schema>, reader: RequestReader, name: string) => Value,
): Field<Schema, Value> {
  return { schema, read };
}

export const AddressText = Type.String({ description: '0x and 40 hex digits' });
export const SignaturePart = Type.String({ description: '0x and 64 hex digits' });
export const Deadline = Type.Union(Uint256Input.anyOf, {
  description: 'Unix seconds, as a decimal string or a number',
});
export const ProposedOutcomeInput = integerInput(2n, '0 = YES, 1 = NO, 2 = each share pays half');

export const address = field(AddressText, (text, reader, name) => reader.address(name, text));
export const id = field(Bytes32Text, (text, reader) => reader.id(text));
export const uint64 = field(Uint64Input, (input, reader, name) => reader.integer(name, input, MAX_UINT64));
export const uint256 = field(Uint256Input, (input, reader, name) => reader.integer(name, input));
export const boolean = field(Type.Boolean({ description: 'true or false' }), (input) => input);

export const owned = { chainId: Uint64Input, owner: AddressText };
export const signedByKey = { deadline: Deadline, v: Uint8Input, r: SignaturePart, s: SignaturePart };
/** Signature fields. A contract wallet (EIP-1271) sends `signature` instead of v, r and s. */
export const signed = {
  deadline: Deadline,
  v: Type.Optional(Uint8Input),
  r: Type.Optional(SignaturePart),
  s: Type.Optional(SignaturePart),
  signature: Type.Optional(
    Type.String({ description: 'of a wallet that is a contract (EIP-1271), in place of v, r and s' }),
  ),
};

/** The usual body: chain, owner, the fields of the operation, and a signature. */
export function signedInput<Each extends Fields>(
  name: string,
  fields: Each,
): RequestInput<Owned & ValuesOf<Each> & Signature> {
  const schema: TObject<typeof owned & typeof signed> = Type.Object({ ...owned, ...schemasOf(fields), ...signed });
  return requestInput(name, schema, (body, reader) => ({
    ...reader.owned(body.chainId, body.owner),
    ...readFields(fields, body, reader),
    ...reader.signature(body),
  }));
}

export function schemasOf<Each extends Fields>(fields: Each): { readonly [Name in keyof Each]: Each[Name]['schema'] } {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]): unknown[] => [name, schema]));
}

export function readFields<Each extends Fields>(
  fields: Each,
  body: Readonly<Record<string, unknown>>,
  reader: RequestReader,
): ValuesOf<Each> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]): unknown[] => [name, each.read(body[name], reader, name)]),
  );
}
