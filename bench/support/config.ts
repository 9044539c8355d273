import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenVariable } from './measured-process.ts'

interface ConfigOptions {
  readonly origin: string
  /** Gets the configuration, and the database unless `postgres` is given. */
  readonly folder: string
  /** Number of small tenants; 0 = the large one. */
  readonly tenants?: number
  readonly postgres?: URL
  /** Further sections. */
  readonly sections?: Readonly<Record<string, unknown>>
}

/** Writes a configuration with all defaults but the limit of requests; returns its path. */
export function writeConfig({ origin, folder, tenants = 0, postgres, sections }: ConfigOptions): string {
  const auth = { token: { env: tokenVariable } }
  const large = { name: 'large', baseUrl: origin, auth }
  const small = (_: unknown, i: number) => ({ name: `tenant-${i + 1}`, baseUrl: `${origin}/t/${i + 1}`, auth })
  const urlFile = join(folder, 'postgres-url')
  if (postgres !== undefined) writeFileSync(urlFile, postgres.href, { mode: 0o600 })
  const settings = {
    tenants: tenants === 0 ? [large] : Array.from({ length: tenants }, small),
    api: { requestsPerSecond: 0 },
    store: postgres === undefined ? { path: join(folder, 'mirror.db') } : { url: { file: urlFile } },
    server: { listen: '127.0.0.1:0' },
    ...sections,
  }
  const path = join(folder, 'tenantwatch.yaml')
  writeFileSync(path, JSON.stringify(settings))
  return path
}
