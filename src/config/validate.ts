import * as z from 'zod'
import { mayBeToken } from './probes.ts'
import { maskUrl } from './urls.ts'
import type { Mistake, MistakeCode } from './yaml/errors.ts'
import { formatPath, isMap, type KeyPath, valueAt } from './yaml/key-path.ts'
import { nearest } from './yaml/nearest.ts'
import type { YamlFile } from './yaml/yaml-file.ts'

/** Where a setting was written. */
export interface Place {
  /** `file:line:column`, or `environment`. */
  readonly prefix: string
  readonly line: number | null
  /** Places in the order of the file. */
  readonly order: number
  /** The key or the variable. */
  readonly name: string
  /** As in the file: a tenant inherits from the general sections. */
  readonly path: KeyPath
}

export type Locate = (path: KeyPath, at: 'key' | 'value') => Place

export function locateIn(yaml: YamlFile): Locate {
  return (path, at) => {
    const { offset, line, column } = yaml.position(path, at)
    return { prefix: `${yaml.name}:${line}:${column}`, line, order: offset, name: formatPath(path), path }
  }
}

export type Validated<T> = { readonly value: T; readonly mistakes: readonly [] } | Invalid
interface Invalid {
  readonly value?: never
  readonly mistakes: readonly Mistake[]
}

/** Every mistake in the order of the file, one for each key, without values that may be secrets. */
export function validate<T>(schema: z.ZodType<T>, raw: unknown, locate: Locate): Validated<T> {
  const result = schema.safeParse(raw, { error: wantedOf })
  if (result.success) return { value: result.data, mistakes: [] }
  const found = result.error.issues.flatMap(innermost).flatMap((issue) => mistakesIn(issue, raw, locate))
  const meant = new Set(found.map(({ means }) => means))
  const byKey = Map.groupBy(found, ({ key }) => key)
  const mistakes = [...byKey].flatMap(([key, [first]]) =>
    first === undefined || (first.code === 'missing' && meant.has(key)) ? [] : [first],
  )
  return { mistakes: mistakes.sort((a, b) => a.order - b.order).map(({ order, means, ...mistake }) => mistake) }
}

interface Found extends Mistake {
  readonly order: number
  /** The key that a misspelled one probably means, which is not reported as missing, too. */
  readonly means?: string | undefined
}

function mistakesIn(issue: z.core.$ZodIssue, raw: unknown, locate: Locate): Found[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(locate([...path, key], 'key'), validKeysIn(issue.message)))
  if (issue.code === 'invalid_key') {
    // The message omits the key, which may be a line of a password file.
    const place = locate(path.slice(0, -1), 'value')
    return [mistakeAt(place, 'invalid', `\`${place.name}\` has a key that is not valid; ${issue.issues[0]?.message}`)]
  }
  const place = locate(path, 'value')
  const code = codeOf(issue)
  if (code !== null) return [mistakeAt(place, code, `\`${place.name}\` ${issue.message}`)]
  const value = valueAt(raw, path)
  const shown = isOfWrongKind(issue) ? kindOf(value) : shownValue(place.path, value)
  const text = `\`${place.name}\` is ${shown}; ${issue.message}`
  return [mistakeAt(place, value === undefined ? 'missing' : 'invalid', text)]
}

function mistakeAt({ prefix, line, order, path }: Place, code: MistakeCode, text: string): Found {
  return { code, key: formatPath(path), line, text, sentence: `${prefix}: ${text}`, order }
}

function unknownKey(place: Place, validKeys: readonly string[]): Found {
  const { path } = place
  const parent = path.slice(0, -1)
  const near = nearest(String(path.at(-1)), validKeys)
  if (near !== undefined) {
    const text = `unknown key \`${formatPath(path)}\`; did you mean \`${near}\`?`
    return { ...mistakeAt(place, 'unknown_key', text), means: formatPath([...parent, near]) }
  }
  const more = validKeys.length > 16 ? ` and ${validKeys.length - 10} more, see config/tenantwatch.example.yaml` : ''
  const listed = (more === '' ? validKeys : validKeys.slice(0, 10)).join(', ')
  const isHidden = mayContainSecret(path) || mayBeToken(String(path.at(-1)))
  const name = isHidden ? `in \`${formatPath(parent)}\`` : `\`${formatPath(path)}\``
  const shown = isHidden ? { ...place, path: [...parent, '…'] } : place
  return mistakeAt(shown, 'unknown_key', `unknown key ${name}; valid keys here: ${listed}${more}`)
}

/** An issue whose message is a predicate that follows the name of the key. */
export function predicate(code: 'conflict' | 'unavailable', message: string) {
  return { code: 'custom', message, params: { code } } as const
}

function codeOf(issue: z.core.$ZodIssue): MistakeCode | null {
  return issue.code === 'custom' ? ((issue.params?.['code'] as MistakeCode | undefined) ?? null) : null
}

/** Of a choice of schemas, the issues of the one that takes such a value. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isOfKind = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some((one) => one.path.length === 0 && isOfWrongKind(one))
  const branch = issue.errors.find(isOfKind) ?? issue.errors[0] ?? []
  return branch.map((one) => ({ ...one, path: [...issue.path, ...one.path] })).flatMap(innermost)
}

function isOfWrongKind(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && ['array', 'object', 'record'].includes(issue.expected)
}

const urlKeys: readonly unknown[] = ['baseUrl', 'proxy', 'tokenUrl']
const longest = 80

/** A value for a message; values that may contain secrets are not shown. */
function shownValue(path: KeyPath, value: unknown): string {
  const shown = typeof value === 'string' && urlKeys.includes(path.at(-1)) ? maskUrl(value) : value
  if (shown === value && mayContainSecret(path)) return kindOf(value)
  if (typeof shown !== 'string') return typeof shown === 'object' || shown === undefined ? kindOf(shown) : String(shown)
  const text = JSON.stringify(shown)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** True where a token, a password, a hash or a key belongs, or is likely to be put by mistake. */
function mayContainSecret(path: KeyPath): boolean {
  const [top, second, third] = path
  if (top === 'store') return second === 'url'
  return (top === 'tenants' && third === 'auth') || top === 'basic_auth_users'
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isMap(value)) return 'a map'
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`
}

/** The valid keys travel as the message of the issue, because zod's issue does not have them. */
const validKeysIn = (message: string) => message.split(' ')

function wantedOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(' ') : ''
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
