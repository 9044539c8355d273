import { writeFileSync } from 'node:fs'
import { tokenVariable } from './child.ts'

interface PlaceOptions {
  readonly origin: string
  /** The database's file; beside it the configuration is written. */
  readonly store: string
  /** Address of a PostgreSQL database, used instead of the file. */
  readonly url?: string
  /** How often the big tenant is configured, each time under another name. */
  readonly sameTenants?: number
  /** How many small tenants; 0 = the one big one. */
  readonly tenants?: number
  /** Further sections of the configuration. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** Writes a configuration beside a database, all defaults but the limit on requests; gives its path. */
export function writeConfig({ origin, store, url, sameTenants = 1, tenants = 0, more = {} }: PlaceOptions): string {
  const auth = { token: { env: tokenVariable } }
  const small = (_: unknown, i: number) => ({ name: `tenant-${i + 1}`, baseUrl: `${origin}/t/${i + 1}`, auth })
  const big = (_: unknown, i: number) => ({ name: i === 0 ? 'big' : `big-${i + 1}`, baseUrl: origin, auth })
  if (url !== undefined) writeFileSync(`${store}.url`, url, { mode: 0o600 })
  const settings = {
    tenants: tenants === 0 ? Array.from({ length: sameTenants }, big) : Array.from({ length: tenants }, small),
    api: { requestsPerSecond: 0 },
    store: url === undefined ? { path: store } : { url: { file: `${store}.url` } },
    server: { listen: '127.0.0.1:0' },
    ...more,
  }
  const path = `${store}.yaml`
  writeFileSync(path, JSON.stringify(settings))
  return path
}
