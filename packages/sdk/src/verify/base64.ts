// Decodes the base64 bytes of journal pages.

/** Declared here because browsers have no `Buffer`. */
declare const Buffer: { from(text: string, encoding: 'base64'): Uint8Array } | undefined;

export function bytesOfBase64(text: string): Uint8Array {
  if (typeof Buffer !== 'undefined') return Buffer.from(text, 'base64');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
