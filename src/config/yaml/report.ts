import { maskUrl } from '../urls.ts'
import { nearest } from './nearest.ts'

export interface Place {
  readonly prefix: string
  readonly name: string
  readonly order: number
}

export type Locate = (path: KeyPath, at?: 'key' | 'value') => Place

export interface Report {
  /** The value at `path` is wrong; `wanted` names the right values or the action. */
  wrong(path: KeyPath, value: unknown, wanted: string): void
  /** As `wrong`, but the message names only the type of the value. */
  wrongKind(path: KeyPath, value: unknown, wanted: string): void
  unknownKey(path: KeyPath, validKeys: readonly string[]): void
  /** Another problem of the value at `path`; `predicate` follows its name in the message. */
  problem(path: KeyPath, predicate: string): void
  /** All problems without duplicates, in the order of the file. */
  sentences(): string[]
}

export function createReport(locate: Locate): Report {
  const found = new Map<string, number>()
  const missing = new Map<string, string>()
  /** Paths that misspelled keys probably mean: these are not also reported as missing. */
  const meant = new Set<string>()

  function add(place: Place, sentence: string): string {
    const whole = `${place.prefix}: ${sentence}`
    if (!found.has(whole)) found.set(whole, place.order)
    return whole
  }

  function problem(path: KeyPath, predicate: string): string {
    const place = locate(path)
    return add(place, `\`${place.name}\` ${predicate}`)
  }

  return {
    wrong(path, value, wanted) {
      const sentence = problem(path, `is ${shown(path, value)}; ${wanted}`)
      if (value === undefined) missing.set(formatPath(path), sentence)
    },
    wrongKind: (path, value, wanted) => void problem(path, `is ${kindOf(value)}; ${wanted}`),
    problem: (path, predicate) => void problem(path, predicate),
    unknownKey(path, validKeys) {
      const key = String(path.at(-1))
      const near = nearest(key, validKeys)
      if (near !== undefined) meant.add(formatPath([...path.slice(0, -1), near]))
      const advice = near === undefined ? `valid keys here: ${listedKeys(validKeys)}` : `did you mean \`${near}\`?`
      const name = near === undefined && mayContainSecret(path) ? `in \`${formatPath(path.slice(0, -1))}\`` : undefined
      add(locate(path, 'key'), `unknown key ${name ?? `\`${formatPath(path)}\``}; ${advice}`)
    },
    sentences() {
      for (const path of meant) found.delete(missing.get(path) ?? '')
      return [...found].sort(([, a], [, b]) => a - b).map(([sentence]) => sentence)
    },
  }
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

const urlKeys: readonly unknown[] = ['baseUrl', 'proxy', 'tokenUrl']
const longest = 80

/** A value for an error message; values that may contain secrets are not shown. */
function shown(path: KeyPath, value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null || typeof value === 'object') return kindOf(value)
  const key = path.at(-1)
  if (typeof value === 'string' && urlKeys.includes(key)) return quoted(maskUrl(value))
  return mayContainSecret(path) ? kindOf(value) : quoted(value)
}

/** True below a tenant's `auth`, which may contain a misplaced token, and for hashes and keys of the web settings. */
function mayContainSecret(path: KeyPath): boolean {
  const [top, second, third] = path
  if (top === 'tls_server_config') return second === 'cert' || second === 'key' || second === 'client_ca'
  return (top === 'tenants' && third === 'auth') || top === 'basic_auth_users'
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Shortens a long list, which would hide the mistake. */
function listedKeys(keys: readonly string[]): string {
  if (keys.length <= 16) return keys.join(', ')
  return `${keys.slice(0, 10).join(', ')} and ${keys.length - 10} more, see config/tenantwatch.example.yaml`
}
