import type { IncomingMessage } from 'node:http'

const greatestBody = 1_048_576

/** The body of a request; null when it is longer than 1 MiB. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    // Reads a body that is too long to its end, so that the client still gets the answer.
    if (size <= greatestBody) chunks.push(bytes)
  }
  return size > greatestBody ? null : Buffer.concat(chunks)
}
