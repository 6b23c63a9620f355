// HTTP POST through fetch, which the simulated network answers.
import { type HttpAnswer, type Post, PostTimeout } from '@presage/chain';

export class FetchPost implements Post {
  readonly #url: string;
  readonly #open = new Set<AbortController>();

  constructor(url: string) {
    this.#url = url;
  }

  async send(body: string, timeoutMs: number): Promise<HttpAnswer> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new PostTimeout(`no answer in ${timeoutMs} ms`)), timeoutMs);
    this.#open.add(controller);
    try {
      const response = await fetch(this.#url, { method: 'POST', body, signal: controller.signal });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw controller.signal.reason instanceof PostTimeout ? controller.signal.reason : error;
    } finally {
      clearTimeout(timer);
      this.#open.delete(controller);
    }
  }

  close(): void {
    for (const controller of this.#open) controller.abort();
  }
}
