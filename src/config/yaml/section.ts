import type * as z from 'zod'
import type { KeyPath, Report } from './report.ts'

export type SectionFields = Readonly<Record<string, z.ZodType>>

export type Section<S extends SectionFields> = { readonly [K in keyof S]?: Exclude<z.output<S[K]>, undefined> }

/** Reads key by key, so that an invalid value does not hide problems of other keys. An empty section counts as `{}`. */
export function readSection<S extends SectionFields>(
  fields: S,
  raw: unknown,
  path: KeyPath,
  report: Report,
): Section<S> {
  const map = readMap(raw, path, report)
  if (!isMapOrEmpty(raw)) return {}
  for (const key of Object.keys(map)) {
    if (!Object.hasOwn(fields, key)) report.unknownKey([...path, key], Object.keys(fields))
  }
  const values: [string, unknown][] = []
  for (const [key, schema] of Object.entries(fields)) {
    const value = readValue(schema, map[key], [...path, key], report)
    if (value !== undefined) values.push([key, value])
  }
  return Object.fromEntries(values) as Section<S>
}

export function readMap(raw: unknown, path: KeyPath, report: Report): Readonly<Record<string, unknown>> {
  if (isMap(raw)) return raw
  if (!isMapOrEmpty(raw)) report.wrongKind(path, raw, 'expected a map of `key: value` pairs')
  return {}
}

export function readList(raw: unknown, path: KeyPath, report: Report): readonly unknown[] {
  if (raw === undefined || raw === null) return []
  if (Array.isArray(raw)) return raw
  report.wrongKind(path, raw, 'expected a list')
  return []
}

export function isMap(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}

export function isMapOrEmpty(raw: unknown): boolean {
  return raw === undefined || raw === null || isMap(raw)
}

function readValue<T>(schema: z.ZodType<T>, raw: unknown, path: KeyPath, report: Report): T | undefined {
  const result = schema.safeParse(raw, { error: wantedOf })
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const inner = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
    report.wrong([...path, ...inner], valueAt(raw, inner), issue.message)
    if (inner.length === 0) break
  }
  return undefined
}

export function valueAt(raw: unknown, path: KeyPath): unknown {
  let value = raw
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)]
    else value = isMap(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}

/** Message for an issue of zod in the style of the other messages; undefined = the message of zod. */
export function wantedOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin)}`
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a map of `key: value` pairs',
  record: 'a map of `key: value` pairs',
  string: 'a string',
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' || origin === 'set' ? ' items' : ''
}
