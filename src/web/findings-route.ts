import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { accepts } from 'hono/accepts'
import * as z from 'zod'
import { findingColumns, findingStates } from '../model/finding.ts'
import { severities } from '../model/severity.ts'
import { serialize } from '../model/text/formats.ts'
import { searchText, text, unknownName, words } from './query.ts'
import { refuse, type WebContext } from './route.ts'
import { firstFindings, type ShownQuery, shownFindings } from './shown-findings.ts'
import type { WebOptions, WebSources } from './web-options.ts'

/** Greatest `limit`. */
const maxLimit = 1000
const wrongLimit = `The limit must be a whole number from 1 to ${maxLimit}`

export const filterQuery = z.object({
  tenant: text('Only findings of this tenant'),
  check: text('Only findings of this check'),
  owner: text('Only findings of this owner'),
  severity: words('severity', severities, 'Only findings of these severities'),
  state: words('state', [...findingStates, 'all'], 'Only findings in these states; open by default'),
  q: searchText,
})

export const findingsQuery = filterQuery.extend({
  limit: z.coerce
    .number(wrongLimit)
    .int(wrongLimit)
    .min(1, wrongLimit)
    .max(maxLimit, wrongLimit)
    .optional()
    .describe('At most this many findings; a Link header with rel="next" names the next part'),
  cursor: text('Fingerprint after which the part begins, as in the Link header'),
})

const contentTypes = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

/**
 * Answers `/api/v1/findings` (docs/daily-work.md#findings-for-other-systems) with a JSON array or CSV, read from the
 * mirror while it is sent; with `limit`, with a part whose `Link` header names the next one.
 */
export async function findingsRoute(
  c: WebContext,
  asked: z.output<typeof findingsQuery>,
  options: WebOptions,
  format: keyof typeof contentTypes = 'json',
): Promise<Response> {
  const { sources } = options
  const { exposeDetails } = c.get('access')
  const unknown = unknownName(asked, sources.names())
  if (unknown !== null) return refuse(c, unknown.status, unknown.message)
  const { severity, cursor, limit = cursor === undefined ? undefined : maxLimit, state = ['open'] } = asked
  const query: ShownQuery = {
    tenant: asked.tenant,
    check: asked.check,
    owner: asked.owner,
    severities: severity,
    after: cursor,
    text: asked.q,
    states: findingStates.filter((one) => state.includes('all') || state.includes(one)),
  }
  c.header('Content-Type', contentTypes[format])
  if (limit !== undefined) return part(c, { ...query, limit }, sources)
  if (format === 'csv') c.header('Content-Disposition', 'attachment; filename="findings.csv"')
  const found = shownFindings(sources.findings, query, exposeDetails)
  return streamed(
    c,
    serialize(format, found, findingColumns(exposeDetails), (finding) => finding),
    options,
  )
}

async function part(
  c: WebContext,
  { limit, ...query }: ShownQuery & { readonly limit: number },
  { findings }: WebSources,
): Promise<Response> {
  const { after } = query
  if (
    after !== undefined &&
    (await firstFindings(1, findings, { fingerprints: [after], states: findingStates }, false)).length === 0
  )
    return refuse(
      c,
      400,
      'No finding has this cursor: take it from the Link header of the previous part, or start again',
    )
  const found = await firstFindings(limit + 1, findings, query, c.get('access').exposeDetails)
  const shown = found.slice(0, limit)
  const next = new URLSearchParams({ ...c.req.query(), cursor: shown.at(-1)?.fingerprint ?? '' })
  if (found.length > limit) c.header('Link', `<${c.req.path}?${next}>; rel="next"`)
  return c.body(JSON.stringify(shown))
}

/**
 * Sends pieces as fast as the client reads them. The first is made before the status line, so that an unreadable
 * database gives a 503; a later failure destroys the connection, so that no client takes a part for the whole.
 */
export async function streamed(
  c: WebContext,
  pieces: AsyncGenerator<string>,
  { log }: WebOptions,
  isZipped = accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: '' }) === 'gzip',
): Promise<Response> {
  const first = await pieces.next()
  if (c.req.method === 'HEAD') {
    await pieces.return(undefined)
    return c.body(null)
  }
  async function* bytes() {
    const encoder = new TextEncoder()
    try {
      yield encoder.encode(first.value ?? '')
      for await (const piece of pieces) yield encoder.encode(piece)
    } catch (error) {
      // The client left.
      if (c.env.outgoing.destroyed) return
      log.error({ err: error, path: c.req.path }, 'Answer could not be sent completely')
      c.env.outgoing.destroy()
    }
  }
  if (!isZipped) return c.body(ReadableStream.from(bytes()) as ReadableStream<Uint8Array>)
  c.header('Content-Encoding', 'gzip')
  c.header('Vary', 'Accept-Encoding')
  // Metrics shrink to a thirtieth at this level, too, in a quarter of the time of the usual one.
  const zip = pipeline(Readable.from(bytes(), { highWaterMark: 1 }), createGzip({ level: 3 }), () => {})
  return c.body(ReadableStream.from(zip) as ReadableStream<Uint8Array>)
}
