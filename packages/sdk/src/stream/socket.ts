// The WebSocket to use: the browser's, or the `ws` package in Node 20.

/** What both have in common. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

type SocketConstructor = new (url: string) => Socket;

async function socketConstructor(): Promise<SocketConstructor> {
  const own = (globalThis as { WebSocket?: unknown }).WebSocket;
  if (own !== undefined) return own as SocketConstructor;
  return (await import('ws')).WebSocket as unknown as SocketConstructor;
}

export async function openSocket(url: string): Promise<Socket> {
  const Constructor = await socketConstructor();
  return new Constructor(url);
}
