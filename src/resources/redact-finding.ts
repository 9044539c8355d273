import { hasPlainIds, recordsOfEntity } from '../model/entity-names.ts'
import type { Field } from '../model/fields.ts'
import type { FindingView } from '../model/finding.ts'
import { isNumberOrGuid } from '../model/guid.ts'
import { plainId } from '../model/text/printable.ts'
import { hidden, hiddenValue, withoutEmails, withoutEmailsIn } from '../model/text/redact.ts'
import { resources } from './index.ts'

const personalFields = resources.flatMap(({ fields }) =>
  Object.entries<Field>(fields).flatMap(([name, field]) => (field.personal === true ? [name] : [])),
)

/**
 * Facts that may name a person or a file: personal fields; `identity`, which may contain the digest of an e-mail address
 * that could confirm a guessed one; and configured patterns, which may be file names.
 */
const namingFacts: ReadonlySet<string> = new Set([...personalFields, 'acceptedFor', 'identity', 'nearest', 'pattern'])

/** Options of a check whose configured patterns, which may contain a file name, are hidden. */
export function hidePatterns<Options extends Readonly<Record<string, unknown>>>(options: Options): Options {
  const text = JSON.stringify(options, (key, value: unknown) => (key === 'pattern' ? hidden : value))
  return JSON.parse(text) as Options
}

/** True for the evidence of an own check, which may put anything into entity ids, messages and reasons. */
export function isOfOwnCheck(evidence: Readonly<Record<string, unknown>>): boolean {
  return typeof evidence['ownCheck'] === 'string'
}

/** Facts without values that may name a person or a file. */
export function withoutNames(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isOwn = isOfOwnCheck(facts)
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, withoutName(name, value, isOwn)]))
}

/** @param fact name of the fact, or path of a member; `isOwn`: of an own check, whose reason may be any text. */
export function withoutName(fact: string, value: unknown, isOwn: boolean): unknown {
  if (isOwn && fact === 'reason') return hiddenValue(value)
  if (fact === 'identity' && typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, withoutName(`identity.${name}`, one, isOwn)]),
    )
  const mayName = namingFacts.has(fact.split('.')[0] ?? '') && fact !== 'identity.createdAt'
  return mayName ? hiddenValue(value) : value
}

/** For commands without `--details`: an operator sees who waived what, but no sentence of an own check. */
export function withHiddenNames(finding: FindingView): FindingView {
  const shown = withoutDetails(finding)
  const explanation = (isOfOwnCheck(finding.evidence) ? shown : finding).waiver?.explanation ?? null
  return { ...shown, waiver: finding.waiver && { ...finding.waiver, explanation } }
}

/**
 * For outputs without personal details (docs/first-week.md#access). In messages, only names of API clients and roles
 * can contain e-mail addresses.
 */
export function withoutDetails(finding: FindingView): FindingView {
  const { evidence, waiver } = finding
  const { type, id } = finding.entity
  const isOwn = isOfOwnCheck(evidence)
  // Ids of records are numbers and GUIDs. If a server sends names instead, they contain a dot, a space or an @.
  const isOddRecord = recordsOfEntity(type) !== undefined && !plainId.test(id)
  const isNamed = isOddRecord || (isOwn ? !isNumberOrGuid(id) : !hasPlainIds(type))
  const withoutId = (text: string) => (isOddRecord ? text.replaceAll(id, hidden) : text)
  return {
    ...finding,
    message: isOwn ? hidden : withoutEmails(withoutId(finding.message)),
    entity: { type, id: isNamed ? hidden : id },
    evidence: Object.fromEntries(
      Object.entries(withoutNames(evidence)).map(([name, value]) => [
        name,
        isOddRecord && value === id ? hidden : withoutEmailsIn(value),
      ]),
    ),
    waiver: waiver && {
      ...waiver,
      owner: hidden,
      reason: hidden,
      explanation: waiver.explanation?.replace(/ \(.*\)$/s, '') ?? null,
    },
  }
}
