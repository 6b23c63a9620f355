// A real node seen through a hand that can hold single methods back: for situations a healthy chain never shows.
import { type Rpc, type RpcCall, RpcError, type RpcOutcome, RpcUnavailable } from '../src/rpc.ts';

export type Intercept = (params: readonly unknown[], pass: () => Promise<unknown>) => Promise<unknown>;

export class InterceptedRpc implements Rpc {
  readonly #inner: Rpc;
  readonly #intercepts = new Map<string, Intercept>();

  constructor(inner: Rpc) {
    this.#inner = inner;
  }

  on(method: string, intercept: Intercept): void {
    this.#intercepts.set(method, intercept);
  }

  off(method: string): void {
    this.#intercepts.delete(method);
  }

  request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const pass = () => this.#inner.request(method, params);
    return this.#intercepts.get(method)?.(params, pass) ?? pass();
  }

  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    return Promise.all(calls.map((call) => this.#outcome(call)));
  }

  async #outcome({ method, params }: RpcCall): Promise<RpcOutcome> {
    try {
      return { ok: true, result: await this.request(method, params) };
    } catch (error) {
      if (error instanceof RpcError || error instanceof RpcUnavailable) return { ok: false, error };
      throw error;
    }
  }
}
