import { dataNotes } from '../model/describe.ts'
import { UsageError } from '../model/errors.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { Mirror } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { apiFields, recordShapes } from '../store/records/record-shape.ts'
import { addList } from './list.ts'
import { openMirror } from './support/configuration.ts'
import { configuredTenant, oneOf, tenantOption } from './support/options.ts'

/** Records read at a time. */
const batchSize = 500

export const addExport = addList<{ readonly tenant?: string }>({
  name: 'export',
  argument: ['<resource>', resourceNames.join(', ')],
  summary: "export the live records of a resource with the API's field names, in id order",
  formats: ['ndjson', 'csv', 'json', 'table'],
  options: [tenantOption()],
  help: `Works beside a running engine. --tenant is needed when several are configured.
CSV has the fields of the specification; NDJSON and JSON also have others.

Examples:
  tenantwatch export users --output users.ndjson
  tenantwatch export api-clients --tenant acme --format csv`,
  async run({ io, command, options: { tenant: given }, args, present }) {
    const resource = oneOf('resource', resourceNames, args[0] ?? '')
    await using opened = await openMirror(io, command)
    const { settings, mirror, views } = opened
    const names = settings.tenants.map(({ name }) => name)
    const tenant = configuredTenant(settings, given) ?? (names.length === 1 ? names[0] : undefined)
    if (tenant === undefined)
      throw new UsageError(`Several tenants are configured: add --tenant with one of ${names.join(', ')}`)
    const row = (await mirror.tenants()).find(({ name }) => name === tenant)
    if (row === undefined) throw new UsageError(`Tenant ${tenant} was never synced; run "tenantwatch sync" first`)
    const columns = Object.fromEntries(
      apiFields(resource).map((field) => [field, ({ fields }: MirrorRecord) => fields[field]]),
    )
    return await present({
      rows: recordsOf(mirror, row.id, resource),
      columns,
      object: asSent,
      table: columns,
      none: `The mirror has no live record of ${resource}`,
      notes: dataNotes(await views.posture(tenant), [resource]),
    })
  },
})

/** Records in the order of their ids: numbers by value, other ids by text. */
async function* recordsOf(mirror: Mirror, tenantId: number, resource: ResourceName): AsyncIterable<MirrorRecord> {
  const records = mirror.records(tenantId)
  const keys = [...(await records.keys(resource))]
  if (recordShapes[resource].isNumbered) keys.sort((a, b) => Number(a) - Number(b))
  for (let at = 0; at < keys.length; at += batchSize) {
    const some = keys.slice(at, at + batchSize)
    const found = new Map((await records.byKeys(resource, some)).map((record) => [record.key, record]))
    for (const key of some) {
      const record = found.get(key)
      if (record !== undefined) yield record
    }
  }
}

/** The record as the API sends it: specified fields first, then unknown ones. */
function asSent({ fields, extra }: MirrorRecord): object {
  return { ...fields, ...extra, ...fields }
}
