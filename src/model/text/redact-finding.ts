import type { FindingView } from '../finding.ts'
import { isNumberOrGuid } from '../guid.ts'
import { plainId } from './printable.ts'

/** Shown in place of a value that may name a person or a file. */
export const hidden = '[hidden]'

const namedTypes: ReadonlySet<string> = new Set(['document-name'])

/** Types whose ids are numbers and GUIDs. If a server sends names instead, they contain a dot, a space or an @. */
const recordTypes: ReadonlySet<string> = new Set(['api-client', 'document', 'user'])

/** Facts that may name a person or a file; a configured pattern may be a file name. */
const namingFacts: ReadonlySet<string> = new Set([
  'acceptedFor',
  'email',
  'filename',
  'firstName',
  // May contain the digest of an e-mail address, which could confirm a guessed address.
  'identity',
  'lastName',
  'nearest',
  'pattern',
])

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

/** Shows only whether there is a value. */
export function hiddenValue(value: unknown): unknown {
  return value === null || value === undefined ? value : hidden
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
  const isOddRecord = recordTypes.has(type) && !plainId.test(id)
  const isNamed = namedTypes.has(type) || (isOwn && !isNumberOrGuid(id)) || isOddRecord
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

export function withoutWaiverDetails<
  T extends { readonly owner: string; readonly reason: string; readonly entity: string },
>(waiver: T): T {
  const entity = waiver.entity === '*' || isNumberOrGuid(waiver.entity) ? waiver.entity : hidden
  return { ...waiver, owner: hidden, reason: hidden, entity }
}

const emails = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g

/** A value of a record as outputs without details show it. */
export function valueWithoutDetails(value: unknown, isPersonal: boolean): unknown {
  return isPersonal ? hiddenValue(value) : withoutEmailsIn(value)
}

/** Replaces e-mail addresses with `[e-mail]`: names of API clients and roles, and unknown states, not personal fields, may contain one. */
export function withoutEmails(text: string): string {
  return text.includes('@') ? text.replace(emails, '[e-mail]') : text
}

/** The same for all texts within arrays and objects. */
export function withoutEmailsIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutEmails(value)
  if (Array.isArray(value)) return value.map(withoutEmailsIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutEmailsIn(one)]))
}
