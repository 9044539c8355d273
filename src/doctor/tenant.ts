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
  /** Whether an operator has accepted that the list of API clients is empty. */
  readonly isEmptyAccepted: boolean
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
  const pages = answers.flatMap(({ definition, page }) => (page === null ? [] : [{ definition, fetched: page }]))
  const ownClient = await diagnoseOwnClient(pages, probing, deadline.signal)
  stop.throwIfAborted()
  const diagnoses = [
    ...answers.map(({ diagnosis }) => diagnosis),
    ...ownClient,
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
  { tenant, client, isEmptyAccepted }: Probing,
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
    const fetchPage = () => client.reader.fetch(definition, {}, signal)
    let page = await fetchPage()
    // An empty list of API clients may mean "could not be completed".
    if (definition.kind === 'pagedList' && page.items.length === 0) page = await fetchPage()
    pageRules(tenant.api.maxPages).check(page, null)
    return { definition, page, diagnosis: diagnosePage(definition, page, isEmptyAccepted) }
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

/** Whether the list of API clients has `ownClientId`; nothing where the time for the tenant ends before the list. */
async function diagnoseOwnClient(
  pages: readonly GivenPage[],
  { tenant, client }: Probing,
  signal: AbortSignal,
): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const { definition, fetched } of pages) {
    const own = ownIdOn({ settings: tenant }, definition)
    if (own === null || fetched.items.length === 0) continue
    try {
      const advice = 'Check that the token belongs to the client of ownClientId'
      if (!(await isListed(own, definition, fetched, client, signal)))
        found.push(failure('ownClientId', `${own} is not listed`, advice))
    } catch (error) {
      if (signal.aborted) break
      const reason = reasonOf(error)
      const { message, hint } = problemOf(error)
      found.push(failure('ownClientId', `${reason}: ${message}`, hint, { reason }))
    }
  }
  return found
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

function diagnosePage(definition: ResourceDefinition, page: Fetched, isEmptyAccepted: boolean): Diagnosis {
  const { name, permission, kind } = definition
  const { items, hasMore } = page
  const count = `${plural(items.length, 'record')}${hasMore ? ' on the first page' : ''}`
  const bad = items.filter((item) => !item.ok).length
  if (kind === 'pagedList' && items.length === 0) {
    const level = isEmptyAccepted ? warning : failure
    const sentence = `the list is empty, although it always contains the caller${isEmptyAccepted ? '; this was accepted' : ''}`
    return level(name, sentence, 'Run the doctor again; then check the tenant in the portal', { permission })
  }
  if (bad === 0) return fine(name, count, { permission })
  const sentence = `${count}; ${bad} of them ${bad === 1 ? 'is' : 'are'} invalid`
  return failure(name, sentence, 'Invalid records are quarantined; ask the vendor what changed', { permission })
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
