// Base64 to bytes, by Node's own way where there is one.

/** Declared here, since browsers have none. */
declare const Buffer: { from(text: string, encoding: 'base64'): Uint8Array } | undefined;

export function bytesOfBase64(text: string): Uint8Array {
  if (typeof Buffer !== 'undefined') return Buffer.from(text, 'base64');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
