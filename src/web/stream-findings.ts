import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { FindingView } from '../model/finding.ts'
import { jsonArray } from '../model/json-array.ts'
import { withoutDetails } from '../model/redact-finding.ts'
import { parseFindingQuery } from './finding-query.ts'
import { refuse } from './refuse.ts'
import { headersOf } from './security-headers.ts'
import type { WebAccess, WebOptions } from './web-options.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * Answers `/api/v1/findings`, an array in the shape of the contract. It is written past hono: a failure in the middle
 * must break the connection, so that nobody takes half a list for the whole, and must not add its text to the body.
 */
export async function streamFindings(context: Context, options: WebOptions, access: WebAccess): Promise<Response> {
  const parsed = parseFindingQuery(context.req.query())
  if (!parsed.ok) return refuse(context, 400, parsed.message)
  if (context.req.method === 'HEAD') return context.body(null, 200, { 'Content-Type': contentType })
  const batches = options.sources.findings(parsed.query)
  const chunks = jsonArray(access.exposeDetails ? batches : redacted(batches))
  // The first chunk before the status line: a store that cannot be read is still a 500.
  const first = await chunks.next()
  const outgoing: ServerResponse = context.env.outgoing
  outgoing.writeHead(200, { ...headersOf(access), 'Content-Type': contentType })
  try {
    await pipeline(Readable.from(from(first.value ?? '', chunks)), outgoing)
  } catch (error) {
    if (!isAbort(error)) options.log.error({ err: error }, 'Findings could not be sent whole')
  }
  return RESPONSE_ALREADY_SENT
}

async function* from(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

async function* redacted(batches: AsyncIterable<readonly FindingView[]>): AsyncGenerator<readonly FindingView[]> {
  for await (const batch of batches) yield batch.map(withoutDetails)
}

/** The reader went away, which is his right. */
function isAbort(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
