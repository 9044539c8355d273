import type { TenantClient } from '../api/client.ts'
import { startDeadline } from '../api/deadline.ts'
import type { Fetched } from '../api/reader.ts'
import type { AuthSettings, TenantSettings } from '../config/settings.ts'
import { pathOfRequest } from '../model/describe.ts'
import { reasonOf } from '../model/errors.ts'
import { isOfAll } from '../model/process/files.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { greatestSkewMs, isSkewed } from '../model/server-clock.ts'
import { plural } from '../model/text/words.ts'
import { describeDuration, minuteMs } from '../model/time.ts'
import { resources } from '../resources/index.ts'
import type { TenantRow } from '../store/port.ts'
import { ownIdOn } from '../sync/context.ts'
import type { GivenPage } from '../sync/identity-proof.ts'
import { idTextsOn, pageRules, queryAt } from '../sync/pages/page-rules.ts'
import { type Diagnosis, failure, fine, problemOf, warning } from './diagnosis.ts'

interface Probing {
  readonly tenant: TenantSettings
  readonly client: TenantClient
  /** Undefined for one that is not mirrored yet. */
  readonly row: TenantRow | undefined
}

/** For all endpoints of a tenant together. */
const timeoutMs = minuteMs

export interface Probed extends Probing {
  readonly diagnoses: readonly Diagnosis[]
  /** The first page of each resource that could be read. */
  readonly pages: readonly GivenPage[]
}

/** Requests the first page of every resource. @throws the reason of a stop of the program. */
export async function probeTenant(probing: Probing, stop: AbortSignal): Promise<Probed> {
  using deadline = startDeadline(timeoutMs, stop)
  const answers: Answer[] = []
  for (const definition of resources) answers.push(await probe(definition, answers, probing, deadline.signal))
  stop.throwIfAborted()
  const pages = answers.flatMap(({ definition, page }) => (page === null ? [] : [{ definition, fetched: page }]))
  const diagnoses = [
    ...answers.map(({ diagnosis }) => diagnosis),
    ...diagnoseTokenFile(probing.tenant.auth),
    ...diagnoseClock(pages),
  ]
  return { ...probing, diagnoses, pages }
}

interface Answer {
  readonly definition: ResourceDefinition
  /** Null when it could not be read. */
  readonly page: Fetched | null
  readonly diagnosis: Diagnosis
  /** Message of the failure without what is the resource's own. */
  readonly cause?: string
}

/** After this many endpoints without an answer the others are skipped: an unreachable tenant would cost a time-out each. */
const unreachableAfter = 2
const noAnswer: ReadonlySet<Reason | null> = new Set<Reason | null>(['network', 'timeout', 'tls'])

async function probe(
  definition: ResourceDefinition,
  earlier: readonly Answer[],
  { tenant, client }: Probing,
  signal: AbortSignal,
): Promise<Answer> {
  const { name, permission } = definition
  const unread = (diagnosis: Diagnosis): Answer => ({ definition, page: null, diagnosis })
  if (!tenant.resources[name].enabled) {
    const advice = 'Every check that reads it is not applicable; enable it in resources if that is not intended'
    return unread(warning(name, 'switched off in the configuration', advice, { permission }))
  }
  const tried = earlier.map(({ diagnosis }) => diagnosis).filter(({ level }) => level !== 'warn')
  const [first] = tried
  if (first !== undefined && tried.length >= unreachableAfter && tried.every(({ reason }) => noAnswer.has(reason))) {
    const { reason } = first
    return unread(failure(name, `${reason}: skipped, because baseUrl does not answer`, null, { permission, reason }))
  }
  try {
    const page = await client.reader.fetch(definition, {}, signal)
    pageRules(tenant.api.maxPages).check(page, null)
    const own = ownIdOn({ settings: tenant }, definition)
    const missing = own !== null && !(await isListed(own, definition, page, client, signal)) ? own : null
    return { definition, page, diagnosis: diagnosePage(definition, page, missing) }
  } catch (error) {
    if (signal.aborted) {
      const sentence = `timeout: the tenant had ${describeDuration(timeoutMs)} for all endpoints together`
      const advice = 'It answers too slowly; check api.timeoutSeconds'
      return unread(failure(name, sentence, advice, { permission, reason: 'timeout' }))
    }
    const reason = reasonOf(error)
    const { message, hint } = problemOf(error)
    const cause = message.replace(pathOfRequest, '')
    const same = earlier.find((one) => one.cause === cause)
    const described =
      same === undefined
        ? failure(name, `${reason}: ${message}`, hint, { permission, reason })
        : failure(name, `${reason}: as ${same.definition.name}`, null, { permission, reason })
    return { definition, page: null, diagnosis: described, cause }
  }
}

/** Pages of a list that are searched for an id. */
const mostPages = 50

/** False if the list, read to its end, lacks the id. @throws what a request throws */
async function isListed(
  id: string,
  definition: ResourceDefinition,
  first: Fetched,
  { reader }: TenantClient,
  signal: AbortSignal,
): Promise<boolean> {
  let page = first
  for (let pages = 1; !idTextsOn(page, definition).includes(id); pages++) {
    if (!page.hasMore || page.nextCursor === null) return false
    if (pages === mostPages) return true
    page = await reader.fetch(definition, queryAt(page.nextCursor), signal)
  }
  return true
}

/** @param missing an id that the list should contain and does not. */
function diagnosePage(definition: ResourceDefinition, page: Fetched, missing: string | null): Diagnosis {
  const { name, permission, kind } = definition
  const { items, hasMore } = page
  const count = `${plural(items.length, 'record')}${hasMore ? ' on the first page' : ''}`
  const bad = items.filter((item) => !item.ok).length
  const problems: (readonly [what: string, advice: string])[] = []
  if (bad > 0)
    problems.push([
      `${bad} of them ${bad === 1 ? 'is' : 'are'} invalid`,
      'Invalid records are quarantined; ask the vendor what changed',
    ])
  if (kind === 'pagedList' && items.length === 0)
    problems.push([
      'the list is empty, although it always contains the caller',
      'Run the doctor again; then check the tenant in the portal',
    ])
  if (missing !== null)
    problems.push([`ownClientId ${missing} is not listed`, 'Check that the token belongs to the client of ownClientId'])
  if (problems.length === 0) return fine(name, count, { permission })
  const sentence = [count, ...problems.map(([what]) => what)].join('; ')
  return failure(name, sentence, problems.map(([, advice]) => advice).join('. '), { permission })
}

/** The largest clock difference of the answers; nothing without an answer. */
function diagnoseClock(pages: readonly GivenPage[]): readonly Diagnosis[] {
  if (pages.length === 0) return []
  const skewOf = ({ fetched: { meta } }: GivenPage) =>
    meta.serverTime === null ? null : meta.serverTime - meta.receivedAt
  const skews = pages.flatMap((page) => skewOf(page) ?? [])
  const without = pages.filter((page) => skewOf(page) === null).map(({ definition }) => definition.name)
  if (without.length > 0 && !skews.some(isSkewed)) {
    const advice = 'Ask the vendor: without it checks that compare times do not pass, and their findings stay open'
    return [warning('clock', `meta.timestamp of ${without.join(', ')} is missing or invalid`, advice)]
  }
  const most = skews.reduce((worst, skew) => (Math.abs(skew) > Math.abs(worst) ? skew : worst))
  const side = most > 0 ? 'ahead of' : 'behind'
  const seconds = (Math.abs(most) / 1000).toFixed(1)
  const sentence = seconds === '0.0' ? 'the clocks agree' : `the server's clock is ${seconds} s ${side} this one`
  if (!isSkewed(most)) return [fine('clock', sentence)]
  const advice = 'Correct the clock (NTP): until then checks that compare times are unknown'
  return [failure('clock', `${sentence}, more than ${greatestSkewMs / 1000} s`, advice)]
}

/** A warning where other users may read or replace the file of the token, or of the secret that fetches it. */
export function diagnoseTokenFile({ token }: AuthSettings): readonly Diagnosis[] {
  const source = 'oauth2' in token ? token.oauth2.clientSecret : token
  if (!('file' in source) || !isOfAll(source.file)) return []
  const sentence = `every user of this machine may read or replace the file ${source.file}`
  return [warning('token', sentence, `Run "chmod o-rw ${source.file}"`)]
}
