import { writeFileSync } from 'node:fs'
import { tokenVariable } from './child.ts'

export interface PlaceOptions {
  readonly origin: string
  readonly store: string
  /** How many small tenants; 0 = the one big one. */
  readonly tenants?: number
  /** Further sections of the configuration. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** Writes a configuration beside a database, all defaults but the limit on requests; gives its path. */
export function writeConfig({ origin, store, tenants = 0, more = {} }: PlaceOptions): string {
  const auth = { token: { env: tokenVariable } }
  const small = (_: unknown, i: number) => ({ name: `tenant-${i + 1}`, baseUrl: `${origin}/t/${i + 1}`, auth })
  const settings = {
    tenants: tenants === 0 ? [{ name: 'big', baseUrl: origin, auth }] : Array.from({ length: tenants }, small),
    api: { requestsPerSecond: 0 },
    store: { path: store },
    server: { listen: '127.0.0.1:0' },
    ...more,
  }
  const path = `${store}.yaml`
  writeFileSync(path, JSON.stringify(settings))
  return path
}
