import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { TenantClient } from '../api/client.ts'
import { parseSecret } from '../api/credentials/secret.ts'
import { startDeadline } from '../api/deadline.ts'
import type { EnvLookup } from '../api/options.ts'
import type { Fetched } from '../api/reader.ts'
import { whyUnreadable } from '../config/mistakes.ts'
import type { AuthSettings, TenantSettings } from '../config/settings.ts'
import { pathOfRequest } from '../model/describe.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { isOfAll, mostSecretBytes, readRegularFileSync } from '../model/process/files.ts'
import type { Io } from '../model/process/io.ts'
import { contractEventMeanings } from '../model/reading.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { greatestSkewMs, isSkewed } from '../model/server-clock.ts'
import { firstOf, plural } from '../model/text/words.ts'
import { describeDuration, minuteMs } from '../model/time.ts'
import { resources } from '../resources/index.ts'
import type { TenantRow } from '../store/port.ts'
import { odditiesOf, oddityWords } from '../sync/contract-events.ts'
import type { GivenPage } from '../sync/identity-proof.ts'
import { idTextsOn } from '../sync/pages/page-rules.ts'
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
export async function probeTenant(probing: Probing, { clock, env, stop }: Io): Promise<Probed> {
  const { tenant, client } = probing
  using deadline = startDeadline(timeoutMs, stop)
  const answers: Answer[] = []
  for (const definition of resources) answers.push(await probe(definition, answers, probing, deadline.signal))
  stop.throwIfAborted()
  const pages = answers.flatMap(({ definition, page }) => (page === null ? [] : [{ definition, fetched: page }]))
  const diagnoses = [
    ...answers.map(({ diagnosis }) => diagnosis),
    ...diagnoseToken(tenant.auth, clock.now(), client.tokenGoodForMs, (name) => env[name]),
    ...diagnoseDeviations(pages, tenant),
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
    return { definition, page, diagnosis: diagnosePage(definition, page, tenant.ownClientId) }
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

function diagnosePage(definition: ResourceDefinition, page: Fetched, own: string | null): Diagnosis {
  const { name, permission, kind } = definition
  const { items, hasMore } = page
  const count = `${plural(items.length, 'record')}${hasMore ? ' on the first page' : ''}`
  const bad = items.filter((item) => !item.ok).length
  const isOwnMissing = own !== null && !hasMore && !idTextsOn(page, definition).includes(own)
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
  if (kind === 'pagedList' && isOwnMissing)
    problems.push([`ownClientId ${own} is not among them`, 'Check that the token belongs to the client of ownClientId'])
  if (problems.length === 0) return fine(name, count, { permission })
  const sentence = [count, ...problems.map(([what]) => what)].join('; ')
  return failure(name, sentence, problems.map(([, advice]) => advice).join('. '), { permission })
}

/** Most fields named of a resource. */
const mostNamed = 10

/** Deviations from the specification on the first pages, by names of fields: one warning for each kind. */
function diagnoseDeviations(pages: readonly GivenPage[], settings: TenantSettings): readonly Diagnosis[] {
  const found = pages.flatMap(({ definition, fetched }) => {
    // A field of the envelope may mean that the answer is partial. The line about the clock has unreadable times.
    const ofEnvelope = fetched.meta.oddities.filter(({ kind }) => kind !== 'invalid_id' && kind !== 'unreadable_time')
    const ofRecords = odditiesOf({ definition, context: { settings } }, fetched)
    return [...ofEnvelope, ...ofRecords].map(({ kind, field, detail }) => {
      return { kind, resource: definition.name, words: oddityWords(field, detail) }
    })
  })
  return [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, same]) => {
    const places = [...Map.groupBy(same, ({ resource }) => resource)].map(([resource, of]) => {
      const names = [...new Set(of.map(({ words }) => words))]
      return `${resource}: ${firstOf(names, mostNamed)}`
    })
    return warning('deviations', `${kind} in ${places.join('; ')}`, contractEventMeanings[kind])
  })
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

/** Never contains the token. `now` and `goodForMs` in milliseconds; `goodForMs` is null if no token was fetched. */
export function diagnoseToken(
  { token }: AuthSettings,
  now: number,
  goodForMs: number | null,
  env: EnvLookup,
): readonly Diagnosis[] {
  if ('env' in token) return [ofVariable(token.env, 'token', env)]
  if ('file' in token) return [ofFile(token.file, 'token', now)]
  const good =
    goodForMs === null ? 'could not be fetched' : `fetched now, to be used for ${describeDuration(goodForMs)}`
  if ('command' in token) return [ofFetched(`from the command ${basename(token.command[0] ?? '')}, ${good}`, goodForMs)]
  const { tokenUrl, clientSecret } = token.oauth2
  const secret =
    'env' in clientSecret
      ? ofVariable(clientSecret.env, 'client secret', env)
      : ofFile(clientSecret.file, 'client secret', now)
  return [ofFetched(`by OAuth 2 from ${new URL(tokenUrl).origin}, ${good}`, goodForMs), secret]
}

function ofVariable(name: string, what: string, env: EnvLookup): Diagnosis {
  try {
    parseSecret(env(name) ?? '', `the variable ${name}`)
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    return failure(what, error.message, error.hint ?? null, { reason: 'unauthorized' })
  }
  return fine(what, `from the variable ${name}; its age is unknown, and a new value takes a restart`)
}

function ofFetched(sentence: string, goodForMs: number | null): Diagnosis {
  return goodForMs === null
    ? failure('token', sentence, 'See the results of the endpoints', { reason: 'unauthorized' })
    : fine('token', sentence)
}

function ofFile(path: string, what: string, now: number): Diagnosis {
  const origin = `the file ${path}`
  const reason = { reason: 'unauthorized' } as const
  try {
    const stats = statSync(path)
    parseSecret(readRegularFileSync(path, mostSecretBytes).toString(), origin)
    const sentence = `from ${origin}, written ${describeDuration(now - stats.mtimeMs)} ago`
    if (!isOfAll(stats.mode)) return fine(what, sentence)
    return warning(what, `${sentence}; every user of this machine may read or replace it`, `Run "chmod o-rw ${path}"`)
  } catch (error) {
    if (error instanceof SyncError) return failure(what, error.message, error.hint ?? null, reason)
    const advice = 'Let the user of the daemon read it, and run the doctor as that user'
    return failure(what, `${origin}: ${whyUnreadable(error)}`, advice, reason)
  }
}
