import type { FindingView } from '../model/finding.ts'
import { jsonArray } from '../model/text/json-array.ts'
import { withoutDetails } from '../model/text/redact-finding.ts'
import { type Answer, type Asked, ofType } from './answer.ts'
import { parseFindingQuery } from './finding-query.ts'
import { refuse } from './refuse.ts'
import { unknownName } from './unknown-name.ts'
import type { WebAccess, WebOptions } from './web-options.ts'

const contentType = 'application/json; charset=utf-8'

/** Answers `/api/v1/findings`, an array (docs/operations.md#findings-for-other-systems) that is read while it is sent. */
export async function streamFindings(asked: Asked, options: WebOptions, access: WebAccess): Promise<Answer> {
  const parsed = parseFindingQuery(asked.query)
  if (!parsed.ok) return refuse(asked, 400, parsed.message)
  const unknown = unknownName(parsed.query, options.sources.names())
  if (unknown !== null) return refuse(asked, unknown.status, unknown.message)
  if (asked.method === 'HEAD') return ofType(contentType, [])
  const batches = options.sources.findings(parsed.query)
  const chunks = jsonArray(access.exposeDetails ? batches : redacted(batches))
  // The first chunk before the status line: a store that cannot be read is still a 500.
  const first = await chunks.next()
  return ofType(contentType, from(first.value ?? '', chunks))
}

async function* from(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

async function* redacted(batches: AsyncIterable<readonly FindingView[]>): AsyncGenerator<readonly FindingView[]> {
  for await (const batch of batches) yield batch.map(withoutDetails)
}
