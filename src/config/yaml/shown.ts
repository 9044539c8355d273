import { maskUrl } from '../credentials/mask-url.ts'
import type { KeyPath } from './key-path.ts'

const urlKeys: readonly unknown[] = ['baseUrl', 'proxy', 'tokenUrl']
const longest = 80

/** A value for an error message; values that may contain secrets are not shown. */
export function shown(path: KeyPath, value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null || typeof value === 'object') return kindOf(value)
  const key = path.at(-1)
  if (typeof value === 'string' && urlKeys.includes(key)) return quoted(maskUrl(value))
  return mayContainSecret(path) ? kindOf(value) : quoted(value)
}

/** True below a tenant's `auth`, which may contain a misplaced token, and for hashes and keys of the web configuration. */
export function mayContainSecret(path: KeyPath): boolean {
  const [top, second, third] = path
  if (top === 'tls_server_config') return second === 'cert' || second === 'key' || second === 'client_ca'
  return (top === 'tenants' && third === 'auth') || top === 'basic_auth_users'
}

/** The type of a value in words. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
