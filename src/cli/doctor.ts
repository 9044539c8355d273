import { existsSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { openMirror } from '../mirror/sqlite-mirror.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { resources } from '../resources/index.ts'
import { idOf } from '../sync/page-reading.ts'
import type { Fetched, ResourceDefinition } from '../sync/resource.ts'
import { enabledNames } from '../sync/rhythm.ts'
import { createTenantClient } from '../tenant/client.ts'
import type { TenantClient } from '../tenant/reader.ts'
import { loadConfiguration } from './configuration.ts'
import { type ExitCode, exitCodes, type Io, print } from './io.ts'
import { createLog } from './logger.ts'
import { table } from './table.ts'
import { version } from './version.ts'

interface Diagnosis {
  readonly resource: string
  readonly ok: boolean
  readonly permission: string
  readonly sentence: string
}

export function addDoctor(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .description('ask every endpoint once and say what is wrong, permission by permission')
    .addHelpText('after', '\nWrites nothing. Exit 3 when something cannot be read.\n\nExample:\n  tenantwatch doctor')
    .action(async (_options: object, command: Command) => {
      const { settings } = loadConfiguration(io, command)
      const log = await createLog(io, 'silent')
      const store = await database(settings)
      let { ok } = store
      for (const tenant of settings.tenants) {
        const { clock, random, env } = io
        const parts = { clock, random, env: (name: string) => env[name], version, log }
        const blockedUntil = store.waits.get(tenant.name) ?? 0
        await using client = createTenantClient({ ...tenant, ...parts, resources: enabledNames(tenant), blockedUntil })
        const found = await diagnose(client, tenant, io.stop)
        ok &&= found.every((one) => one.ok)
        print(io, `${tenant.name} at ${tenant.baseUrl}\n${rowsOf(found)}\n`)
      }
      print(io, rowsOf([store]))
      done(ok ? exitCodes.ok : exitCodes.failed)
    })
}

function rowsOf(found: readonly Diagnosis[]): string {
  const rows = found.map((one) => [one.ok ? '✓' : '✗', one.resource, one.permission, one.sentence])
  return table(['', 'RESOURCE', 'PERMISSION', ''], rows)
}

async function diagnose(client: TenantClient, tenant: TenantSettings, signal: AbortSignal): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const definition of resources) {
    const { name, permission } = definition
    if (!tenant.resources[name].enabled) {
      found.push({ resource: name, permission, ok: true, sentence: 'switched off in the configuration' })
      continue
    }
    found.push({ resource: name, permission, ...(await ask(definition, client, tenant, signal)) })
  }
  return found
}

const greatestSkewMs = 300_000

async function ask(
  definition: ResourceDefinition,
  { reader }: TenantClient,
  { ownClientId }: TenantSettings,
  signal: AbortSignal,
): Promise<Pick<Diagnosis, 'ok' | 'sentence'>> {
  try {
    const page =
      definition.kind === 'whole' ? await definition.fetch(reader, signal) : await definition.fetch(reader, {}, signal)
    const problems = problemsOf(definition, page, ownClientId)
    const first = page.hasMore ? ' on the first page' : ''
    return { ok: problems.length === 0, sentence: [`${page.items.length} records${first}`, ...problems].join('; ') }
  } catch (error) {
    if (reasonOf(error) === 'aborted') throw error
    const hint = error instanceof SyncError && error.hint !== undefined ? `. ${error.hint}` : ''
    return { ok: false, sentence: `${reasonOf(error)}: ${error instanceof Error ? error.message : ''}${hint}` }
  }
}

function problemsOf(definition: ResourceDefinition, { items, hasMore, meta }: Fetched, own: string | null): string[] {
  const problems: string[] = []
  const bad = items.filter((item) => !item.ok).length
  if (bad > 0) problems.push(`${bad} of them cannot be read`)
  if (definition.kind === 'walk' && items.length === 0)
    problems.push('the list is empty, although it always contains the caller')
  const ids = items.map((item) => String(idOf(item, definition.idField)).toLowerCase())
  if (definition.kind === 'walk' && own !== null && !hasMore && !ids.includes(own)) {
    problems.push(`ownClientId ${own} is not among them`)
  }
  const skewMs = meta.serverTime === null ? 0 : meta.serverTime - meta.receivedAt
  if (Math.abs(skewMs) > greatestSkewMs) {
    const seconds = Math.round(Math.abs(skewMs) / 1000)
    problems.push(`the server's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this one`)
  }
  return problems
}

interface StoreDiagnosis extends Diagnosis {
  /** By tenant, the time before which nothing may be sent: what the engine was told holds for this command, too. */
  readonly waits: ReadonlyMap<string, number>
}

/** What can be said of the database without changing it. */
async function database({ storePath }: Settings): Promise<StoreDiagnosis> {
  const row = { resource: 'database', permission: '', waits: new Map<string, number>() }
  if (!existsSync(storePath))
    return { ...row, ok: true, sentence: `${storePath} is not there yet; the first sync makes it` }
  try {
    await using mirror = openMirror(storePath, 'beside')
    const waits = new Map((await mirror.tenants()).map(({ name, blockedUntil }) => [name, blockedUntil]))
    const holds = await mirror.holds()
    const held = holds.length === 0 ? '' : `; ${holds.length} on hold, see "tenantwatch accept"`
    return { ...row, waits, ok: true, sentence: `${storePath} answers, ${statSync(storePath).size} bytes${held}` }
  } catch (error) {
    return { ...row, ok: false, sentence: error instanceof Error ? error.message : String(error) }
  }
}
