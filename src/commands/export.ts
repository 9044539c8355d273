import type { Command } from 'commander'
import { createViews } from '../daemon/views.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { dataWarnings } from '../report/data-warnings.ts'
import { serialize } from '../report/formats.ts'
import type { Mirror } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { apiFields, recordShapes } from '../store/records/record-shape.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { note, writeAll } from './support/io.ts'
import { oneOf, positiveNumber, tenantOption } from './support/options.ts'

/** Records read at a time. */
const batchSize = 500

const formats = ['ndjson', 'csv', 'json'] as const

interface ExportOptions {
  readonly format: string
  readonly tenant?: string
  readonly limit?: number
}

export function addExport(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('export')
    .argument('<resource>', resourceNames.join(', '))
    .description("export the live records of a resource with the API's field names, in id order")
    .option('--format <format>', formats.join(', '), 'ndjson')
    .option('--tenant <name>', 'required when several are configured')
    .option('--limit <n>', 'at most this many, the lowest ids first', positiveNumber)
    .addHelpText(
      'after',
      `
Works beside a running engine. CSV has the fields of the specification; NDJSON and JSON also have others.

Examples:
  tenantwatch export users > users.ndjson
  tenantwatch export api-clients --tenant acme --format csv`,
    )
    .action(async (resource: string, options: ExportOptions, command: Command) =>
      done(await exportRecords(io, resource, options, command)),
    )
}

async function exportRecords(io: Io, name: string, options: ExportOptions, command: Command): Promise<ExitCode> {
  const resource = oneOf('resource', resourceNames, name)
  const format = oneOf('format', formats, options.format)
  const { settings } = loadConfiguration(io, command)
  const names = settings.tenants.map((tenant) => tenant.name)
  if (options.tenant === undefined && names.length > 1) {
    throw new UsageError(`Several tenants are configured: add --tenant with one of ${names.join(', ')}`)
  }
  const tenant = tenantOption(settings, options.tenant) ?? names[0]
  await using mirror = await openVerifiedMirror(settings, io)
  const row = (await mirror.tenants()).find((known) => known.name === tenant)
  if (row === undefined) throw new UsageError(`Tenant ${tenant} was never synced; run "tenantwatch sync" first`)
  const cells = ({ fields }: MirrorRecord) => Object.values(fields)
  const serialization = { columns: apiFields(resource), cells, object: asSent }
  await writeAll(io, serialize(format, recordsOf(mirror, row.id, resource, options.limit), serialization))
  const [posture] = await createViews(mirror, settings, io.clock).posture(row.name)
  for (const line of dataWarnings(posture, resource)) note(io, line)
  return exitCodes.ok
}

/** Records in the order of their ids: numbers by value, other ids by text. */
async function* recordsOf(
  mirror: Mirror,
  tenantId: number,
  resource: ResourceName,
  most = Number.POSITIVE_INFINITY,
): AsyncIterable<MirrorRecord> {
  const records = mirror.records(tenantId)
  const keys = [...(await records.keys(resource))]
  if (recordShapes[resource].isNumbered) keys.sort((a, b) => Number(a) - Number(b))
  for (let at = 0; at < Math.min(most, keys.length); at += batchSize) {
    const some = keys.slice(at, Math.min(most, at + batchSize))
    const found = new Map((await records.byKeys(resource, some)).map((record) => [record.key, record]))
    for (const key of some) {
      const record = found.get(key)
      if (record !== undefined) yield record
    }
  }
}

/** The record as the API sends it: specified fields first, then unknown ones. */
function asSent({ fields, extra }: MirrorRecord): object {
  const nested = Object.entries(extra ?? {}).filter(([name]) => Object.hasOwn(fields, name))
  const whole = nested.map(([name, unknown]) => [name, withUnknown(fields[name], unknown)] as const)
  return { ...fields, ...extra, ...fields, ...Object.fromEntries(whole) }
}

/** A role's permissions with their unknown fields, which the mirror stores separately by `permissionId`. */
function withUnknown(known: unknown, unknown: unknown): unknown {
  if (!Array.isArray(known) || !Array.isArray(unknown)) return known
  const byId = new Map((unknown as readonly Granted[]).map((one) => [one.permissionId, one]))
  return (known as readonly Granted[]).map((one) => ({ ...one, ...byId.get(one.permissionId) }))
}

interface Granted {
  readonly permissionId: number
}
