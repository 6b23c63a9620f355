// The documentation: OpenAPI, AsyncAPI, and a reference page that asks nothing of the outside world.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import { createDocument, OPERATOR_DOCUMENT } from '../openapi/document.ts';
import { createAsyncApi } from '../stream/asyncapi.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Presage API</title>
</head>
<body>
<script id="api-reference" data-url="/openapi.json" data-configuration='{"withDefaultFonts":false,"telemetry":false,"hideClientButton":true,"agent":{"disabled":true},"showDeveloperTools":"never"}'></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

export function docsRoutes(version: string, endpoints: readonly Endpoint[]) {
  return (server: FastifyInstance): void => {
    const openApi = once(() => createDocument(version, endpoints));
    server.get('/openapi.json', async () => openApi());

    const asyncApi = once(createAsyncApi);
    server.get('/asyncapi.json', async () => asyncApi());

    server.get('/docs', async (_request, reply) => reply.type('text/html').serializer(String).send(PAGE));

    const script = once(readReferenceScript);
    server.get('/docs/reference.js', async (_request, reply) => {
      return reply
        .type('text/javascript')
        .header('Cache-Control', 'public, max-age=86400')
        .send(await script());
    });
  };
}

/** Beside the public one, wherever operators act. */
export function operatorDocsRoutes(version: string, endpoints: readonly Endpoint[]) {
  return (server: FastifyInstance): void => {
    const openApi = once(() => createDocument(version, endpoints, OPERATOR_DOCUMENT));
    server.get('/admin/openapi.json', async () => openApi());
  };
}

/** Made when somebody asks for it: most runs of the service never do. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The package's script by its path: importing its plugin would cost every start a third of a second. */
function readReferenceScript(): Promise<Buffer> {
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return readFile(join(dirname(main), 'js', 'standalone.js'));
}
