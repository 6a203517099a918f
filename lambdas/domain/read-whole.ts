/**
 * The bytes of a stream, or undefined when it has more of them than the limit: whatever a bucket holds, no more is ever
 * kept in memory. What is left is not read, and its connection is let go.
 */
export async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limitBytes) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts, bytes);
}
