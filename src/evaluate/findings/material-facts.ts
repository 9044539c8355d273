import { parseIsoDate, toIso } from '../../model/dates.ts'

type Facts = Readonly<Record<string, unknown>>

/** How and by what a fact was learnt, and what the rule was: none of it is a fact about the entity. */
const aboutTheLook: ReadonlySet<string> = new Set(['requestId', 'readAt', 'rule', 'changes'])

/** Who it is belongs to every acceptance of a finding about a user or a client. */
const whoItIs = ['identity.createdAt', 'identity.emailDigest'] as const

const isThreshold = (name: string) => /^threshold/.test(name)

/**
 * The part of a finding's evidence that whoever waives it accepts. Instants are compared as such, so that another
 * notation of the same one is no change.
 *
 * @param names fields of the evidence, `list.field` for one of each element; absent = all that is a fact of the entity.
 */
export function materialFacts(evidence: Facts, names?: readonly string[]): Facts {
  if (names === undefined) return ownFacts(evidence)
  const whom = evidence['identity'] === undefined ? [] : whoItIs
  return Object.fromEntries([...names, ...whom].map((name) => [name, canonical(valueAt(evidence, name.split('.')))]))
}

/** The facts as they are stored and compared. */
export function factsText(facts: Facts): string {
  return JSON.stringify(Object.fromEntries(Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** What differs between two texts of facts, as `roleName: "Reader" → "Admin"`; the fields in alphabetical order. */
export function differenceOf(before: string, after: string): string {
  const [was, is] = [JSON.parse(before) as Facts, JSON.parse(after) as Facts]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .sort()
    .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
    .map((name) => `${name}: ${shown(was[name])} → ${shown(is[name])}`)
    .join(', ')
}

const longest = 120

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value
  if (Array.isArray(value)) return value.map((element) => valueAt(element, [name, ...rest]))
  if (typeof value !== 'object' || value === null) return null
  return valueAt((value as Facts)[name] ?? null, rest)
}

function ownFacts(evidence: Facts): Facts {
  const own = Object.entries(evidence).filter(([name]) => !aboutTheLook.has(name) && !isThreshold(name))
  return Object.fromEntries(own.map(([name, value]) => [name, canonical(value)]))
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value === 'object' && value !== null) return ownFacts(value as Facts)
  const instant = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? parseIsoDate(value) : undefined
  return instant === undefined ? value : toIso(instant.ms)
}
