import { type PageSize, pageSizeOf } from '../api/endpoints.ts'
import type { Fetched, TenantReader } from '../api/reader.ts'
import type { ApiSettings } from '../config/settings.ts'
import { reasonOf } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import type { FeedResource, ResourceDefinition } from '../model/resource.ts'
import { isSkewed } from '../model/server-clock.ts'
import { plural } from '../model/text/numbers.ts'
import { idTextsOn } from '../sync/pages/page-rules.ts'
import { type Diagnosis, failure, fine, problemOf, warning } from './diagnosis.ts'

export interface ProbedEndpoint {
  readonly diagnosis: Diagnosis
  /** The first page; null when it could not be read. */
  readonly page: Fetched | null
}

/** Requests the first page of a resource; throws only when `signal` is aborted. */
export async function probeEndpoint(
  definition: ResourceDefinition,
  reader: TenantReader,
  ownClientId: string | null,
  signal: AbortSignal,
): Promise<ProbedEndpoint> {
  const { name, permission } = definition
  try {
    const page = await reader.fetch(definition, {}, signal)
    const { length } = page.items
    const count = `${plural(length, 'record')}${page.hasMore ? ' on the first page' : ''}`
    const problems = problemsOf(definition, page, ownClientId)
    if (problems.length === 0) return { page, diagnosis: fine(name, count, { permission }) }
    const sentence = [count, ...problems.map(([problem]) => problem)].join('; ')
    const advice = problems.map(([, wanted]) => wanted).join('. ')
    return { page, diagnosis: failure(name, sentence, advice, { permission }) }
  } catch (error) {
    if (signal.aborted) throw error
    return { page: null, diagnosis: notRead(name, permission, error) }
  }
}

function notRead(name: string, permission: string, error: unknown): Diagnosis {
  const reason: Reason = reasonOf(error)
  const { message, hint } = problemOf(error)
  return failure(name, `${reason}: ${message}`, hint, { permission, reason })
}

type Problem = readonly [what: string, advice: string]

function problemsOf(definition: ResourceDefinition, { items, hasMore, meta }: Fetched, own: string | null): Problem[] {
  const problems: Problem[] = []
  const bad = items.filter((item) => !item.ok).length
  if (bad > 0)
    problems.push([
      `${bad} of them ${bad === 1 ? 'is' : 'are'} invalid`,
      'Invalid records are quarantined; ask the vendor what changed',
    ])
  if (definition.kind === 'pagedList' && items.length === 0) {
    problems.push([
      'the list is empty, although it always contains the caller',
      'Run the doctor again; then check the tenant in the portal',
    ])
  }
  const ids = idTextsOn({ items }, definition)
  if (definition.kind === 'pagedList' && own !== null && !hasMore && !ids.includes(own)) {
    problems.push([`ownClientId ${own} is not among them`, 'Check that the token belongs to the client of ownClientId'])
  }
  const skewMs = skewOf(meta)
  if (skewMs !== null && isSkewed(skewMs)) {
    const side = skewMs > 0 ? 'ahead of' : 'behind'
    const seconds = Math.round(Math.abs(skewMs) / 1000)
    problems.push([`the server's clock is ${seconds} s ${side} this one`, "Correct this machine's clock (NTP) first"])
  }
  return problems
}

/** Server clock minus local clock in milliseconds; null when the answer has no time. */
export function skewOf({ serverTime, receivedAt }: Fetched['meta']): number | null {
  return serverTime === null ? null : serverTime - receivedAt
}

/** The first page of a feed that supports a page size. */
export interface FeedPage {
  readonly resource: FeedResource
  readonly length: number
  readonly hasMore: boolean
  /** The page size stated in the answer. */
  readonly limit: number | null
}

export function diagnosePageSize(pages: readonly FeedPage[], api: ApiSettings): Diagnosis | null {
  if (pages.length === 0) return null
  if (pages.every(({ resource }) => pageSizeOf(resource, api) === null)) {
    const seen = pages.map(
      ({ resource, length, hasMore }) => `${resource.name} ${length}${hasMore ? '' : ' (all of them)'}`,
    )
    return fine(
      'page size',
      `none requested: api.pageSizeParameter is not set; setting it means fewer requests to a large tenant; first pages: ${seen.join(', ')}`,
    )
  }
  const results = pages.map((page) => honors(page, pageSizeOf(page.resource, api)))
  const wrong = results.filter(({ parameter }) => parameter !== null)
  const sentence = (wrong.length > 0 ? wrong : results).map(({ text }) => text).join('; ')
  if (wrong.length === 0) return fine('page size', sentence)
  const names = [...new Set(wrong.map(({ parameter }) => `"${parameter}"`))].join(' and ')
  return warning(
    'page size',
    sentence,
    `Check api.pageSizeParameter (${names}) and api.pageSize: the API may use another name or a lower limit`,
  )
}

interface Honoring {
  /** The parameter that the tenant ignores; null when it honors it, or when none is sent. */
  readonly parameter: string | null
  readonly text: string
}

function honors({ resource, length, hasMore, limit }: FeedPage, requested: PageSize | null): Honoring {
  if (requested === null) return { parameter: null, text: `${resource.name} sent ${length}, none was requested` }
  const { parameter, size } = requested
  const wrong = (text: string) => ({ parameter, text: `${resource.name} ${text}` })
  if (length > size) return wrong(`sent ${length} although ${size} were requested`)
  if (limit !== null && limit !== size) return wrong(`sent pages of ${limit} although ${size} were requested`)
  if (length === size) return { parameter: null, text: `${resource.name} sent the ${size} requested` }
  if (hasMore) return wrong(`sent ${length} and has more, although ${size} were requested`)
  return {
    parameter: null,
    text: `the list of ${resource.name} fits in one page of ${size} (${plural(length, 'record')})`,
  }
}
