import type { ChainHead, ChainMismatch, ChainVerification } from '../mirror/port.ts'
import { toIso } from '../model/dates.ts'
import { grouped, plural } from '../model/text/numbers.ts'

/** Of one tenant. */
export interface TenantVerification extends ChainVerification {
  readonly tenant: string
}

const logWord: Readonly<Record<string, string>> = {
  accepted_states: 'accepted drift',
  changes: 'changes',
  check_status_changes: 'check results',
  decisions: 'accepted holds',
  finding_events: 'finding events',
  waiver_changes: 'waiver changes',
}

export function verificationText(one: TenantVerification): readonly string[] {
  const { tenant, entries, rows, erased, unsealed, firstAt, head, mismatches } = one
  const begun = firstAt === null ? '' : ` since ${toIso(firstAt)}`
  const counts = [
    `${plural(entries, 'entry', 'entries')}${begun}`,
    `${plural(rows, 'row')} checked`,
    `${grouped(erased)} erased by retention`,
    `${grouped(unsealed)} not yet sealed`,
  ]
  const end = head === null ? '' : `; head ${head.hash} of ${toIso(head.at)}`
  return [`${tenant}: ${counts.join(', ')}${end}`, ...mismatches.map((mismatch) => sentenceOf(tenant, mismatch))]
}

function sentenceOf(tenant: string, mismatch: ChainMismatch): string {
  const text = `${tenant}: MISMATCH: `
  const by = `entry ${mismatch.sequence} of ${toIso(mismatch.at)}`
  if (mismatch.what === 'entries_missing')
    return `${text}${plural(mismatch.missing, 'entry', 'entries')} before ${by} ${isAre(mismatch.missing)} missing`
  if (mismatch.what === 'entry_changed') return `${text}${by}, or the one before it, was changed or inserted`
  const { what, log, firstId, lastId, sealed, found } = mismatch
  const where = `${logWord[log] ?? log} (table ${log}), ids ${firstId} to ${lastId}, sealed by ${by}`
  switch (what) {
    case 'rows_changed':
      return `${text}${where}: ${sealed === 1 ? 'the row' : `at least one of ${grouped(sealed)} rows`} was changed`
    case 'rows_missing':
      return `${text}${where}: ${grouped(sealed - found)} of ${plural(sealed, 'row')} ${isAre(sealed - found)} missing`
    case 'rows_inserted':
      return `${text}${where}: ${plural(found - sealed, 'row was', 'rows were')} inserted`
    case 'differed_at_erasure':
      return `${text}${logWord[log] ?? log} (table ${log}) did not match its digests when retention erased rows, as ${by} states`
  }
}

const isAre = (count: number) => (count === 1 ? 'is' : 'are')

/** For programs. */
export function verificationJson({ head, firstAt, mismatches, heads: _, ...one }: TenantVerification): object {
  return {
    ...one,
    firstAt: firstAt === null ? null : toIso(firstAt),
    head: headJson(head),
    mismatches: mismatches.map(({ at, ...mismatch }) => ({ ...mismatch, at: toIso(at) })),
  }
}

function headJson(head: ChainHead | null): object | null {
  return head && { ...head, at: toIso(head.at) }
}
