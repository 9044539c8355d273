import type { Mirror, QuarantinedRecord } from '../../mirror/port.ts'
import { toIso } from '../../model/dates.ts'
import { type Io, print } from '../../model/process/io.ts'
import { plainId } from '../../model/text/printable.ts'
import { printableJson } from '../../model/text/printable-json.ts'
import { table, toMinute } from '../../report/formats.ts'

const hidden = '[hidden]'

interface Wanted {
  readonly format: 'table' | 'json'
  readonly details: boolean
  /** Undefined = all tenants. */
  readonly tenant: string | undefined
}

/** Prints which records could not be read, and why. An id that may name a person or a file is for details only. */
export async function listQuarantine(io: Io, mirror: Mirror, { format, details, tenant: only }: Wanted): Promise<void> {
  const found = (await mirror.quarantined()).filter(({ tenant }) => only === undefined || tenant === only)
  const records = found.map((one) => viewOf(one, details))
  if (format === 'json') {
    print(io, printableJson(records))
    return
  }
  if (records.length === 0) {
    io.stderr.write('No record is quarantined\n')
    return
  }
  const rows = records.map(({ tenant, resource, id, problem, since, requestId }) => [
    ...[tenant, resource, id, problem, toMinute(since), requestId ?? ''],
  ])
  print(io, table(['TENANT', 'RESOURCE', 'ID', 'PROBLEM', 'SINCE (UTC)', 'REQUEST ID'], rows))
}

function viewOf({ since, lastSeenAt, id, ...record }: QuarantinedRecord, details: boolean) {
  return {
    ...{ tenant: record.tenant, resource: record.resource, id: details || plainId.test(id) ? id : hidden },
    ...{ problem: record.problem, since: toIso(since), lastSeen: toIso(lastSeenAt), requestId: record.requestId },
  }
}
