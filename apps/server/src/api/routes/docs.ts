// Routes for the documentation: OpenAPI, AsyncAPI, and a reference page that loads nothing from other hosts.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stringifyJson } from '@presage/protocol';
import type { Endpoint } from '../endpoint.ts';
import { StaticContent } from '../entity-tag.ts';
import type { Route } from '../http/request.ts';
import { createDocument, OPERATOR_DOCUMENT } from '../openapi/document.ts';
import { createAsyncApi } from '../stream/asyncapi.ts';
import { guideRoutes } from './guides.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Presage API</title>
</head>
<body>
<p><a href="/docs/guides">Guides</a></p>
<script id="api-reference" data-url="/openapi.json" data-configuration='{"withDefaultFonts":false,"telemetry":false,"hideClientButton":true,"agent":{"disabled":true},"showDeveloperTools":"never"}'></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

export function docsRoutes(version: string, endpoints: readonly Endpoint[]): Route[] {
  return [
    serveJson('/openapi.json', () => createDocument(version, endpoints)),
    serveJson('/asyncapi.json', createAsyncApi),
    serve('/docs', { type: 'text/html; charset=utf-8', make: () => Buffer.from(PAGE) }),
    serve('/docs/reference.js', {
      type: 'text/javascript; charset=utf-8',
      cacheControl: 'public, max-age=86400',
      make: readReferenceScript,
    }),
    ...guideRoutes(),
  ];
}

/** Route of the operators' document, on every listener that serves operators. */
export function operatorDocsRoutes(version: string, endpoints: readonly Endpoint[]): Route[] {
  return [serveJson('/admin/openapi.json', () => createDocument(version, endpoints, OPERATOR_DOCUMENT))];
}

function serveJson(path: string, make: () => unknown): Route {
  return serve(path, { type: 'application/json; charset=utf-8', make: () => Buffer.from(stringifyJson(make())) });
}

interface Served {
  readonly type: string;
  readonly cacheControl?: string;
  readonly make: () => Buffer | Promise<Buffer>;
}

/** Serves content that is built once, on the first request, since most runs of the service get none. */
function serve(path: string, { type, cacheControl = 'no-cache', make }: Served): Route {
  let made: Promise<StaticContent> | undefined;
  const makeOnce = async () => new StaticContent(await make());
  return {
    method: 'GET',
    path,
    handler: async (request, reply) => {
      made ??= makeOnce();
      const content = await made;
      return content.send(request, reply.type(type).header('Cache-Control', cacheControl));
    },
  };
}

/** Reads the page's script: beside this file in the packed server, else in its package, whose plugin would cost every start a third of a second. */
function readReferenceScript(): Promise<Buffer> {
  const placed = new URL('reference.js', import.meta.url);
  if (existsSync(placed)) return readFile(placed);
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return readFile(join(dirname(main), 'js', 'standalone.js'));
}
