// SHA-256 in plain JavaScript: for state hashes, which must be equal in a browser, a worker and a server.
import { sha256 } from '@noble/hashes/sha2';
import { type Hex, toHex } from './hex.ts';

/** Text is hashed in pieces of about this many characters: one call per line would cost more than the hashing. */
const PIECE_CHARS = 65_536;

/** SHA-256 of the UTF-8 text of the lines, each followed by a line feed. The whole text is never held in memory. */
export function sha256OfLines(lines: Iterable<string>): Hex {
  const hash = sha256.create();
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARS) continue;
    hash.update(piece);
    piece = '';
  }
  return toHex(hash.update(piece).digest());
}
