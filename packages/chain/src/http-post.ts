// Posts text over connections that are kept open: a question to a node nearby costs a fifth of what it costs through fetch.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { MOST_ANSWER_BYTES } from '@presage/runtime';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** The way to one server. */
export interface Post {
  /** Rejects when the whole answer does not come in time, with `PostTimeout`, or does not come at all. */
  send(body: string, timeoutMs: number): Promise<HttpAnswer>;
  /** Ends what is under way. */
  close(): void;
}

/** Servers that say nothing else close a connection that was idle for five seconds: a question must not meet that. */
const IDLE_MS = 4_000;

export class PostTimeout extends Error {
  override readonly name = 'PostTimeout';
}

/** A node that sends without an end would take all memory within the time that it has. */
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
        // Before the connection ends: in the middle of an answer that would look like a fault of its own.
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
