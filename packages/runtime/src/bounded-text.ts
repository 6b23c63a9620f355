// The text of an answer, as far as one is read: a server that lies may send without an end, or pack a gigabyte into a megabyte.

/** More than any answer of a service or of a node has: the largest, pages of a journal and lists of logs, are of a few megabytes. */
export const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** Throws, and stops the answer, when it is longer once unpacked. */
export async function readBoundedText(response: Response, mostBytes = MOST_ANSWER_BYTES): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    bytes += value.length;
    if (bytes > mostBytes) {
      // Nobody waits for the connection to end, and a failure of that is no matter.
      reader.cancel().catch(() => undefined);
      throw new Error(`the answer has over ${mostBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
