import { type FactChange, factChanges, materialFacts } from '../evaluate/findings/material-facts.ts'
import { toIso } from '../model/dates.ts'
import { type Severity, severities } from '../model/severity.ts'
import { withoutName, withoutNames } from '../model/text/redact-finding.ts'
import { type FindingFacts, type FindingStore, findingKinds } from '../store/port.ts'
import { oneOf } from '../store/words.ts'
import { changedField } from './words.ts'

export interface ExplainedEvent {
  readonly at: string
  readonly event: string
  readonly severity: Severity
  readonly message: string
  readonly resolution: string | null
  readonly evidence: Readonly<Record<string, unknown>>
  /** Differences from the previous event; empty unless the event is `changed`. */
  readonly changes: readonly FactChange[]
}

/** An event of a finding; `at` in milliseconds since the epoch. */
interface FindingEvent {
  readonly at: number
  readonly kind: string
  readonly severity: Severity
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly resolution: string | null
}

/** Oldest first. */
export async function readFindingEvents(
  store: Pick<FindingStore, 'events'>,
  tenantId: number,
  fingerprint: string,
): Promise<readonly FindingEvent[]> {
  const events = await store.events({ tenantId, kinds: findingKinds, subjects: [fingerprint] })
  return events.map(({ at, kind, data }) => {
    const { severity, message, evidence, resolution } = data as FindingFacts
    return {
      at,
      kind: kind.slice('finding.'.length),
      severity: oneOf(severities, severity),
      message,
      evidence: evidence as FindingEvent['evidence'],
      resolution,
    }
  })
}

/** Without details, values that may name a person or a file are hidden; their change is still listed. */
export function lifeOf(events: readonly FindingEvent[], details: boolean): readonly ExplainedEvent[] {
  return events.map(({ at, kind, severity, message, resolution, evidence }, i) => {
    const before = events[i - 1]?.evidence
    const changes =
      kind === 'changed' && before !== undefined ? factChanges(materialFacts(before), materialFacts(evidence)) : []
    const facts = { at: toIso(at), event: kind, severity, message, resolution }
    return details
      ? { ...facts, evidence, changes }
      : { ...facts, evidence: withoutNames(evidence), changes: changes.map(withoutNamesIn) }
  })
}

export function withoutNamesIn({ fact, before, after }: FactChange): FactChange {
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
  const all = [...(isOtherRule ? ['rule changed (configuration of the check)'] : []), ...changes.map(changeInWords)]
  if (message !== before.message)
    return `changed, ${severity}: ${message}${all.length === 0 ? '' : ` (${all.join(', ')})`}`
  const isSame = all.length === 0 && severity === before.severity
  return `changed, ${severity}${isSame ? ': read again with the same facts' : all.length === 0 ? '' : `: ${all.join(', ')}`}`
}

export function changeInWords({ fact, before = null, after = null }: FactChange): string {
  return changedField({ field: fact, before, after })
}
