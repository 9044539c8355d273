import { html } from 'hono/html'
import { describeDuration, distance } from '../../model/durations.ts'
import { type HoldView, isUntried, type ModeView, type ResourceView, type TenantPosture } from '../../model/posture.ts'
import { isFreshAndComplete, type ResourceState, resourceState, resourceStates } from '../../model/posture-state.ts'
import { isHoldReason, type Reason } from '../../model/reasons.ts'
import { withConfig } from '../../model/text/command-line.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import type { TenantPage } from './load-page.ts'
import { badge, gaugeBar, stateTone } from './marks.ts'
import { part, table } from './table.ts'
import { foreign, type Html, instant, sentence, stamp } from './text.ts'

/** Resources without a problem are collapsed, like passing checks. */
export function resources({ posture, configFile }: TenantPage, now: number): Html {
  const id = `data-${posture.tenant}`
  const list = (views: readonly ResourceView[]) =>
    table({
      kind: 'data',
      labeledBy: `${id}_title`,
      columns: ['Resource', 'State', 'Age against limit', 'Data as of', 'Records', 'Last success'],
      rows: views.map((view) => row(view, posture, now)),
      empty: 'No resource is configured.',
    })
  const wrong = problems(posture, configFile, now)
  const isFresh = (view: ResourceView) => view.enabled && resourceState(view, posture.holds) === 'fresh'
  const fresh = posture.resources.filter(isFresh)
  const others = posture.resources.filter((view) => !isFresh(view))
  if (fresh.length === 0) return part(id, 'Data quality', html`${wrong}${list(others)}`)
  const isAll = posture.holds.length === 0 && others.every(({ enabled }) => !enabled)
  const isFailing = posture.resources.some((view) => isFreshAndComplete(view, posture.holds) && !isFresh(view))
  const only = isFailing ? ', without a failed run' : ''
  const words = `${isAll ? 'All ' : ''}${plural(fresh.length, 'resource')} complete and fresh${only}`
  const folded = html`<details id="resources-${posture.tenant}"><summary>${words}</summary>${list(isAll ? posture.resources : fresh)}</details>`
  return part(id, 'Data quality', isAll ? folded : html`${wrong}${list(others)}${folded}`)
}

function row(view: ResourceView, posture: TenantPosture, now: number): readonly (Html | string)[] {
  if (!view.enabled) return [html`${view.resource}`, badge('off', 'quiet'), '–', '–', '–', '–']
  return [
    html`${view.resource}`,
    stateBadge(resourceState(view, posture.holds)),
    age(view, now),
    instant(view.dataAsOf, now),
    records(view),
    html`${view.modes.map((mode) => lastSuccess(mode, posture.holds, now))}`,
  ]
}

function age(view: ResourceView, now: number): Html {
  const limit = describeDuration(view.freshnessLimitMs)
  if (view.dataAsOf === null) return html`<span class="none">limit ${limit}</span>`
  const ms = Math.max(0, now - view.dataAsOf)
  const words = `${describeDuration(ms)} of ${limit}`
  return html`${gaugeBar(ms / view.freshnessLimitMs, view.fresh ? 'good' : 'unknown', words)}<span class="ago">${words}</span>`
}

function records({ live, quarantined, missing }: ResourceView): Html {
  const excluded = [
    ...(quarantined > 0 ? [`${number(quarantined)} quarantined`] : []),
    ...(missing > 0 ? [`${number(missing)} missing`] : []),
  ]
  return html`<span class="num">${number(live)}</span>${excluded.length > 0 ? html` <span class="why">${excluded.join(', ')}</span>` : ''}`
}

function lastSuccess(mode: ModeView, holds: readonly HoldView[], now: number): Html {
  const when = mode.lastSuccessAt === null ? 'never' : distance(mode.lastSuccessAt, now)
  const reason = !mode.up && mode.reason !== null ? html` ${badge(failureWord(mode.reason, holds), 'warn')}` : ''
  return html`<span class="mode"><span class="ago">${mode.mode}</span> <span class="num">${when}</span>${reason}</span> `
}

/** The word for the reason of a failed run: a hold may have ended since. */
function failureWord(reason: Reason, holds: readonly HoldView[]): string {
  if (isHoldReason(reason) && !holds.some((hold) => hold.reason === reason)) return 'hold ended'
  return reason.replaceAll('_', ' ')
}

const refusedAdvice =
  'Checks that read this data are unknown until it can be read again; "tenantwatch doctor" shows what is refused.'

const firstAdvice = 'The first full sync is under way; checks that read this data are unknown until it is complete.'

/** The effect of each state and what an operator can do; null = nothing. */
const advice: Readonly<Record<ResourceState, string | null>> = {
  on_hold: 'Nothing is removed or replaced before a decision of an operator is applied: see the hold above.',
  unauthorized: `${refusedAdvice} Renew the token.`,
  missing_permission: `${refusedAdvice} Grant the permission to the API client.`,
  never:
    'Checks that read this data are unknown until its first full sync of this tenant is complete; "tenantwatch doctor" shows whether it can be read.',
  stale:
    'Checks that read this data are unknown until the next complete full sync; "tenantwatch doctor" shows why it fails.',
  quarantined:
    '"tenantwatch doctor --quarantine" shows why. Correct invalid records in the portal. Records leave quarantine when a full sync returns them valid, when their list and their answer by id agree, or when their removal is confirmed.',
  missing: 'Full syncs show them again or confirm their removal; until then checks that read it do not pass.',
  failing: 'The data is still fresh; the next run of its schedule tries again.',
  fresh: null,
}

/** Part of the message that differs between resources with the same cause. */
const pathOfRequest = /(?<=\bGET )\/\S+/

function problems(posture: TenantPosture, configFile: string | undefined, now: number): Html | string {
  // Leaves out states that the card of a tenant hold, or of a shared tenant, already explains for all resources.
  const isTenantHeld = posture.holds.some(({ resource }) => resource === 'all')
  const isSaid = (state: ResourceState) =>
    (isTenantHeld && state === 'on_hold') || (posture.sharedWith !== undefined && state === 'stale')
  const found = posture.resources
    .filter(({ enabled }) => enabled)
    .map((view) => ({ view, state: resourceState(view, posture.holds) }))
    .filter(({ state }) => state !== 'fresh' && !isSaid(state))
    .toSorted((a, b) => resourceStates.indexOf(a.state) - resourceStates.indexOf(b.state))
  if (found.length === 0) return ''
  const causes = Map.groupBy(found, ({ view, state }) =>
    ofOneResource.has(state) ? view.resource : JSON.stringify([state, view.message?.replace(pathOfRequest, '')]),
  )
  const known = { holds: posture.holds, isAtWork: posture.owner?.isAlive !== false, configFile, now }
  return html`<ul class="problems">${[...causes.values()].map((same) => problem(same, known))}</ul>
`
}

/** States with a hold or counts of one resource, which are not grouped. */
const ofOneResource: ReadonlySet<ResourceState> = new Set(['on_hold', 'quarantined', 'missing'])

interface Problem {
  readonly view: ResourceView
  readonly state: ResourceState
}

interface Known extends Pick<TenantPage, 'configFile'> {
  readonly holds: readonly HoldView[]
  /** False while no living replica owns the tenant. */
  readonly isAtWork: boolean
  readonly now: number
}

/** The entry for resources with the same cause. */
function problem(same: readonly Problem[], { holds, configFile, isAtWork, now }: Known): Html {
  const [one] = same
  if (one === undefined) return html``
  const { view, state } = one
  const names = html`${same.map(({ view: { resource } }, i) => html`${i === 0 ? '' : ', '}<strong>${resource}</strong>`)}`
  const since = sinceInWords(same, holds, now)
  const isFirst = isAtWork && state === 'never' && same.every(({ view }) => isUntried(view))
  const todo = isFirst ? firstAdvice : (advice[state] ?? '')
  return html`<li class="problem edge-${stateTone[state]}">${names} ${stateBadge(state)} <span class="ago">${since}</span>${amount(view, state)}${view.message === null ? '' : html`<span class="why">${foreign(sentence(view.message))}</span>`}<span class="todo">${withConfig(todo, configFile)}</span></li>
`
}

/** For several resources, the earliest time at which the state began, or the newest success. */
function sinceInWords(same: readonly Problem[], holds: readonly HoldView[], now: number): Html | string {
  const all = same.flatMap(({ view, state }) => sinceOf(view, state, holds) ?? [])
  const [first] = all.toSorted((a, b) => (a.words === 'since' ? a.at - b.at : b.at - a.at))
  if (first === undefined || first.at > now) return ''
  const words = same.length > 1 && first.words !== 'since' ? 'last success' : first.words
  return html`${words} ${stamp(first.at)}, ${distance(first.at, now)}`
}

function amount({ quarantined, missing }: ResourceView, state: ResourceState): string {
  if (state === 'quarantined') return ` ${plural(quarantined, 'record')} in quarantine`
  return state === 'missing' ? ` ${number(missing)} absent from the last full sync` : ''
}

function stateBadge(state: ResourceState): Html {
  return badge(state === 'never' ? 'never complete' : state.replaceAll('_', ' '), stateTone[state])
}

interface Since {
  readonly words: string
  /** In milliseconds since the epoch. */
  readonly at: number
}

/** The time shown for the state of a resource; null = none. */
function sinceOf(view: ResourceView, state: ResourceState, holds: readonly HoldView[]): Since | null {
  const { dataAsOf } = view
  switch (state) {
    case 'on_hold': {
      const own = holds.filter(({ resource }) => resource === view.resource || resource === 'all')
      return { words: 'since', at: Math.min(...own.map(({ raisedAt }) => raisedAt)) }
    }
    case 'stale':
      return dataAsOf === null ? null : { words: 'since', at: dataAsOf + view.freshnessLimitMs }
    case 'unauthorized':
    case 'missing_permission':
    case 'failing':
      return lastSuccessOf(view)
    case 'quarantined':
    case 'missing':
      return dataAsOf === null ? null : { words: 'as of', at: dataAsOf }
    case 'never':
    case 'fresh':
      return null
    default:
      throw new TypeError(`Unknown state ${state satisfies never}`)
  }
}

function lastSuccessOf({ modes, dataAsOf }: ResourceView): Since | null {
  const failing = modes.filter(({ up }) => !up)
  // If only another resource was refused, the modes of this one are still up.
  const successes = (failing.length === 0 ? modes : failing).flatMap(({ mode, lastSuccessAt }) =>
    lastSuccessAt === null ? [] : { words: `last ${mode} sync`, at: lastSuccessAt },
  )
  const [newest] = successes.toSorted((a, b) => b.at - a.at)
  return newest ?? (dataAsOf === null ? null : { words: 'last full sync', at: dataAsOf })
}
