import type { Waiver } from '../config/settings.ts'
import { type FactChange, factChanges } from '../evaluate/findings/material-facts.ts'
import { isAbout, isValid } from '../evaluate/waivers/waivers.ts'
import { dayOf, toIso } from '../model/dates.ts'
import type { FindingView } from '../model/finding.ts'
import { type Mirror, termsKinds, type WaiverLapseFacts, type WaiverTermsFacts } from '../store/port.ts'
import { changeInWords, withoutNamesIn } from './finding-life.ts'
import { keyOf, recordedWaivers, type WaiverPresence } from './recorded-waivers.ts'

export interface WaiverEvent {
  readonly tenant: string
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly waiver: string
  /** `agreed` and `renewed`: it came into force; `lapsed`: it no longer covers a finding (docs/waivers.md). */
  readonly kind: 'agreed' | 'renewed' | 'lapsed' | 'ended' | WaiverPresence['kind']
  readonly check: string
  /** Entity as the waiver names it; for a lapse that of the finding. */
  readonly entity: string
  /** Fingerprint of the lapsed finding, else null. */
  readonly fingerprint: string | null
  /** The waiver in force after the event, or until it; null if no recorded configuration has its terms. */
  readonly agreed: Waiver | null
  /** Changes that made it lapse; empty for other events. */
  readonly changes: readonly FactChange[]
}

/**
 * Events of waivers, oldest first; of all tenants if the id is absent. A waiver ends at its expiry, unless other terms
 * replaced it or it was removed.
 */
export async function waiverEvents(
  mirror: Pick<Mirror, 'configurations' | 'events'>,
  tenantId: number | undefined,
  now: number,
): Promise<readonly WaiverEvent[]> {
  const stored = await mirror.events({ tenantId, kinds: [...termsKinds, 'waiver.lapsed'] })
  if (stored.length === 0) return []
  const { withTerms, presence } = await recordedWaivers(mirror.configurations())
  const events = stored.map(({ tenant, at, kind, subject, data }): WaiverEvent => {
    if (kind === 'waiver.lapsed') {
      const { waiver, check, entity, accepted, changed } = data as WaiverLapseFacts
      const changes = factChanges(factsIn(accepted), factsIn(changed))
      return { tenant, at, waiver, kind: 'lapsed', check, entity, fingerprint: subject, agreed: null, changes }
    }
    const { check, entity, terms } = data as WaiverTermsFacts
    const agreed = withTerms.get(keyOf({ tenant, waiver: subject }, terms)) ?? null
    const isRenewed = kind === 'waiver.renewed'
    return {
      ...{ tenant, at, waiver: subject, kind: isRenewed ? 'renewed' : 'agreed', check, entity },
      ...{ fingerprint: null, agreed, changes: [] },
    }
  })
  const known = Map.groupBy(events, (event) => keyOf(event))
  for (const { waiver: agreed, at, kind } of presence) {
    const { id: waiver, tenant, check, entity } = agreed
    const event = { tenant, at, waiver, check, entity, fingerprint: null, kind, agreed, changes: [] }
    // Recorded configurations still name a purged tenant.
    known.get(keyOf(event))?.push(event)
  }
  return [...known.values()].flatMap((life) => withEnds(life, now)).toSorted((a, b) => a.at - b.at)
}

/** @param life the events of one waiver. */
function withEnds(life: readonly WaiverEvent[], now: number): readonly WaiverEvent[] {
  const inOrder = life.filter(({ kind }) => kind !== 'lapsed').toSorted((a, b) => a.at - b.at)
  const ends = inOrder.flatMap((event, i): readonly WaiverEvent[] => {
    const { agreed, kind, at } = event
    if (agreed === null || kind === 'removed' || isValid(agreed, now)) return []
    const isOver = kind === 'restored' && !isValid(agreed, at)
    const isReplaced = isValid(agreed, inOrder[i + 1]?.at ?? now)
    return isOver || isReplaced ? [] : [{ ...event, kind: 'ended', at: agreed.expiresMs }]
  })
  const { kind, at } = inOrder.at(-1) ?? { kind: 'lapsed', at: 0 }
  // Drop lapses after a removal: facts are still compared then, because the waiver may be added again.
  return [...life.filter((event) => kind !== 'removed' || event.kind !== 'lapsed' || event.at < at), ...ends]
}

function factsIn(json: string | null): Readonly<Record<string, unknown>> {
  return JSON.parse(json ?? '{}') as Readonly<Record<string, unknown>>
}

export interface ExplainedWaiver {
  readonly at: string
  readonly waiver: string
  readonly change: WaiverEvent['kind']
  /** Last day of the terms that are in force after the event. */
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
  return events.filter(isOfFinding).map(({ at, waiver, kind, agreed, changes }) => ({
    ...{
      at: toIso(at),
      waiver,
      change: kind,
      expires: kind === 'removed' ? null : agreed && dayOf(agreed.expiresMs),
    },
    changes: details ? changes : changes.map(withoutNamesIn),
  }))
}

export function waiverLine({ at, waiver, change, expires, changes }: ExplainedWaiver): string {
  const until = expires === null || change === 'ended' ? '' : `, valid until ${expires}`
  const why = changes.length === 0 ? '' : `: ${changes.map(changeInWords).join(', ')}`
  return `  ${at}  waiver ${waiver} ${change}${until}${why}`
}
