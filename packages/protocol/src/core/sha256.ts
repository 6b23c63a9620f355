// SHA-256 without a platform: for state hashes, which must come out the same in a browser, a worker and a server.
import { sha256 } from '@noble/hashes/sha2';
import { type Hex, toHex } from './hex.ts';

/** Text is handed to the hash in pieces of about this many characters: one call a line would cost more than the hashing. */
const PIECE_CHARS = 65_536;

/** SHA-256 of the UTF-8 text of the lines, each ended by a line feed, never held in memory whole. */
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
