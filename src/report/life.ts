import type { OperatorDecision } from '../evaluate/decisions.ts'
import { type FactChange, factChanges, materialFacts } from '../evaluate/findings/material-facts.ts'
import { isAbout } from '../evaluate/findings/waivers.ts'
import type { FindingView } from '../model/finding.ts'
import { withoutEmailsIn } from '../model/text/redact.ts'
import { dayOf, isoOrNull, toIso } from '../model/time.ts'
import { isOfOwnCheck, withoutDetails, withoutName } from '../resources/redact-finding.ts'
import {
  type FindingFacts,
  findingKinds,
  type Mirror,
  type WaiverLapseFacts,
  type WaiverTermsFacts,
  waiverKinds,
} from '../store/port.ts'
import { changedField } from './words.ts'

export interface WaiverEvent {
  readonly tenant: string
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly waiver: string
  /** `renewed`: with other terms; `returned`: with the same ones; `lapsed`: it no longer covers a finding (docs/waivers.md). */
  readonly kind: 'agreed' | 'renewed' | 'withdrawn' | 'returned' | 'lapsed'
  readonly check: string
  /** Entity as the waiver names it; for a lapse that of the finding. */
  readonly entity: string
  /** Fingerprint of the lapsed finding, else null. */
  readonly fingerprint: string | null
  /** Null unless they were agreed or renewed. */
  readonly terms: WaiverTermsFacts | null
  /** Changes that made it lapse; empty for other events. */
  readonly changes: readonly FactChange[]
}

/** Events of waivers, oldest first; of all tenants if the id is absent. */
export async function waiverEvents(
  mirror: Pick<Mirror, 'events'>,
  tenantId: number | undefined,
): Promise<readonly WaiverEvent[]> {
  const events = await mirror.events({ tenantId, kinds: [...waiverKinds, 'waiver.lapsed'] })
  return events.map(({ tenant, at, kind, subject, data }): WaiverEvent => {
    if (kind === 'waiver.lapsed') {
      const { waiver, check, entity, accepted, changed } = data as WaiverLapseFacts
      const changes = factChanges(factsIn(accepted), factsIn(changed))
      return { tenant, at, waiver, kind: 'lapsed', check, entity, fingerprint: subject, terms: null, changes }
    }
    const facts = data as WaiverTermsFacts
    const { check, entity } = facts
    const change = kind.slice('waiver.'.length) as WaiverEvent['kind']
    // Nobody says who moved it, and why.
    const terms = change === 'agreed' || change === 'renewed' ? facts : null
    return { tenant, at, waiver: subject, kind: change, check, entity, fingerprint: null, terms, changes: [] }
  })
}

function factsIn(json: string | null): Readonly<Record<string, unknown>> {
  return JSON.parse(json ?? '{}') as Readonly<Record<string, unknown>>
}

export type ExplainedWaiver = ReturnType<typeof explainedWaivers>[number]

/** Events of waivers about the finding. */
export function explainedWaivers(
  events: readonly WaiverEvent[],
  { fingerprint, tenant, check, entity, evidence }: FindingView,
  details: boolean,
) {
  const isOfFinding = (event: WaiverEvent) =>
    event.fingerprint === null
      ? isAbout(event, { tenant, check, entityId: entity.id })
      : event.fingerprint === fingerprint
  return events.filter(isOfFinding).map(({ at, waiver, kind, terms, changes }) => ({
    at: toIso(at),
    waiver,
    change: kind,
    /** Last day of the terms. */
    expires: terms === null ? null : dayOf(terms.expiresAt),
    owner: terms?.owner ?? null,
    changes: details ? changes : withoutNamesIn(changes, evidence),
  }))
}

export function waiverLine({ at, waiver, change, expires, owner, changes }: ExplainedWaiver): string {
  const until = expires === null ? '' : `, valid until ${expires}`
  const why = changes.length === 0 ? '' : `: ${changes.map(changeInWords).join(', ')}`
  const by = owner === null ? '' : ` (${owner})`
  return `  ${at}  waiver ${waiver} ${change}${until}${by}${why}`
}

type StoredFacts = FindingFacts & { readonly evidence: Readonly<Record<string, unknown>> }

export type ExplainedEvent = Awaited<ReturnType<typeof readLife>>[number]

/** Events of a finding, oldest first. Without details, values that may name a person or a file are hidden; their change is still listed. */
export async function readLife(
  mirror: Pick<Mirror, 'events'>,
  tenantId: number,
  finding: FindingView,
  details: boolean,
) {
  const events = await mirror.events({ tenantId, kinds: findingKinds, subjects: [finding.fingerprint] })
  return events.map(({ at, kind, data }, i) => {
    const { severity, message, evidence, resolution } = data as StoredFacts
    const before = (events[i - 1]?.data as StoredFacts | undefined)?.evidence
    const changes =
      kind === 'finding.changed' && before !== undefined
        ? factChanges(materialFacts(before), materialFacts(evidence))
        : []
    const shown = details ? { message, evidence } : withoutDetails({ ...finding, message, evidence })
    return {
      at: toIso(at),
      event: kind.slice('finding.'.length),
      severity,
      message: shown.message,
      resolution,
      evidence: shown.evidence,
      /** Differences from the previous event; empty unless the event is `changed`. */
      changes: details ? changes : withoutNamesIn(changes, evidence),
    }
  })
}

function withoutNamesIn(changes: readonly FactChange[], evidence: FindingView['evidence']): readonly FactChange[] {
  const isOwn = isOfOwnCheck(evidence)
  return changes.map(({ fact, before, after }) => {
    const shown = (value: unknown) => withoutEmailsIn(withoutName(fact, value, isOwn))
    return { fact, before: shown(before), after: shown(after) }
  })
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
  return changedField(fact, before, after)
}

export type ReportDecision = ReturnType<typeof reportDecision>

/** What an operator accepted. @param details shows e-mail addresses in it. */
export function reportDecision(decision: OperatorDecision, details: boolean) {
  const { at, accepted, reason, by } = decision
  const facts = { at: toIso(at), accepted, reason, by }
  if (accepted === 'drift') {
    const { check, entityId, state } = decision
    const what = JSON.stringify(details ? state : withoutEmailsIn(state))
    return { ...facts, subject: check, id: entityId, what, appliedAt: facts.at }
  }
  const { resource, id, holdReason, count, appliedAt } = decision
  return { ...facts, subject: resource, id, what: `${holdReason} (${count})`, appliedAt: isoOrNull(appliedAt) }
}
