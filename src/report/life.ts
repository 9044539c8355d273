import type { Waiver } from '../config/settings.ts'
import { readRecord } from '../evaluate/configuration-record.ts'
import type { OperatorDecision } from '../evaluate/decisions.ts'
import { type FactChange, factChanges, materialFacts } from '../evaluate/findings/material-facts.ts'
import { isAbout, termsOf } from '../evaluate/waivers/waivers.ts'
import { dayOf, toIso } from '../model/dates.ts'
import type { FindingView } from '../model/finding.ts'
import { withoutName, withoutNames } from '../model/text/redact-finding.ts'
import { type FindingFacts, findingKinds, type Mirror, type WaiverLapseFacts } from '../store/port.ts'
import { changedField } from './words.ts'

export interface WaiverEvent {
  readonly tenant: string
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly waiver: string
  /** `renewed`: with other terms; `restored`: with the same; `lapsed`: it no longer covers a finding (docs/waivers.md). */
  readonly kind: 'agreed' | 'renewed' | 'restored' | 'removed' | 'ended' | 'lapsed'
  readonly check: string
  /** Entity as the waiver names it; for a lapse that of the finding. */
  readonly entity: string
  /** Fingerprint of the lapsed finding, else null. */
  readonly fingerprint: string | null
  /** The terms in force after the event, or until it; null for a lapse. */
  readonly agreed: Waiver | null
  /** Changes that made it lapse; empty for other events. */
  readonly changes: readonly FactChange[]
}

/** Events of waivers, oldest first; of all tenants if the id is absent. Terms are read from the recorded configurations. */
export async function waiverEvents(
  mirror: Pick<Mirror, 'configurations' | 'events' | 'tenants'>,
  tenantId: number | undefined,
  now: number,
): Promise<readonly WaiverEvent[]> {
  // Recorded configurations still name a purged tenant.
  const tenants = (await mirror.tenants()).filter(({ id }) => tenantId === undefined || id === tenantId)
  const terms = await termEvents(mirror, new Set(tenants.map(({ name }) => name)))
  const byWaiver = Map.groupBy(terms, keyOf)
  const ends = [...byWaiver.values()].flatMap((life) => life.flatMap((event, i) => endOf(event, life[i + 1], now)))
  const stored = await mirror.events({ tenantId, kinds: ['waiver.lapsed'] })
  const lapses = stored.map(({ tenant, at, subject, data }): WaiverEvent => {
    const { waiver, check, entity, accepted, changed } = data as WaiverLapseFacts
    const changes = factChanges(factsIn(accepted), factsIn(changed))
    return { tenant, at, waiver, kind: 'lapsed', check, entity, fingerprint: subject, agreed: null, changes }
  })
  // Facts are also compared after a removal, because the waiver may be added again.
  const counts = (lapse: WaiverEvent) => {
    const last = byWaiver.get(keyOf(lapse))?.at(-1)
    return last?.kind !== 'removed' || lapse.at < last.at
  }
  return [...terms, ...ends, ...lapses.filter(counts)].toSorted((a, b) => a.at - b.at)
}

const keyOf = ({ tenant, waiver }: Pick<WaiverEvent, 'tenant' | 'waiver'>) => JSON.stringify([tenant, waiver])

/** What changed from one recorded configuration to the next, oldest first. */
async function termEvents(
  mirror: Pick<Mirror, 'configurations'>,
  tenants: ReadonlySet<string>,
): Promise<readonly WaiverEvent[]> {
  const events: WaiverEvent[] = []
  const latest = new Map<string, WaiverEvent>()
  for await (const configuration of mirror.configurations()) {
    const written = readRecord(configuration).waivers.filter(({ tenant }) => tenants.has(tenant))
    const present = new Map(written.map((one) => [keyOf({ tenant: one.tenant, waiver: one.id }), one]))
    const add = (kind: WaiverEvent['kind'], agreed: Waiver) => {
      const { id: waiver, tenant, check, entity } = agreed
      const event: WaiverEvent = {
        ...{ tenant, at: configuration.at, waiver, kind, check, entity },
        ...{ fingerprint: null, agreed, changes: [] },
      }
      events.push(event)
      latest.set(keyOf(event), event)
    }
    for (const [key, { kind, agreed }] of latest)
      if (kind !== 'removed' && agreed !== null && !present.has(key)) add('removed', agreed)
    for (const [key, waiver] of present) {
      const before = latest.get(key)
      const isSame = before?.agreed != null && termsOf(before.agreed) === termsOf(waiver)
      if (before === undefined) add('agreed', waiver)
      else if (!isSame) add('renewed', waiver)
      else if (before.kind === 'removed') add('restored', waiver)
    }
  }
  return events
}

/** A waiver ends at its expiry, unless it was removed or other terms replaced it before. */
function endOf(event: WaiverEvent, next: WaiverEvent | undefined, now: number): readonly WaiverEvent[] {
  const { agreed, kind, at } = event
  if (agreed === null || kind === 'removed') return []
  const { expiresMs } = agreed
  return expiresMs >= at && expiresMs < (next?.at ?? now) ? [{ ...event, kind: 'ended', at: expiresMs }] : []
}

function factsIn(json: string | null): Readonly<Record<string, unknown>> {
  return JSON.parse(json ?? '{}') as Readonly<Record<string, unknown>>
}

export type ExplainedWaiver = ReturnType<typeof explainedWaivers>[number]

/** Events of waivers about the finding. */
export function explainedWaivers(
  events: readonly WaiverEvent[],
  { fingerprint, tenant, check, entity }: FindingView,
  details: boolean,
) {
  const isOfFinding = (event: WaiverEvent) =>
    event.fingerprint === null
      ? isAbout(event, { tenant, check, entityId: entity.id })
      : event.fingerprint === fingerprint
  return events.filter(isOfFinding).map(({ at, waiver, kind, agreed, changes }) => ({
    at: toIso(at),
    waiver,
    change: kind,
    /** Last day of the terms that are in force after the event. */
    expires: kind === 'removed' || agreed === null ? null : dayOf(agreed.expiresMs),
    /** Who is responsible by terms that begin; else null. */
    owner: kind === 'removed' || kind === 'ended' ? null : (agreed?.owner ?? null),
    changes: details ? changes : changes.map(withoutNamesIn),
  }))
}

export function waiverLine({ at, waiver, change, expires, owner, changes }: ExplainedWaiver): string {
  const until = expires === null || change === 'ended' ? '' : `, valid until ${expires}`
  const why = changes.length === 0 ? '' : `: ${changes.map(changeInWords).join(', ')}`
  const by = owner === null ? '' : ` (${owner})`
  return `  ${at}  waiver ${waiver} ${change}${until}${by}${why}`
}

type StoredFacts = FindingFacts & { readonly evidence: Readonly<Record<string, unknown>> }

export type ExplainedEvent = Awaited<ReturnType<typeof readLife>>[number]

/** Events of a finding, oldest first. Without details, values that may name a person or a file are hidden; their change is still listed. */
export async function readLife(
  mirror: Pick<Mirror, 'events'>,
  {
    tenantId,
    fingerprint,
    details,
  }: { readonly tenantId: number; readonly fingerprint: string; readonly details: boolean },
) {
  const events = await mirror.events({ tenantId, kinds: findingKinds, subjects: [fingerprint] })
  return events.map(({ at, kind, data }, i) => {
    const { severity, message, evidence, resolution } = data as StoredFacts
    const before = (events[i - 1]?.data as StoredFacts | undefined)?.evidence
    const changes =
      kind === 'finding.changed' && before !== undefined
        ? factChanges(materialFacts(before), materialFacts(evidence))
        : []
    return {
      at: toIso(at),
      event: kind.slice('finding.'.length),
      severity,
      message,
      resolution,
      evidence: details ? evidence : withoutNames(evidence),
      /** Differences from the previous event; empty unless the event is `changed`. */
      changes: details ? changes : changes.map(withoutNamesIn),
    }
  })
}

function withoutNamesIn({ fact, before, after }: FactChange): FactChange {
  return { fact, before: withoutName(fact, before), after: withoutName(fact, after) }
}

/** Consecutive events with the same words are one line. */
export function eventLines(life: readonly ExplainedEvent[]): readonly string[] {
  const words = life.map((one, i) => eventInWords(one, life[i - 1]))
  return life.flatMap(({ at }, i) => {
    if (words[i] === words[i - 1]) return []
    const end = words.findIndex((later, k) => k > i && later !== words[i])
    const same = life.slice(i, end === -1 ? undefined : end)
    const times = same.length === 1 ? '' : ` (${same.length} times, last ${same.at(-1)?.at ?? ''})`
    return [`  ${at}  ${words[i]}${times}`]
  })
}

/** Does not repeat an unchanged sentence. */
function eventInWords(one: ExplainedEvent, before: ExplainedEvent | undefined): string {
  const { event, severity, message, resolution, changes } = one
  if (resolution !== null) return `${event}: ${resolution}`
  if (event !== 'changed' || before === undefined) return `${event}, ${severity}: ${message}`
  const isOtherRule = one.evidence['rule'] !== before.evidence['rule']
  const all = changes.map(changeInWords)
  if (isOtherRule) all.unshift('rule changed (configuration of the check)')
  const what = all.join(', ')
  if (message !== before.message) return `changed, ${severity}: ${message}${what === '' ? '' : ` (${what})`}`
  if (what !== '') return `changed, ${severity}: ${what}`
  return `changed, ${severity}${severity === before.severity ? ': read again with the same facts' : ''}`
}

function changeInWords({ fact, before = null, after = null }: FactChange): string {
  return changedField({ field: fact, before, after })
}

export type ReportDecision = ReturnType<typeof reportDecision>

/** What an operator accepted. */
export function reportDecision(decision: OperatorDecision) {
  const { at, accepted, reason, by } = decision
  const facts = { at: toIso(at), accepted, reason, by }
  if (accepted === 'drift') {
    const { check, entityId, state } = decision
    return { ...facts, subject: check, id: entityId, what: JSON.stringify(state), appliedAt: facts.at }
  }
  const { resource, id, holdReason, count, appliedAt } = decision
  const applied = appliedAt === null ? null : toIso(appliedAt)
  return { ...facts, subject: resource, id, what: `${holdReason} (${count})`, appliedAt: applied }
}
