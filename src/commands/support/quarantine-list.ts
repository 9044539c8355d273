import type { Command } from 'commander'
import { toIso } from '../../model/dates.ts'
import { type Io, print } from '../../model/process/io.ts'
import { plainId } from '../../model/text/printable.ts'
import { printableJson } from '../../model/text/printable-json.ts'
import { hidden } from '../../model/text/redact-finding.ts'
import { fits, fittingTable } from '../../report/fitting-table.ts'
import { toMinute } from '../../report/formats.ts'
import { type Terminal, terminalOf } from '../../report/terminal.ts'
import type { Mirror, QuarantinedRecord } from '../../store/port.ts'
import { printNext } from './next-command.ts'

interface Wanted {
  readonly format: 'table' | 'json'
  readonly details: boolean
  /** Undefined = all tenants. */
  readonly tenant: string | undefined
}

/** Prints which records could not be read, and why. An id that may name a person or a file is for details only. */
export async function listQuarantine(
  io: Io,
  command: Command,
  mirror: Mirror,
  { format, details, tenant: only }: Wanted,
): Promise<void> {
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
  const text = tableOf(records, terminalOf(io))
  print(io, text)
  if (headings.some((heading) => !text.includes(heading)))
    printNext(io, command, 'To see all columns', 'doctor --quarantine --format json')
}

const headings = ['TENANT', 'RESOURCE', 'ID', 'SINCE (UTC)', 'REQUEST ID', 'PROBLEM']

function tableOf(records: readonly ReturnType<typeof viewOf>[], terminal: Terminal | null): string {
  const rows = records.map(({ tenant, resource, id, problem, since, requestId }) => [
    ...[tenant, resource, id, toMinute(since), requestId ?? '', problem],
  ])
  const without = (...optional: readonly string[]) =>
    fittingTable(headings, rows, terminal, { optional, ownLine: 'PROBLEM' })
  const text = without('REQUEST ID')
  return terminal === null || fits(text, terminal) ? text : without('REQUEST ID', 'SINCE (UTC)')
}

function viewOf({ since, id, ...record }: QuarantinedRecord, details: boolean) {
  return {
    ...{ tenant: record.tenant, resource: record.resource, id: details || plainId.test(id) ? id : hidden },
    ...{ problem: record.problem, since: toIso(since), requestId: record.requestId },
  }
}
