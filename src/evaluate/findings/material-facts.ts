import { guidKey } from '../../model/guid.ts'
import { isObject } from '../../model/text/json.ts'
import { mayBeOneSecond, parseIsoDate, toIso } from '../../model/time.ts'

type Facts = Readonly<Record<string, unknown>>

/** Fields about the source of the evidence, not about the entity. */
const sourceFields: ReadonlySet<string> = new Set(['requestId', 'readAt', 'rule', 'changes'])

const identityFields = ['identity.createdAt', 'identity.emailDigest'] as const

const isThreshold = (name: string) => /^threshold/.test(name)

/**
 * Normalizes instants and GUIDs, so that another notation of the same one is no change. `names` as in `material`; for a
 * list that is only listed in part, its digest is included.
 */
export function materialFacts(evidence: Facts, names?: readonly string[]): Facts {
  if (names === undefined) return ownFacts(evidence)
  const identity = evidence['identity'] === undefined ? [] : identityFields
  const digests = names.map((name) => `${name.split('.')[0]}Digest`).filter((name) => evidence[name] !== undefined)
  return Object.fromEntries(
    [...names, ...new Set(digests), ...identity].map((name) => [name, canonical(valueAt(evidence, name.split('.')))]),
  )
}

export function factsText(facts: Facts): string {
  return JSON.stringify(Object.fromEntries(Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1))))
}

export interface FactChange {
  /** Name, or path of a nested member, such as `policy.mfaEnabled`. */
  readonly fact: string
  readonly before: unknown
  readonly after: unknown
}

/** Facts that differ, in the order of their names. */
export function factChanges(before: Facts, after: Facts, path = ''): readonly FactChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]]
    if (isObject(was) && isObject(is)) return factChanges(was, is, `${path}${name}.`)
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ fact: path + name, before: was, after: is }]
  })
}

export function differenceOf(before: string, after: string): string {
  return factChanges(JSON.parse(before) as Facts, JSON.parse(after) as Facts)
    .map(changeInWords)
    .join(', ')
}

/** Hides the digest of an e-mail address, which could confirm a guessed address. */
function changeInWords({ fact, before, after }: FactChange): string {
  return fact === 'identity.emailDigest' ? 'the e-mail address changed' : `${fact}: ${shown(before)} → ${shown(after)}`
}

const longest = 120

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value
  if (Array.isArray(value)) return value.map((element) => valueAt(element, [name, ...rest]))
  return isObject(value) ? valueAt(value[name] ?? null, rest) : null
}

function ownFacts(evidence: Facts): Facts {
  const own = Object.entries(evidence).filter(([name]) => !sourceFields.has(name) && !isThreshold(name))
  return Object.fromEntries(own.map(([name, value]) => [name, canonical(value)]))
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (isObject(value)) return ownFacts(value)
  if (typeof value !== 'string') return value
  const instant = /^\d{4}-\d\d-\d\d/.test(value) ? parseIsoDate(value) : undefined
  return instant === undefined ? guidKey(value) : toIso(instant.ms)
}

const instantInFacts = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z"/g

/** Ignores fractions of seconds and, of users, `identity.createdAt`: another entity has another finding. */
export function isSameFacts(accepted: string, present: string): boolean {
  const [before, after] = [JSON.parse(accepted) as Facts, JSON.parse(present) as Facts]
  return comparable(before) === comparable(after) && isSameCreation(before, after)
}

/** Where no e-mail address identifies an entity, the second of its creation does, unless one is missing. */
function isSameCreation(before: Facts, after: Facts): boolean {
  if ([before, after].some((facts) => typeof facts['identity.emailDigest'] === 'string')) return true
  return mayBeOneSecond(before['identity.createdAt'], after['identity.createdAt'])
}

function comparable({ 'identity.createdAt': _, ...facts }: Facts): string {
  return JSON.stringify(facts).replace(instantInFacts, '"$1Z"')
}
