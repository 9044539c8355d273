import { html } from 'hono/html'
import type { HoldView, ResourceView, TenantPosture } from '../../model/posture.ts'
import { type ResourceState, resourceState, resourceStates } from '../data-quality.ts'
import { badge, stateTone } from './badge.ts'
import { foreign, type Html, number, plural } from './text.ts'
import { distance, stamp } from './times.ts'

/** What an operator can do about each state; null = nothing. */
const advice: Readonly<Record<ResourceState, string | null>> = {
  held: 'Nothing is removed or replaced before an operator decides: the hold above names the command.',
  unauthorised: 'Checks over it are unknown until it can be read again; "tenantwatch doctor" shows what is refused.',
  never:
    'Checks over it are unknown until its first full sync ends; "tenantwatch doctor" shows whether it can be read.',
  stale:
    'Checks over it are unknown until the next complete full sync; "tenantwatch doctor" shows what stands in its way.',
  quarantined:
    'Correct the records in the portal; they leave quarantine when a full sync returns them well or when their removal is confirmed.',
  missing: 'Each is confirmed one by one at the next full sync; until then checks over it do not pass.',
  failing: 'What was read before is still fresh; the next run tries again by itself.',
  fresh: null,
}

/** Everything that keeps the data from being trusted, the worst first: since when, why, and what to do. */
export function problems(posture: TenantPosture, now: number): Html | string {
  const found = posture.resources
    .filter(({ enabled }) => enabled)
    .map((view) => ({ view, state: resourceState(view, posture.holds) }))
    .filter(({ state }) => state !== 'fresh')
    .toSorted((a, b) => resourceStates.indexOf(a.state) - resourceStates.indexOf(b.state))
  if (found.length === 0) return ''
  return html`<ul class="problems">${found.map(({ view, state }) => problem(view, state, posture.holds, now))}</ul>
`
}

function problem(view: ResourceView, state: ResourceState, holds: readonly HoldView[], now: number): Html {
  const since = sinceOf(view, state, holds)
  const permission = view.modes.some(({ reason }) => reason === 'missing_permission')
  const extra =
    state !== 'unauthorised' ? '' : permission ? ' Grant the permission to the API client.' : ' Renew the token.'
  return html`<li class="problem edge-${stateTone[state]}"><strong>${view.resource}</strong> ${stateBadge(state)} <span class="ago">${sinceWords[state]}${since === undefined ? '' : when(since, now)}</span>${amount(view, state)}${view.message === null ? '' : html`<span class="why">${foreign(view.message)}</span>`}<span class="todo">${advice[state]}${extra}</span></li>
`
}

function when(ms: number | null, now: number): Html {
  return ms === null ? html`never` : html`${stamp(ms)}, ${distance(ms, now)}`
}

function amount({ quarantined, missing }: ResourceView, state: ResourceState): string {
  if (state === 'quarantined') return ` ${plural(quarantined, 'record')} cannot be read`
  return state === 'missing' ? ` ${number(missing)} not shown by the last full sync` : ''
}

export function stateBadge(state: ResourceState): Html {
  return badge(state === 'never' ? 'never complete' : state, stateTone[state])
}

const sinceWords: Readonly<Record<ResourceState, string>> = {
  held: 'since ',
  unauthorised: 'last read ',
  never: '',
  stale: 'since ',
  quarantined: 'as of ',
  missing: 'as of ',
  failing: 'last success ',
  fresh: '',
}

/** Since when a resource is in its state, or the instant that says most about it; null = never, undefined = none. */
function sinceOf(view: ResourceView, state: ResourceState, holds: readonly HoldView[]): number | null | undefined {
  switch (state) {
    case 'held': {
      const own = holds.filter(({ resource }) => resource === view.resource || resource === 'all')
      return Math.min(...own.map(({ raisedAt }) => raisedAt))
    }
    case 'stale':
      return view.dataAsOf === null ? null : view.dataAsOf + view.freshnessLimitMs
    case 'unauthorised':
    case 'failing': {
      const failing = view.modes.filter(({ up }) => !up).flatMap(({ lastSuccessAt }) => lastSuccessAt ?? [])
      return failing.length === 0 ? null : Math.max(...failing)
    }
    case 'quarantined':
    case 'missing':
      return view.dataAsOf
    case 'never':
    case 'fresh':
      return undefined
    default:
      throw new TypeError(`Unknown state ${state satisfies never}`)
  }
}
