// Base64 to bytes, by Node's own way where there is one.

interface NodeBuffer {
  from(text: string, encoding: 'base64'): Uint8Array;
}
const { Buffer: nodeBuffer } = globalThis as unknown as { Buffer?: NodeBuffer };

export function bytesOfBase64(text: string): Uint8Array {
  if (nodeBuffer !== undefined) return nodeBuffer.from(text, 'base64');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
