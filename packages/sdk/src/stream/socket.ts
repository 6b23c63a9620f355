// The WebSocket to use: the browser's, or the `ws` package in Node 20.

/** What both have in common. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

/** Declared here: the types of browsers and of Node differ. */
declare const WebSocket: (new (url: string) => Socket) | undefined;

export async function openSocket(url: string): Promise<Socket> {
  if (typeof WebSocket !== 'undefined') return new WebSocket(url);
  const { WebSocket: NodeSocket } = await import('ws');
  return new NodeSocket(url);
}
