import { readFileSync } from 'node:fs'

interface Attribute {
  readonly type: 'any' | 'array' | 'integer' | 'object' | 'string' | 'timestamp'
  readonly required?: boolean
  /** Name of the object type of the value, or of the members of the list. */
  readonly object?: string
  readonly items?: 'string'
  /** Captions by number. */
  readonly enum?: Readonly<Record<string, string>>
  /** The attribute that carries the caption. */
  readonly sibling?: string
}

const facts = JSON.parse(
  readFileSync(new URL('../../fixtures/ocsf-compliance-finding.json', import.meta.url), 'utf8'),
) as { readonly version: string; readonly objects: Readonly<Record<string, Readonly<Record<string, Attribute>>>> }

/** The schema's version that the facts are of. */
export const factsVersion = facts.version

type Values = Readonly<Record<string, unknown>>

/** Deviations of an event from the schema of its class; empty when it is valid. */
export function ocsfProblems(event: unknown): readonly string[] {
  return problemsOfObject(event, 'compliance_finding', 'event')
}

function problemsOfObject(value: unknown, name: string, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`]
  const attributes = facts.objects[name] ?? {}
  const values = value as Values
  const missing = Object.keys(attributes).filter((key) => attributes[key]?.required === true && !(key in values))
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...Object.entries(values).flatMap(([key, one]) => {
      const attribute = attributes[key]
      if (attribute === undefined) return [`${path}.${key} is no attribute of ${name}`]
      return [...problemsOfValue(one, attribute, `${path}.${key}`), ...problemsOfEnum(values, key, attribute, path)]
    }),
  ]
}

function problemsOfValue(value: unknown, { type, object, items }: Attribute, path: string): string[] {
  switch (type) {
    case 'any':
      return value === null || value === undefined ? [`${path} is empty`] : []
    case 'object':
      return problemsOfObject(value, object ?? '', path)
    case 'array':
      if (!Array.isArray(value) || value.length === 0) return [`${path} is no list with members`]
      return value.flatMap((one: unknown, i) =>
        items === 'string' ? ofText(one, `${path}[${i}]`) : problemsOfObject(one, object ?? '', `${path}[${i}]`),
      )
    case 'integer':
      return Number.isSafeInteger(value) ? [] : [`${path} is no integer`]
    case 'timestamp':
      // Milliseconds of this century; seconds would lie in 1970.
      return Number.isSafeInteger(value) && Number(value) > 946_684_800_000
        ? []
        : [`${path} is no time in milliseconds`]
    case 'string':
      return ofText(value, path)
    default:
      throw new TypeError(`Unknown type ${type satisfies never}`)
  }
}

function ofText(value: unknown, path: string): string[] {
  return typeof value === 'string' && value !== '' ? [] : [`${path} is no text`]
}

/** The number must be one of the schema's, and the caption beside it the one of that number; 99 leaves it free. */
function problemsOfEnum(values: Values, key: string, { enum: captions, sibling }: Attribute, path: string): string[] {
  if (captions === undefined) return []
  const caption = captions[String(values[key])]
  if (caption === undefined) return [`${path}.${key} is ${String(values[key])}, which the schema does not have`]
  if (sibling === undefined || values[key] === 99 || values[sibling] === caption) return []
  return [`${path}.${sibling} is ${String(values[sibling])} beside ${String(values[key])}`]
}
