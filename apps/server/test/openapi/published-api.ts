// The API as it is published: the OpenAPI document of a running service, read the way an outside client would.
import type { TestClient } from '@presage/testkit';
import { Compile } from 'typebox/compile';

export type Schema = Readonly<Record<string, unknown>>;

interface PublishedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface PublishedOperation {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly parameters: readonly PublishedParameter[];
  readonly body?: Schema;
  readonly isBodyRequired: boolean;
  readonly answer: Schema;
  readonly contentType: string;
  readonly statuses: readonly string[];
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-recorded'?: readonly RecordedRequest[];
  readonly parameters: readonly PublishedParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
type Content = Readonly<Record<string, MediaType>>;

/** As the document says that an example was sent. */
export interface RecordedRequest {
  readonly step: number;
  readonly example: string;
  readonly request: string;
  readonly status: number;
  readonly token?: true;
  /** Texts that an earlier answer gave. */
  readonly from?: readonly { readonly text: string; readonly of: string; readonly at: string }[];
}

export interface PublishedDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly 'x-undocumented'?: readonly string[];
}

export async function readPublishedApi(client: TestClient) {
  const document = await client.read<PublishedDocument>('/openapi.json');
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(document, { path, method, operation })),
  );
  return { document, operations };
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: DocumentedOperation;
}

function toOperation(document: PublishedDocument, { path, method, operation }: Place): PublishedOperation {
  const [contentType, { schema }] = Object.entries(operation.responses['200']!.content!)[0]!;
  const body = operation.requestBody?.content['application/json']?.schema;
  return {
    method: method as PublishedOperation['method'],
    path,
    id: operation.operationId,
    contentType,
    parameters: operation.parameters,
    ...(body && { body: inline(document, body) as Schema }),
    isBodyRequired: operation.requestBody?.required ?? false,
    answer: inline(document, schema) as Schema,
    statuses: Object.keys(operation.responses),
  };
}

/** References followed, so that a validator needs nothing but the schema. */
function inline(document: PublishedDocument, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((each) => inline(document, each));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if ($ref !== undefined) return inline(document, document.components.schemas[$ref.split('/').at(-1)!]);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inline(document, value)]));
}

/** What does not fit: a missing or malformed field, or one that the schema does not know. */
export function schemaFaults(schema: Schema, value: unknown): string[] {
  const plain = toPlain(value);
  const faults = [...Compile(schema).Errors(plain)].map(({ instancePath, message }) => `${instancePath} ${message}`);
  return faults.length > 0 ? faults : unknownFields(schema, plain, '');
}

/** Exact integers come as bigint past 2^53; a schema of the wire knows integers only. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member)]));
}

function unknownFields(schema: Schema, value: unknown, where: string): string[] {
  const arms = schema.anyOf as readonly Schema[] | undefined;
  if (arms !== undefined) {
    const arm = arms.filter((each) => Compile(each).Check(value)).map((each) => unknownFields(each, value, where));
    return arm.sort((a, b) => a.length - b.length)[0] ?? [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((each, i) => unknownFields((schema.items ?? {}) as Schema, each, `${where}/${i}`));
  }
  const properties = schema.properties as Readonly<Record<string, Schema>> | undefined;
  if (typeof value !== 'object' || value === null || properties === undefined) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const known = properties[key];
    if (known !== undefined) return unknownFields(known, member, `${where}/${key}`);
    return schema.additionalProperties === true ? [] : [`${where}/${key} is not in the schema`];
  });
}
