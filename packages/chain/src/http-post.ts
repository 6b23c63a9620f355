// HTTP POST over kept-alive connections: a request to a nearby node costs a fifth of what it costs through fetch.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { MOST_ANSWER_BYTES } from '@presage/runtime';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A connection to one server. */
export interface Post {
  /** Rejects with `PostTimeout` if the whole answer does not arrive in time, or with the error of the connection. */
  send(body: string, timeoutMs: number): Promise<HttpAnswer>;
  /** Aborts open requests. */
  close(): void;
}

/**
 * Shorter than the five seconds after which servers close an idle connection by default, so that no request meets that.
 */
const IDLE_MS = 4_000;

export class PostTimeout extends Error {
  override readonly name = 'PostTimeout';
}

/** The answer exceeds the limit: an endless answer would otherwise fill memory within its timeout. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

export class HttpPost implements Post {
  readonly #request: typeof requestHttp;
  readonly #agent: HttpAgent;
  readonly #target: ReturnType<typeof urlToHttpOptions>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #open = new Set<{ destroy(error: Error): void }>();

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const parsed = new URL(url);
    const isSecure = parsed.protocol === 'https:';
    this.#request = isSecure ? requestHttps : requestHttp;
    this.#agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, timeout: IDLE_MS });
    this.#target = urlToHttpOptions(parsed);
    this.#headers = headers;
  }

  send(body: string, timeoutMs: number): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.#headers, 'content-length': Buffer.byteLength(body) };
      const options = { ...this.#target, method: 'POST', agent: this.#agent, headers };
      const request = this.#request(options, (response) => readAnswer(response).then(resolve, reject));
      const timer = setTimeout(() => {
        // Rejected before the connection is destroyed, whose error would otherwise look like the node's fault.
        reject(new PostTimeout(`no answer in ${timeoutMs} ms`));
        request.destroy();
      }, timeoutMs);
      this.#open.add(request);
      request.on('error', reject);
      request.on('close', () => {
        clearTimeout(timer);
        this.#open.delete(request);
      });
      request.end(body);
    });
  }

  close(): void {
    for (const request of this.#open) request.destroy(new Error('closed'));
    this.#agent.destroy();
  }
}

function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MOST_ANSWER_BYTES) chunks.push(chunk);
      else response.destroy(new AnswerTooLong(`the answer has over ${MOST_ANSWER_BYTES} bytes`));
    });
    response.on('error', reject);
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
    );
  });
}
