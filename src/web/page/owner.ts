import { html } from 'hono/html'
import { describeDuration, distance } from '../../model/durations.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { replicaName } from '../../model/text/words.ts'
import { foreign, type Html, stamp } from './text.ts'

type Owned = Pick<TenantPosture, 'owner'>

/** Empty if only one process uses the database. */
export function ownerNote({ owner }: Owned, now: number): Html | string {
  if (owner === undefined) return ''
  const { replica, isAlive, since, heartbeatAgeMs } = owner
  const beat = heartbeatAgeMs === null ? '' : html`; last heartbeat ${describeDuration(heartbeatAgeMs)} ago`
  if (isAlive && replica !== null)
    return html`<p class="more owner">Owned by replica ${named(replica)}${sinceWords(since, now)}${beat}.</p>`
  const last = replica === null ? '' : html` Its last owner was ${named(replica)}${beat}.`
  return html`<p class="problem owner edge-unknown"><strong>No replica owns this tenant</strong>${sinceWords(since, now)}. It is not synced and not evaluated until one does.${last}</p>`
}

/** For a tenant's card in the overview. */
export function ownerWord({ owner }: Owned): Html | string {
  if (owner === undefined) return ''
  const isOwned = owner.isAlive && owner.replica !== null
  if (!isOwned) return html`<span class="text-unknown">no owner</span>`
  return html`<span class="quiet-text">on ${named(owner.replica ?? '')}</span>`
}

function sinceWords(since: number | null, now: number): Html | string {
  return since === null ? '' : html` since ${stamp(since)}, ${distance(since, now)}`
}

function named(replica: string): Html {
  return html`<code title="${replica}">${foreign(replicaName(replica))}</code>`
}
