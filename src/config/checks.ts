import * as z from 'zod'
import { severities } from '../model/severity.ts'
import { lowerFirst } from '../model/text/lower-first.ts'
import { mayBeUnread } from './own-checks/own-checks.ts'
import type { CheckDefaults, CheckSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { choice, flag } from './yaml/leaves.ts'
import type { KeyPath, Report } from './yaml/report.ts'
import { isMap, readMap, readSection, valueAt, wantedOf } from './yaml/section.ts'

export type ChecksSection = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const common = { enabled: flag().optional(), severity: choice(severities).nullish() }

/** The options are validated when they are merged. */
export function readChecks(raw: unknown, path: KeyPath, { catalogue, report }: Context): ChecksSection {
  const map = readMap(raw, path, report)
  const ids = catalogue.checks.map(({ id }) => id)
  for (const key of Object.keys(map))
    if (!ids.includes(key) && !mayBeUnread(key, catalogue)) report.unknownKey([...path, key], ids)
  const known = catalogue.checks.filter(({ id }) => Object.hasOwn(map, id))
  return Object.fromEntries(known.map(({ id }) => [id, readMap(map[id], [...path, id], report)]))
}

export interface PlacedChecks {
  readonly section: ChecksSection
  readonly path: KeyPath
}

export function mergeChecks(
  general: PlacedChecks,
  own: PlacedChecks | null,
  { catalogue, report }: Context,
): Readonly<Record<string, CheckSettings>> {
  const layers = own === null ? [general] : [general, own]
  return Object.fromEntries(catalogue.checks.map((check) => [check.id, readCheck(check, layers, report)]))
}

function readCheck(check: CheckDefaults, layers: readonly PlacedChecks[], report: Report): CheckSettings {
  const written: Record<string, unknown> = {}
  let place: (key: unknown) => KeyPath = () => ['checks', check.id]
  for (const { section, path } of layers) {
    const outer = place
    const layer = section[check.id]
    if (layer === undefined) continue
    place = (key) => (key === undefined || Object.hasOwn(layer, String(key)) ? [...path, check.id] : outer(key))
    Object.assign(written, layer)
  }
  const { enabled, severity, ...options } = written
  const both = readSection(common, { enabled, severity }, [], relative(report, place))
  return {
    enabled: both.enabled ?? true,
    severity: both.severity ?? null,
    options: readOptions(check, options, relative(report, place)),
  }
}

function readOptions(check: CheckDefaults, options: Record<string, unknown>, report: Report): CheckSettings['options'] {
  const unknown = unknownKeys(check.options, options)
  for (const { path, validKeys } of unknown) {
    report.unknownKey(path, path.length === 1 ? [...Object.keys(common), ...validKeys] : validKeys)
  }
  const result = check.options.safeParse(options, { error: wantedOf })
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys' && unknown.length > 0) continue
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
    const message = lowerFirst(issue.message)
    if (path.length === 0) report.problem(path, `is not valid: ${message}`)
    else report.wrong(path, valueAt(options, path), message)
  }
  return {}
}

/** A report that takes paths relative to a check; `place` finds the section that contains the first key. */
function relative(report: Report, place: (key: unknown) => KeyPath): Report {
  const whole = (path: KeyPath): KeyPath => [...place(path[0]), ...path]
  return {
    wrong: (path, value, wanted) => report.wrong(whole(path), value, wanted),
    wrongKind: (path, value, wanted) => report.wrongKind(whole(path), value, wanted),
    unknownKey: (path, validKeys) => report.unknownKey(whole(path), validKeys),
    problem: (path, predicate) => report.problem(whole(path), predicate),
    sentences: () => report.sentences(),
  }
}

export interface UnknownKey {
  readonly path: KeyPath
  readonly validKeys: readonly string[]
}

/** Unknown keys at any depth, also in objects that are not strict. Objects with a catch-all accept any key. */
export function unknownKeys(schema: unknown, value: unknown, path: KeyPath = []): UnknownKey[] {
  if (schema instanceof z.ZodObject && isMap(value)) return ofObject(schema, value, path)
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownKeys(schema.element, item, [...path, index]))
  }
  if (schema instanceof z.ZodRecord && isMap(value)) {
    return Object.entries(value).flatMap(([key, item]) => unknownKeys(schema.valueType, item, [...path, key]))
  }
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options, value, path)
  const inner = innerOf(schema)
  return inner === undefined ? [] : unknownKeys(inner, value, path)
}

function ofObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: KeyPath): UnknownKey[] {
  const validKeys = Object.keys(schema.shape)
  const { catchall } = schema.def
  const open = catchall !== undefined && !(catchall instanceof z.ZodNever)
  return Object.entries(value).flatMap(([key, item]) => {
    if (Object.hasOwn(schema.shape, key)) return unknownKeys(schema.shape[key], item, [...path, key])
    return open ? [] : [{ path: [...path, key], validKeys }]
  })
}

function ofUnion(options: readonly unknown[], value: unknown, path: KeyPath): UnknownKey[] {
  const found = options
    .filter((option) => !isMap(value) || reachesObject(option))
    .map((option) => unknownKeys(option, value, path))
  return found.sort((a, b) => a.length - b.length)[0] ?? []
}

function reachesObject(schema: unknown): boolean {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord || schema instanceof z.ZodUnion) return true
  const inner = innerOf(schema)
  return inner !== undefined && reachesObject(inner)
}

function innerOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap()
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.unwrap()
  if (schema instanceof z.ZodReadonly) return schema.unwrap()
  return schema instanceof z.ZodPipe ? schema.in : undefined
}
