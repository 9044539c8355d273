import type { NewsKind } from '../config/notifications.ts'
import type { NotificationSettings } from '../config/settings.ts'
import type { InputSnapshot } from '../evaluate/past-store.ts'
import { checksUnknownBy, describeFinding, describeHold, findingState, sentencesOf } from '../model/describe.ts'
import { type FindingView, findingStates } from '../model/finding.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { UnknownReason } from '../model/reasons.ts'
import { isAtLeast, type Severity } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import { isOfOwnCheck, withoutDetails } from '../resources/redact-finding.ts'
import type { FindingFacts, Mirror, NewsEvent, ResultFacts, WaiverLapseFacts } from '../store/port.ts'
import { fromJson } from '../store/rows.ts'
import type { WebSources } from '../web/web-options.ts'
import {
  type Addressed,
  findingUrl,
  type News,
  type NewsItem,
  noFinding,
  noNews,
  type ReadItem,
  withItem,
} from './message.ts'

export type NewsViews = Pick<WebSources, 'posture' | 'findings'>

export interface NewsRequest extends Addressed {
  readonly views: NewsViews
  readonly store: Pick<Mirror, 'newsEvents'>
  readonly tenantId: number
  readonly target: NotificationSettings
}

const longestText = 500

/** What the events after one, up to another, mean for a target. */
export async function readNews(request: NewsRequest, after: number, upTo: number): Promise<News> {
  const { store, tenantId, target } = request
  let changes: readonly CheckChange[] = []
  let news = noNews
  for (let reached = after; ; ) {
    const events = await store.newsEvents(tenantId, reached, upTo)
    const last = events.at(-1)
    if (last === undefined) break
    reached = last.id
    for await (const item of findingItems(events, request)) news = withItem(news, item)
    for await (const item of holdItems(events, request)) news = withItem(news, item)
    for (const event of events) changes = withChange(changes, event)
  }
  if (!target.on.includes('unknown') || changes.length === 0) return news
  for (const change of await ofInterest(changes, request))
    news = withItem(news, checkItem(change), change.checks.length)
  return news
}

async function* findingItems(events: readonly NewsEvent[], request: NewsRequest): AsyncGenerator<ReadItem> {
  const found = events.flatMap((event) => findingNews(event, request.target) ?? [])
  if (found.length === 0) return
  const { tenant, target, views } = request
  const fingerprints = [...new Set(found.map(({ fingerprint }) => fingerprint))]
  const query = { tenant, fingerprints, withPersonal: target.exposeDetails }
  const known = new Map<string, FindingView>()
  for await (const view of views.findings({ ...query, states: findingStates })) known.set(view.fingerprint, view)
  for (const { fingerprint, kind, label, facts, ...event } of found) {
    const view = known.get(fingerprint)
    if (view === undefined || !isChosen(target.checks, view.check) || !isChosen(target.owners, view.owner)) continue
    // Accepted before anybody was told.
    if (kind === 'opened' && view.state === 'waived') continue
    const { message, evidence, resolution } = facts
    const severity = facts.severity as Severity
    const then = { ...view, severity, message, evidence: evidence as FindingView['evidence'] }
    yield {
      ...event,
      kind,
      label: label ?? findingState({ ...then, state: 'resolved', resolution: resolution as FindingView['resolution'] }),
      text: textOf(then, target),
      severity,
      check: view.check,
      fingerprint,
      url: findingUrl(request, fingerprint) ?? view.link,
      about: [fingerprint],
    }
  }
}

/** The sentence of a finding, with names where the target may have them. That of an own check may be hidden as a whole. */
function textOf(finding: FindingView, { exposeDetails }: Pick<NotificationSettings, 'exposeDetails'>): string {
  const check = isOfOwnCheck(finding.evidence) ? `${finding.check}: ` : ''
  return printable(`${check}${describeFinding(exposeDetails ? finding : withoutDetails(finding)).text}`, longestText)
}

/** Null = no news for the target. `label` null: that of the resolved finding. */
function findingNews(event: NewsEvent, target: NotificationSettings) {
  const { id: eventId, at, subject: fingerprint, kind, data, before } = event
  const previous = before === null ? null : (fromJson(before) as FindingFacts)
  const facts = kind === 'waiver.lapsed' ? previous : (fromJson(data) as FindingFacts)
  const news = findingLabels[kind]
  if (news === undefined || facts === null || !target.on.includes(news.kind)) return null
  if (kind === 'waiver.lapsed' && (facts.resolution !== null || (fromJson(data) as WaiverLapseFacts).ended)) return null
  if (kind === 'finding.changed' && previous?.severity === facts.severity) return null
  // A finding below the target's severity that was above it is news, too.
  const known = previous === null || kind === 'finding.reopened' ? [facts] : [facts, previous]
  const isEnough = known.some(({ severity }) => isAtLeast(severity as Severity, target.minSeverity))
  return isEnough ? { ...news, eventId, at, fingerprint, facts } : null
}

const findingLabels: Readonly<
  Partial<Record<NewsEvent['kind'], { readonly kind: NewsKind; readonly label: string | null }>>
> = {
  'finding.opened': { kind: 'opened', label: 'opened' },
  'finding.reopened': { kind: 'opened', label: 'reopened' },
  'finding.changed': { kind: 'opened', label: 'severity changed' },
  'finding.resolved': { kind: 'resolved', label: null },
  'waiver.lapsed': { kind: 'opened', label: 'no longer waived' },
}

/** What a target is limited to; an empty list does not limit it. */
export function isChosen(list: readonly string[], name: string | null): boolean {
  return list.length === 0 || (name !== null && list.includes(name))
}

type HoldRecord = InputSnapshot['holds'][number]

async function* holdItems(events: readonly NewsEvent[], request: NewsRequest): AsyncGenerator<ReadItem> {
  if (!request.target.on.includes('hold')) return
  for (const { id: eventId, at, kind, data, before } of events) {
    if (kind !== 'tenant.state') continue
    const [holds, previous] = [holdsIn(data), before === null ? [] : holdsIn(before)]
    const raised = holds.filter(({ id }) => !previous.some((one) => one.id === id))
    const ended = previous.filter((hold) => !holds.some((one) => scopeOf(one) === scopeOf(hold)))
    if (raised.length === 0 && ended.length === 0) continue
    // Their records lack how to decide.
    const present = (await request.views.posture(request.tenant))[0]?.holds ?? []
    for (const hold of raised)
      yield holdItem({ eventId, at, label: 'on hold' }, present.find(({ id }) => id === hold.id) ?? hold)
    for (const hold of ended) yield holdItem({ eventId, at, label: 'hold ended' }, hold)
  }
}

function holdsIn(data: string): readonly HoldRecord[] {
  return (fromJson(data) as { readonly state: Pick<InputSnapshot, 'holds'> }).state.holds
}

/** A hold has another id when it covers other records. */
const scopeOf = ({ resource, reason }: Pick<HoldRecord, 'resource' | 'reason'>) => `${resource} ${reason}`

function holdItem(
  event: Pick<NewsItem, 'eventId' | 'at' | 'label'>,
  hold: HoldRecord | TenantPosture['holds'][number],
): ReadItem {
  const subject = hold.resource === 'all' ? 'the whole tenant' : hold.resource
  const text = 'effect' in hold || 'remedy' in hold ? sentencesOf(describeHold(hold)) : `${hold.id}: ${hold.message}`
  const about = [scopeOf(hold)]
  return { ...event, ...noFinding, kind: 'hold', text: printable(`${subject}: ${text}`, 2 * longestText), about }
}

/** Checks that became unknown for one reason, or are no longer unknown. */
interface CheckChange {
  readonly reason: UnknownReason | null
  readonly checks: readonly string[]
  readonly eventId: number
  readonly at: number
}

/** With the event as the last change. */
function withChange(changes: readonly CheckChange[], event: NewsEvent): readonly CheckChange[] {
  if (event.kind !== 'result') return changes
  const now = fromJson(event.data) as ResultFacts
  const previous = event.before === null ? null : (fromJson(event.before) as ResultFacts)
  // Before the first full sync nothing could be known; a check that is switched off is stored alike.
  if (now.reason === 'never') return changes
  const [isUnknown, wasUnknown] = [now, previous].map((one) => one?.status === 'unknown')
  if (isUnknown === wasUnknown) return changes
  const reason = isUnknown ? ((now.reason ?? 'internal') as UnknownReason) : null
  const last = changes.findLastIndex((one) => one.reason === reason)
  const since = changes.slice(last + 1).flatMap(({ checks }) => checks)
  // Not one whose checks have changed back since.
  const before = changes[last]?.checks.some((check) => since.includes(check)) ? undefined : changes[last]
  const checks = [...(before?.checks ?? []), event.subject]
  // The first time, because a digest is due by that.
  const change = { reason, checks, eventId: event.id, at: before?.at ?? event.at }
  return [...changes.filter((one) => one !== before), change]
}

/** The checks of the target that can fail with its severity, which may be switched off by now. */
async function ofInterest(all: readonly CheckChange[], { views, tenant, target }: NewsRequest) {
  const known = (await views.posture(tenant))[0]?.checks ?? []
  const isOfInterest = (check: string) =>
    isChosen(target.checks, check) &&
    (known.find((one) => one.check === check)?.severities ?? ['critical']).some((one) =>
      isAtLeast(one, target.minSeverity),
    )
  return all
    .map((change) => ({ ...change, checks: change.checks.filter(isOfInterest) }))
    .filter(({ checks }) => checks.length > 0)
}

function checkItem({ reason, checks, eventId, at }: CheckChange): ReadItem {
  const text =
    reason === null
      ? checks.join(', ')
      : checksUnknownBy(
          reason,
          checks.map((check) => ({ check })),
        )
  const label = reason === null ? 'no longer unknown' : 'unknown'
  return { eventId, at, label, ...noFinding, kind: 'unknown', text: printable(text, 2 * longestText), about: checks }
}
