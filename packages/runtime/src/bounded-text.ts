// Reads the text of a response up to a limit: a malicious server may send without end, or compress a gigabyte into a megabyte.

/** More than any response of a service or a node: the largest, pages of a journal and lists of logs, have a few megabytes. */
export const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** Throws, and cancels the response, if it is longer after decompression. */
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
      // Not awaited, and failures are ignored: the connection is no longer needed.
      reader.cancel().catch(() => undefined);
      throw new Error(`the answer has over ${mostBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
