import { namesIn } from './entity-names.ts'
import { driftIdIn, type FindingView, shortFingerprint } from './finding.ts'
import {
  type CheckView,
  type HoldView,
  identitySentence,
  isUntried,
  type ResourceView,
  type TenantPosture,
  type WaiverView,
} from './posture.ts'
import {
  dataQualityOf,
  isUnstored,
  type ResourceState,
  resourceState,
  shownStatus,
  tally,
  unknownReason,
} from './posture-state.ts'
import { isHoldReason, reasonInWords, type UnknownReason } from './reasons.ts'
import { type ResourceName, resourceNames } from './resource-names.ts'
import { countsInWords } from './severity.ts'
import { toMinute } from './text/formats.ts'
import { printable } from './text/printable.ts'
import { firstOf, plural } from './text/words.ts'
import { dayMs, describeDuration, toIso } from './time.ts'

/** The words for posture, data quality, holds, findings and waivers, for every output. */
export interface Description {
  /** Only `fail` makes `tenantwatch doctor` fail. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** A sentence without a full stop. */
  readonly text: string
  /** What to do; null when nothing. */
  readonly next: string | null
}

/** `acme users: on hold 3f2a9c01b7de: … See "tenantwatch accept"`, for a terminal or a log. */
export function inWords(subject: string, description: Description): string {
  return printable(`${subject}: ${sentencesOf(description)}`)
}

/** The fact and what to do about it. */
export function sentencesOf({ text, next }: Pick<Description, 'text' | 'next'>): string {
  return next === null ? text : `${text.replace(/\.$/, '')}. ${next}`
}

/** Counts of checks, open findings and resources with fresh data; `ok` only if nothing fails, is unknown or not fresh. */
export function describePosture(posture: TenantPosture): Description {
  const { shown, open, openTotal } = tally(posture)
  const { fresh, of, level } = dataQualityOf(posture)
  const isKnown = shown.unknown === 0 && level === 'full' && !isUnstored(posture) && shown.pass + shown.waived > 0
  const quality = `${fresh} of ${plural(of, 'resource')}`
  const parts = [`${shown.pass} pass`, `${shown.fail} fail`]
  if (shown.waived > 0) parts.push(`${shown.waived} waived`)
  parts.push(`${shown.unknown} unknown`, `${shown.not_applicable} not applicable`)
  const found = [...countsInWords(open)]
  if (openTotal === 0) found.push(shown.unknown > 0 ? 'none known' : 'none')
  const age = isUnstored(posture) ? '; new data cannot be stored, so this is older data' : ''
  return {
    level: shown.fail > 0 || posture.holds.length > 0 ? 'fail' : isKnown ? 'ok' : 'warn',
    text: `checks ${parts.join(', ')}; open findings: ${found.join(', ')}; data of ${quality} complete and fresh${age}`,
    next: openTotal === 0 ? null : '"tenantwatch findings" lists them',
  }
}

export function describeIdentity(posture: Pick<TenantPosture, 'tenant' | 'identity' | 'sharedWith'>): Description {
  const { identity, sharedWith } = posture
  const text = identitySentence(posture).slice(0, -1)
  if (identity !== 'unproven') return { level: identity === 'held' ? 'fail' : 'ok', text, next: null }
  if (sharedWith !== undefined) return { level: 'fail', text, next: oneToken }
  const next = 'Give the token the permission to read API clients or documents, and set ownClientId'
  return { level: 'warn', text, next }
}

const oneToken = 'Give each configured tenant its own token, or keep only one of them'

/** @param failedAt milliseconds since the epoch. */
export function describeFailedReload(failedAt: number): Description {
  const text = `The configuration could not be reloaded at ${toMinute(toIso(failedAt))} UTC; the last good one stays in force`
  return { level: 'fail', text, next: 'Correct it and reload again; "tenantwatch config check" lists the problems' }
}

/** A target of notifications that the messages of these tenants do not reach, since milliseconds since the epoch. */
export function describeFailingTarget(
  target: string,
  failing: readonly { readonly tenant: string; readonly failingSince: number; readonly problem: string | null }[],
): Description {
  const since = toIso(Math.min(...failing.map(({ failingSince }) => failingSince)))
  const tenants = failing.map(({ tenant }) => tenant).join(', ')
  const text = `notifications to ${target} have failed since ${since}: ${failing[0]?.problem ?? null}. Messages of ${tenants} wait`
  return { level: 'fail', text, next: `Nothing is lost; "tenantwatch notify --test ${target}" tries the target` }
}

const acceptedNext = 'It was accepted; the next run applies that'

/** What is on hold, and how to decide about it. */
export function describeHold(hold: HoldView): Description {
  const { id, count, message, acceptedReason, remedy, advice, effect } = hold
  return { level: 'warn', text: `on hold ${id}: ${message}`, next: decision() }

  function decision(): string {
    if (acceptedReason !== undefined) return acceptedNext
    if (remedy !== undefined) return `It cannot be accepted. ${remedy}`
    const command = `"tenantwatch accept ${id} --count ${count} --reason TEXT"`
    return [advice, effect, `To accept it: ${command}`].filter((one) => one !== undefined).join('. ')
  }
}

export interface DataDescription extends Description {
  /** The resources that it is about. */
  readonly subject: string
  readonly state: ResourceState
}

/** Why the data of resources differs, or may differ, from the tenant's; each cause once. Empty when all is fresh. */
export function describeData(
  posture: TenantPosture,
  names: readonly ResourceName[] = resourceNames,
): readonly DataDescription[] {
  const found = posture.resources
    .filter(({ resource }) => names.includes(resource))
    .flatMap((view) =>
      [...resourceProblems(view, posture)].map((one) => ({ ...one, subject: view.resource as string })),
    )
  return onceEach(found, ({ text }) => text)
}

/** The same for several tenants, as lines for a terminal: what is read from incomplete data must not look complete. */
export function dataNotes(postures: readonly TenantPosture[], names?: readonly ResourceName[]): readonly string[] {
  return postures.flatMap((posture) =>
    describeData(posture, names).map((one) => inWords(`${posture.tenant} ${one.subject}`, one)),
  )
}

function onceEach(all: readonly DataDescription[], keyOf: (one: DataDescription) => string): DataDescription[] {
  return [...Map.groupBy(all, keyOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, subject: [first, ...others].map(({ subject }) => subject).join(', ') }],
  )
}

/** Part of the message of a failed run that differs between resources with the same cause. */
export const pathOfRequest = /(?<=\bGET )\/\S+/

/** Why the last runs of resources failed, each cause once, if no hold has it; `fail` where the data is not fresh. */
export function describeFailures({ resources, holds }: TenantPosture): readonly DataDescription[] {
  const found = resources.flatMap((view): DataDescription[] => {
    const { resource, modes, message } = view
    const reason = modes.find((mode) => !mode.up && mode.reason !== null)?.reason ?? null
    const state = resourceState(view, holds)
    const isHeld = state === 'on_hold' && (reason === null || isHoldReason(reason))
    const text = message ?? (reason === null ? null : `the last run failed, ${reasonInWords(reason)}`)
    if (state === 'off' || state === 'fresh' || isHeld || text === null) return []
    const level = state === 'never' || state === 'stale' ? 'fail' : 'warn'
    return [{ level, subject: resource, state: 'failing', text, next: failingNext }]
  })
  return onceEach(found, ({ text }) => text.replace(pathOfRequest, ''))
}

const failingNext = 'The next run of its schedule tries again'
const untilFirstSync = 'Checks that read it are unknown until its first full sync is complete'
const untilFullSync = 'Checks that read it are unknown until the next complete full sync'

function* resourceProblems(view: ResourceView, posture: TenantPosture): Generator<Omit<DataDescription, 'subject'>> {
  const level = 'warn'
  const { dataAsOf, enabled, quarantined, missing } = view
  if (!enabled) {
    const last = dataAsOf === null ? 'never completely read' : `last completely read ${toIso(dataAsOf)}`
    yield { level, state: 'off', text: `switched off and no longer read; ${last}`, next: null }
    return
  }
  const stale = staleness(view, posture)
  if (stale !== null) {
    const state = view.refused ?? (dataAsOf === null || view.formerTenant ? 'never' : 'stale')
    const next = isUntried(view) ? untilFirstSync : posture.sharedWith === undefined ? untilFullSync : oneToken
    yield { level, state, text: stale, next }
  }
  if (quarantined > 0) {
    const text = `${plural(quarantined, 'record')} in quarantine, so absent or outdated here`
    yield { level, state: 'quarantined', text, next: '"tenantwatch doctor --quarantine" shows why' }
  }
  if (missing > 0) {
    const text = `${plural(missing, 'record')} absent from the last full sync, the removal not confirmed`
    yield { level, state: 'missing', text, next: '"tenantwatch doctor" names them, and the answer that they wait for' }
  }
  for (const hold of posture.holds) {
    if (hold.resource !== view.resource && hold.resource !== 'all') continue
    const next = hold.acceptedReason === undefined ? 'See "tenantwatch accept"' : acceptedNext
    yield { level, state: 'on_hold', text: `on hold ${hold.id}: ${hold.message}`, next }
  }
}

/** Why data may differ from the tenant's; null if it is fresh or its hold states the reason. */
function staleness(view: ResourceView, { at, sharedWith, holds }: TenantPosture): string | null {
  const { dataAsOf, freshnessLimitMs, refused, formerTenant, fresh } = view
  if (dataAsOf === null) return 'never completely read; records may be missing'
  const since = `as of ${toIso(dataAsOf)}`
  if (refused !== undefined) return `${since}; the token may not read newer data`
  if (at - dataAsOf > freshnessLimitMs) return `${since}, older than its freshness limit`
  if (sharedWith !== undefined) return `${since}; ${sharedWith} has the same API clients or documents`
  if (formerTenant) return holds.length > 0 ? null : `${since}; not read since the tenant changed`
  if (fresh) return null
  return `${since}; the local clock was set back, so its age is not known`
}

/** The checks that cannot be evaluated, with the reasons; null when there are none. */
export function describeUnknown(
  posture: Pick<TenantPosture, 'checks' | 'tenant' | 'identity' | 'sharedWith'>,
): Description | null {
  const { checks, sharedWith } = posture
  const unknown = checks.filter(isUnknown)
  if (unknown.length === 0) return null
  if (sharedWith !== undefined) return describeIdentity(posture)
  const applicable = checks.filter(({ enabled, status }) => enabled && status !== 'not_applicable')
  const what =
    unknown.length === applicable.length && unknown.length > 1
      ? 'no check can be evaluated'
      : `${plural(unknown.length, 'check')} cannot be evaluated`
  const reasons = [...Map.groupBy(unknown, (view) => unknownReason(view) ?? 'never')].map(([reason, same]) =>
    checksUnknownBy(reason, same),
  )
  return { level: 'warn', text: `${what}: ${reasons.join('; ')}`, next: null }
}

/** `user-mfa-enrolled, user-role-active (stale: the data is too old)` */
export function checksUnknownBy(
  reason: UnknownReason,
  checks: readonly Pick<CheckView, 'check' | 'problem'>[],
): string {
  const names = checks.map(({ check, problem }) => (problem === undefined ? check : `${check} (${problem})`))
  return `${names.join(', ')} (${reasonInWords(reason)})`
}

/** Also a check whose failing entities are all waived while others may fail. */
export const isUnknown = (view: CheckView) => view.enabled && shownStatus(view) === 'unknown'

/** Time before the end of a waiver from which it is a warning. */
const waiverSoonMs = 14 * dayMs

/** One description for all waivers of one check in the same state; "in force" comes last. */
export function describeWaivers(waivers: readonly WaiverView[], at: number): readonly Description[] {
  const found = waivers.map((waiver) => ({ ...waiver, ...describeWaiver(waiver, at) }))
  const groups = Map.groupBy(found, ({ check, text, next }) => [check, text, next].join('\n'))
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return []
      const ids = [first, ...others].map(({ id }) => id)
      const { level, check, owner, text, next } = first
      const who = others.some((one) => one.owner !== owner) ? '' : `, owner ${owner}`
      const [what, each] = others.length === 0 ? ['waiver', ''] : [plural(ids.length, 'waiver'), 'each ']
      return [{ level, text: `${what} ${firstOf(ids)} (${check}${who}): ${each}${text}`, next }]
    })
    .sort((a, b) => Number(a.level === 'ok') - Number(b.level === 'ok'))
}

/** The state of a waiver, and what to do about it. */
export function describeWaiver({ state, lapsed, expiresAt }: WaiverView, at: number): Description {
  const found = (text: string, next: string): Description => ({ level: 'warn', text, next })
  if (state === 'expired') return found('expired', 'Remove it from the configuration or renew it')
  if (state === 'orphaned')
    return found('no such finding is open', 'Correct its check or entity, or remove it from the configuration')
  if (state === 'lapsed' || lapsed > 0) {
    const text = `lapsed for ${plural(lapsed, 'finding')} that changed since`
    return found(text, 'Review the findings; renew it with another reason or date to cover them again')
  }
  if (expiresAt - at > waiverSoonMs) return { level: 'ok', text: 'in force', next: null }
  return found(`ends in ${describeDuration(expiresAt - at)}`, 'Fix the finding or renew the waiver in time')
}

/** The person, client or file first and its id after it; then the explanation of a waiver that no longer holds. */
export function describeFinding(finding: FindingView): Description {
  const { entity, message, state, waiver } = finding
  const names = namesIn(entity)
  const who = names.length > 0 ? `${names.join(', ')}: ` : unnamed(finding)
  const explanation = waiver?.explanation ? ` (${waiver.explanation})` : ''
  const driftId = driftIdIn(finding)
  return {
    level: state === 'open' ? 'fail' : state === 'waived' ? 'warn' : 'ok',
    text: `${who}${message}${explanation}`,
    next:
      driftId === null
        ? `"tenantwatch explain ${shortFingerprint(finding.fingerprint)}" shows why`
        : `To accept the present state: "tenantwatch accept ${driftId} --reason TEXT"`,
  }
}

/** The entity if the sentence does not name it; empty for the authentication settings, of which there is only one. */
function unnamed({ message, entity }: FindingView): string {
  return message.includes(entity.id) || entity.id === entity.type ? '' : `${entity.id}: `
}

/** `open`, `waived`, `resolved (fixed)`, `waiver lapsed`. */
export function findingState({ state, resolution, waiver }: FindingView): string {
  if (state === 'open') return waiver === null ? 'open' : `waiver ${waiver.state}`
  return resolution === null ? state : `${state} (${resolution})`
}
