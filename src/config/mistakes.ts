import leven from 'leven'
import * as z from 'zod'
import { UsageError } from '../model/errors.ts'
import { UnfitFile } from '../model/process/files.ts'
import { isObject } from '../model/text/json.ts'
import { mayBeToken } from './probes.ts'
import { maskUrl } from './values.ts'

/**
 * `syntax`: no YAML; `unavailable`: a variable, file or program that the configuration names is missing or unfit;
 * `conflict`: keys that contradict each other.
 */
export type MistakeCode = 'syntax' | 'unknown_key' | 'missing' | 'invalid' | 'conflict' | 'unavailable'

/** One mistake of a configuration, without secrets. */
export interface Mistake {
  readonly code: MistakeCode
  /** Such as `tenants[0].api.pageSize`; empty for a mistake of the syntax. */
  readonly key: string
  /** Null where the setting comes from an environment variable. */
  readonly line: number | null
  /** What is wrong, and what would be right. */
  readonly text: string
  /** The text after its place. */
  readonly sentence: string
}

/** The configuration is invalid (exit code 2); lists all problems. */
export class ConfigError extends UsageError {
  readonly problems: readonly string[]
  readonly mistakes: readonly Mistake[]

  constructor(found: readonly (string | Mistake)[]) {
    const problems = found.map((one) => (typeof one === 'string' ? one : one.sentence))
    super(problems.length === 1 ? (problems[0] ?? '') : `${problems.length} problems:\n${problems.join('\n')}`)
    this.problems = problems
    this.mistakes = found.filter((one) => typeof one !== 'string')
  }
}

/** Why a file cannot be read, without its name. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof UnfitFile) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
  if (code === 'ENOENT') return 'no such file'
  return code === 'EACCES' ? 'permission denied' : `it cannot be read (${code})`
}

export type KeyPath = readonly (string | number)[]

/** `tenants[0].api.pageSize`; unusual keys are quoted and cut. */
export function formatPath(path: KeyPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (!/^[\w-]{1,64}$/.test(part)) text += `[${JSON.stringify(part.slice(0, 64))}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

export function valueAt(raw: unknown, path: KeyPath): unknown {
  let value = raw
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)]
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}

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

/** The place of the key or value at a path. */
export type Locate = (path: KeyPath, at: 'key' | 'value') => Place

/** Without a value after a mistake. */
export interface Validated<T> {
  readonly value?: T
  readonly mistakes: readonly Mistake[]
}

/** Every mistake in the order of the files, one for each key of a file, without values that may be secrets. */
export function validate<T>(schema: z.ZodType<T>, raw: unknown, locate: Locate): Validated<T> {
  const result = schema.safeParse(raw, { error: wantedOf })
  if (result.success) return { value: result.data, mistakes: [] }
  const found = result.error.issues.flatMap(innermost).flatMap((issue) => mistakesIn(issue, raw, locate))
  const meant = new Set(found.map(({ means }) => means))
  const mistakes = [...Map.groupBy(found, ({ file, key }) => `${file} ${key}`).values()].flatMap(([first]) =>
    first === undefined || (first.code === 'missing' && meant.has(first.key)) ? [] : [first],
  )
  return { mistakes: mistakes.sort((a, b) => a.order - b.order).map(({ file, order, means, ...mistake }) => mistake) }
}

interface Found extends Mistake {
  readonly file: string
  readonly order: number
  /** The key that a misspelled one probably means, which is not reported as missing, too. */
  readonly means?: string
}

function mistakesIn(issue: z.core.$ZodIssue, raw: unknown, locate: Locate): readonly Found[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(locate([...path, key], 'key'), validKeysIn(issue.message)))
  if (issue.code === 'invalid_key') {
    // The message omits the key, which may be a line of a password file.
    const place = locate(path.slice(0, -1), 'value')
    return [mistakeAt(place, 'invalid', `\`${place.name}\` has a key that is not valid; ${issue.issues[0]?.message}`)]
  }
  const place = locate(path, 'value')
  const code = issue.code === 'custom' ? issue.params?.['code'] : undefined
  if (code !== undefined) return [mistakeAt(place, code as MistakeCode, `\`${place.name}\` ${issue.message}`)]
  const twin = issue.code === 'custom' ? issue.params?.['twin'] : undefined
  const first = twin === undefined ? null : locate(twin, 'value')
  const message = first === null ? issue.message : `\`${first.name}\` at ${first.prefix} ${issue.message}`
  const value = valueAt(raw, path)
  const shown = isOfWrongKind(issue) ? kindOf(value) : shownValue(place.path, value)
  const text = `\`${place.name}\` is ${shown}; ${message}`
  return [mistakeAt(place, value === undefined ? 'missing' : 'invalid', text)]
}

function mistakeAt({ prefix, line, order, path }: Place, code: MistakeCode, text: string): Found {
  const file = prefix.replace(/(:\d+)+$/, '')
  return { code, key: formatPath(path), line, text, sentence: `${prefix}: ${text}`, file, order }
}

const mostListed = 16

function unknownKey(place: Place, validKeys: readonly string[]): Found {
  const { path } = place
  const parent = path.slice(0, -1)
  const near = nearest(String(path.at(-1)), validKeys)
  if (near !== undefined) {
    const text = `unknown key \`${formatPath(path)}\`; did you mean \`${near}\`?`
    return { ...mistakeAt(place, 'unknown_key', text), means: formatPath([...parent, near]) }
  }
  const more = validKeys.length > mostListed ? ' and others, see config/tenantwatch.example.yaml' : ''
  const valid = `valid keys here: ${validKeys.slice(0, mostListed).join(', ')}${more}`
  // People paste a secret as a key, too.
  if (mayContainSecret(path) || mayBeToken(String(path.at(-1))))
    return mistakeAt(
      { ...place, path: [...parent, '…'] },
      'unknown_key',
      `unknown key in \`${formatPath(parent)}\`; ${valid}`,
    )
  return mistakeAt(place, 'unknown_key', `unknown key \`${formatPath(path)}\`; ${valid}`)
}

/** An issue whose message is a predicate that follows the name of the key. */
export function predicate(code: 'conflict' | 'unavailable', message: string) {
  return { code: 'custom', message, params: { code } } as const
}

/** Of a choice of schemas, the issues of the one that takes such a value. */
function innermost(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isOfKind = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some((one) => one.path.length === 0 && isOfWrongKind(one))
  const branch = issue.errors.find(isOfKind) ?? issue.errors[0] ?? []
  return branch.map((one) => ({ ...one, path: [...issue.path, ...one.path] })).flatMap(innermost)
}

function isOfWrongKind(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && ['array', 'object', 'record', 'string'].includes(issue.expected)
}

/** A URL, or a part of one with a user. */
const urlLike = /:\/\/|@/
const longest = 80

/** A value for a message; values that may contain secrets are not shown. */
function shownValue(path: KeyPath, value: unknown): string {
  if (mayContainSecret(path)) return kindOf(value)
  const shown = typeof value === 'string' && urlLike.test(value) ? maskUrl(value) : value
  if (typeof shown !== 'string') return typeof shown === 'object' || shown === undefined ? kindOf(shown) : String(shown)
  const text = JSON.stringify(shown)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** True where a token, a password, a hash or a key belongs, or is likely to be put by mistake. */
function mayContainSecret(path: KeyPath): boolean {
  const [top, second, third] = path
  if (top === 'store') return second === 'url'
  return (
    (top === 'tenants' && third === 'auth') ||
    (top === 'notifications' && third === 'to') ||
    top === 'basic_auth_users' ||
    path.includes('proxy')
  )
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isObject(value)) return 'a map'
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`
}

/** The valid keys travel as the message of the issue, because zod's issue does not have them. */
const validKeysIn = (message: string) => message.split(' ')

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  object: 'a map of `key: value` pairs',
  record: 'a map of `key: value` pairs',
}

/** What schemas do not say themselves, such as those of the options of checks. */
function wantedOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(' ') : ''
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `expected one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
    default:
      return undefined
  }
}

/** The candidate closest to a misspelled word, ignoring case; undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // At most one wrong letter in three: two other letters turn a short word into another one.
  const most = Math.max(1, Math.floor(word.length / 3))
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= most && distance < candidate.length)
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}

export function advice(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${near}"?`
}

/** Swapped letters are one mistake. */
function distanceOf(word: string, candidate: string): number {
  const distance = leven(word, candidate)
  const hasSameLetters = word.length > 2 && [...word].sort().join() === [...candidate].sort().join()
  return distance === 2 && hasSameLetters ? 1 : distance
}
