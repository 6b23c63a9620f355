// The text of an answer, as far as a client reads one: a server that lies may send without an end, or pack a gigabyte into a megabyte.

/** More than any answer of the service has: the largest are pages of the journal, of a few megabytes. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Throws, and stops the answer, when it is longer once unpacked. */
export async function readBoundedText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MOST_BYTES) {
      // Nobody waits for the connection to end, and a failure of that is no matter.
      reader.cancel().catch(() => undefined);
      throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
