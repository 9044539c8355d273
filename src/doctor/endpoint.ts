import { pageSizeOf } from '../api/endpoints.ts'
import type { Fetched, TenantReader } from '../api/reader.ts'
import type { ApiSettings } from '../config/settings.ts'
import { reasonOf } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
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
interface FirstPage {
  readonly definition: ResourceDefinition
  /** Null when it could not be read. */
  readonly page: Fetched | null
}

/** Null unless a tenant ignores the page size that is requested of it. */
export function diagnosePageSize(probed: readonly FirstPage[], api: ApiSettings): Diagnosis | null {
  const wrong = probed.flatMap(({ definition, page }) => {
    const requested = pageSizeOf(definition, api)
    if (page === null || requested === null) return []
    const { items, hasMore } = page
    const { parameter, size } = requested
    if (items.length === size || (items.length < size && !hasMore)) return []
    const more = hasMore ? ' and has more' : ''
    return [`${definition.name} sent ${items.length}${more}, although ${size} were requested with "${parameter}"`]
  })
  if (wrong.length === 0) return null
  const advice = 'Check api.pageSizeParameter and api.pageSize: the API may use another name or a lower limit'
  return warning('page size', wrong.join('; '), advice)
}
