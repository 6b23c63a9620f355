// The documentation: the OpenAPI document and a reference page that asks nothing of the outside world.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createDocument, type Route } from '../openapi/document.ts';
import { OPERATIONS } from '../openapi/index.ts';

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

/** Documented are the paths that clients call; pages and their files are not. */
const DOCUMENTED = /^\/(api\/|sandbox\/|health$|ready$|metrics$)/;

export function docsRoutes(version: string) {
  return (server: FastifyInstance): void => {
    const routes = collectRoutes(server);
    let document: object | undefined;
    server.get('/openapi.json', async () => {
      document ??= createDocument({ version, operations: OPERATIONS, routes });
      return document;
    });

    server.get('/docs', async (_request, reply) => reply.type('text/html').serializer(String).send(PAGE));

    let script: Promise<Buffer> | undefined;
    server.get('/docs/reference.js', async (_request, reply) => {
      script ??= readReferenceScript();
      return reply
        .type('text/javascript')
        .header('Cache-Control', 'public, max-age=86400')
        .send(await script);
    });
  };
}

/** Its routes are registered after this one's, so that the list is whole by the time somebody asks. */
function collectRoutes(server: FastifyInstance): readonly Route[] {
  const routes: Route[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    if (!DOCUMENTED.test(url)) return;
    for (const each of [method].flat()) {
      if (each === 'GET' || each === 'POST' || each === 'DELETE')
        routes.push({ method: each.toLowerCase(), path: url });
    }
  });
  return routes;
}

/** The package's script by its path: importing its plugin would cost every start a third of a second. */
function readReferenceScript(): Promise<Buffer> {
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return readFile(join(dirname(main), 'js', 'standalone.js'));
}
