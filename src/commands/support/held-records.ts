import { type EntityNames, namesIn, namesOf } from '../../model/entity-names.ts'
import { UsageError } from '../../model/errors.ts'
import { type Io, print } from '../../model/process/io.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import { printable } from '../../model/text/printable.ts'
import { printableJson } from '../../model/text/printable-json.ts'
import type { Next } from '../../report/findings-notes.ts'
import type { HoldRow, Mirror } from '../../store/port.ts'
import { note } from './io.ts'
import { oneOf } from './options.ts'

const formats = ['text', 'json'] as const
const mostInText = 100

export interface ListOptions {
  readonly format?: string
  readonly limit?: number
  readonly details?: boolean
}

interface HeldOptions extends ListOptions {
  readonly next: Next
}

interface HeldRecord extends EntityNames {
  readonly id: string
}

export function listFormatOf({ format }: ListOptions): (typeof formats)[number] {
  return oneOf('format', formats, format) ?? 'text'
}

/** Prints the ids that a hold covers, one a line; sentences about them go to standard error. */
export async function listHeldRecords(io: Io, mirror: Mirror, hold: HoldRow, options: HeldOptions): Promise<void> {
  const format = listFormatOf(options)
  const held = await mirror.heldRecords(hold.id)
  if (held === null) throw new UsageError(withoutRecords(hold, options.next('doctor')))
  const { id, tenant, resource, reason, count } = hold
  const ids = held.ids.slice(0, options.limit ?? (format === 'text' ? mostInText : held.ids.length))
  const records = await recordsOf(mirror, { hold, ids, details: options.details === true })
  if (format === 'json') {
    print(io, printableJson({ id, tenant, resource, reason, count, records }))
    return
  }
  for (const record of records) print(io, printable([record.id, ...namesIn(record)].join('  ')))
  note(io, `Accepting hold ${id} removes these ${held.resource} of ${tenant}, ${number(held.ids.length)} in all`)
  const rest = held.ids.length - records.length
  if (rest > 0) note(io, `Not shown: ${number(rest)}; --limit ${held.ids.length} or --format json shows all`)
}

function withoutRecords({ id, reason }: HoldRow, doctor: string): string {
  return reason === 'tenant_changed'
    ? `Hold ${id} names no records: those that were read are not stored. Compare the token and baseUrl with the tenant; "${doctor}" shows what they read now`
    : `Hold ${id} names no records: ${reason} is about a list as a whole`
}

interface Listed {
  readonly hold: HoldRow
  readonly ids: readonly string[]
  readonly details: boolean
}

async function recordsOf(mirror: Mirror, { hold, ids, details }: Listed): Promise<readonly HeldRecord[]> {
  if (!details || hold.resource === 'all') return ids.map((id) => ({ id }))
  const known = await mirror.personal(hold.tenantId, hold.resource, ids)
  return ids.map((id) => ({ id, ...namesOf(known.get(id) ?? {}) }))
}
