import { kindOf } from '../json.ts'
import type { Oddity, Reading } from '../reader.ts'
import { type DescribedTexts, freeName, rawWithoutSecrets, storableField, storableName } from './withheld.ts'

export interface ParseContext {
  problem: string | null
  oddities: Oddity[] | null
}

export const noOddities: readonly Oddity[] = Object.freeze([])

const maxOddities = 100

/** A record with more unknown fields is not plausible. */
const maxExtra = 1000

export function newParseContext(): ParseContext {
  return { problem: null, oddities: null }
}

export function odd(context: ParseContext, kind: Oddity['kind'], field: string): void {
  context.oddities ??= []
  const known = context.oddities
  if (known.length < maxOddities && !known.some((one) => one.field === field && one.kind === kind)) {
    known.push({ kind, field })
  }
}

export function fail(context: ParseContext, problem: string): void {
  context.problem ??= problem
}

export function extraFields(
  context: ParseContext,
  raw: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  prefix = '',
): Record<string, unknown> | null {
  let unknown: string[] | null = null
  for (const key in raw) {
    if (known.has(key) || !Object.hasOwn(raw, key)) continue
    unknown ??= []
    unknown.push(key)
  }
  if (unknown === null) return null
  if (unknown.length > maxExtra) {
    fail(context, `More than ${maxExtra} unknown fields in one object`)
    return null
  }
  const extra = Object.create(null) as Record<string, unknown>
  for (const key of unknown.sort()) {
    const name = storableName(key)
    extra[freeName(extra, name)] = storableField(key, raw[key])
    odd(context, 'unknown_field', `${prefix}${name.toWellFormed()}`)
  }
  return extra
}

export function finish<T>(
  context: ParseContext,
  record: T,
  extra: Readonly<Record<string, unknown>> | null,
  id: string | number | null,
  raw: unknown,
  described: DescribedTexts,
): Reading<T> {
  if (context.problem !== null) {
    return { ok: false, id, raw: rawWithoutSecrets(raw, described), problem: context.problem }
  }
  return { ok: true, record, extra, oddities: context.oddities ?? noOddities }
}

export function notAnObject<T>(raw: unknown): Reading<T> {
  return {
    ok: false,
    id: null,
    raw: rawWithoutSecrets(raw, {}),
    problem: `The record is ${kindOf(raw)}, not an object`,
  }
}
