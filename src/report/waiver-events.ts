import type { Waiver } from '../config/settings.ts'
import { type FactChange, factChanges } from '../evaluate/findings/material-facts.ts'
import { isAbout, isValid, termsOf } from '../evaluate/waivers/waivers.ts'
import type { WaiverChange } from '../mirror/port.ts'
import { toIso } from '../model/dates.ts'
import type { FindingView } from '../model/finding.ts'
import { changeInWords, withoutNamesIn } from './finding-life.ts'

export interface WaiverEvent
  extends Pick<WaiverChange, 'tenant' | 'at' | 'waiver' | 'check' | 'entity' | 'fingerprint'> {
  readonly kind: WaiverChange['kind'] | 'ended'
  /** The waiver that came into force; null where the configuration does not have these terms any more. */
  readonly inForce: Waiver | null
  /** Why it lapsed; empty for others. */
  readonly changes: readonly FactChange[]
}

/** What became of waivers, oldest first. Terms that the configuration still has end at their expiry. */
export function waiverEvents(
  stored: readonly WaiverChange[],
  waivers: readonly Waiver[],
  now: number,
): readonly WaiverEvent[] {
  const keyOf = ({ tenant, waiver }: WaiverChange) => JSON.stringify([tenant, waiver])
  const last = new Map(stored.filter(({ kind }) => kind !== 'lapsed').map((one) => [keyOf(one), one]))
  const events = stored.flatMap((one): WaiverEvent[] => {
    const { terms, accepted, changed, ...event } = one
    if (one.kind === 'lapsed')
      return [{ ...event, inForce: null, changes: factChanges(factsIn(accepted), factsIn(changed)) }]
    const known = waivers.find(({ id, tenant }) => id === one.waiver && tenant === one.tenant)
    const isInForce = known !== undefined && last.get(keyOf(one)) === one && termsOf(known) === terms
    const begun: WaiverEvent = { ...event, inForce: isInForce ? known : null, changes: [] }
    if (!isInForce || isValid(known, now)) return [begun]
    return [begun, { ...begun, kind: 'ended', at: known.expiresMs }]
  })
  return events.toSorted((a, b) => a.at - b.at)
}

function factsIn(json: string | null): Readonly<Record<string, unknown>> {
  return JSON.parse(json ?? '{}') as Readonly<Record<string, unknown>>
}

export interface ExplainedWaiver {
  readonly at: string
  readonly waiver: string
  readonly change: WaiverEvent['kind']
  /** Last day of terms in force. */
  readonly expires: string | null
  readonly changes: readonly FactChange[]
}

/** Events of waivers about the finding. */
export function explainedWaivers(
  events: readonly WaiverEvent[],
  { fingerprint, tenant, check, entity }: FindingView,
  details: boolean,
): readonly ExplainedWaiver[] {
  const isOfFinding = (event: WaiverEvent) =>
    event.fingerprint === null
      ? isAbout(event, { tenant, check, entityId: entity.id })
      : event.fingerprint === fingerprint
  return events.filter(isOfFinding).map(({ at, waiver, kind, inForce, changes }) => ({
    ...{ at: toIso(at), waiver, change: kind, expires: inForce && toIso(inForce.expiresMs).slice(0, 10) },
    changes: details ? changes : changes.map(withoutNamesIn),
  }))
}

export function waiverLine({ at, waiver, change, expires, changes }: ExplainedWaiver): string {
  const until = expires === null || change === 'ended' ? '' : `, valid until ${expires}`
  const why = changes.length === 0 ? '' : `: ${changes.map(changeInWords).join(', ')}`
  return `  ${at}  waiver ${waiver} ${change}${until}${why}`
}
