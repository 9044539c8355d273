import { toIso } from '../model/dates.ts'
import { grouped, plural } from '../model/text/numbers.ts'
import type { ChainHead, ChainMismatch, ChainVerification, FindingsMismatch, RowsMismatch } from '../store/port.ts'

/** Verification of one tenant, or of the configuration of all. */
export interface NamedVerification extends ChainVerification {
  readonly name: string
}

const logWord: Readonly<Record<string, string>> = {
  accepted_states: 'accepted drift',
  changes: 'changes',
  check_status_changes: 'check results',
  configurations: 'configurations',
  decisions: 'accepted holds',
  finding_events: 'finding events',
  tenant_states: 'data quality',
  waiver_changes: 'waiver changes',
}

export function verificationText(one: NamedVerification): readonly string[] {
  const { name, entries, rows, erased, unsealed, firstAt, head, heads, mismatches } = one
  const begun = firstAt === null ? '' : ` since ${toIso(firstAt)}`
  const counts = [
    `${plural(entries, 'entry', 'entries')}${begun}`,
    `${plural(rows, 'row')} checked`,
    `${grouped(erased)} erased by retention`,
    `${grouped(unsealed)} not yet sealed`,
  ]
  const end = head === null ? '' : `; head ${head.hash} of ${toIso(head.at)}`
  return [
    `${name}: ${counts.join(', ')}${end}`,
    ...heads.map((given) => `${name}: the given head ${given.hash} is ${entryOf(given)}; ${laterThan(given, head)}`),
    ...mismatches.map((mismatch) => `${name}: MISMATCH: ${sentenceOf(mismatch)}`),
  ]
}

function laterThan({ sequence }: ChainHead, head: ChainHead | null): string {
  const later = (head?.sequence ?? sequence) - sequence
  return later === 0 ? 'it is the last one' : `${plural(later, 'entry', 'entries')} came after it`
}

function sentenceOf(mismatch: ChainMismatch): string {
  switch (mismatch.what) {
    case 'entries_missing': {
      const { missing } = mismatch
      return `${plural(missing, 'entry', 'entries')} before ${entryOf(mismatch)} ${isAre(missing)} missing`
    }
    case 'entry_changed':
      return `${entryOf(mismatch)}, or the one before it, was changed or inserted`
    case 'configuration_chain_changed':
      return `${entryOf(mismatch)} states another head of the chain of configurations than that has: it was cut off or recomputed`
    case 'rows_not_sealed': {
      const { log, count, at } = mismatch
      return `${plural(count, 'row')} of ${tableOf(log)}, the first of ${toIso(at)}, ${isAre(count)} not sealed: their entries were removed, or they were inserted with an earlier date`
    }
    case 'rows_out_of_range': {
      const { log, count } = mismatch
      return `${plural(count, 'row')} of ${tableOf(log)} ${count === 1 ? 'has' : 'have'} an id or a time that no row of the mirror has: ${count === 1 ? 'it was' : 'they were'} inserted`
    }
    case 'rows_backdated': {
      const { log, count, firstAt, sealedBefore } = mismatch
      const first = count === 1 ? 'is dated' : 'are dated from'
      return `${plural(count, 'row')} of ${tableOf(log)}, sealed by ${entryOf(mismatch)}, ${first} ${toIso(firstAt)}, more than an hour before the sealing of ${toIso(sealedBefore)}, which did not have ${count === 1 ? 'it: it was' : 'them: they were'} inserted later, or written while the clock of the machine was set back`
    }
    case 'findings_missing':
      return `${findingsOf(mismatch)} ${isAre(mismatch.count)} missing from the table findings although events of ${mismatch.count === 1 ? 'it' : 'them'} are sealed`
    case 'findings_inserted':
      return `${findingsOf(mismatch)} of the table findings ${mismatch.count === 1 ? 'has' : 'have'} no event`
    case 'findings_changed':
      return `${findingsOf(mismatch)} of the table findings ${mismatch.count === 1 ? 'differs' : 'differ'} from ${mismatch.count === 1 ? 'its' : 'their'} events in entity, severity, state, message, evidence or age`
    case 'lapses_missing':
      return `${plural(mismatch.count, 'finding')} (of waiver ${mismatch.waiver}${mismatch.count === 1 ? ') is' : ' and others) are'} not lapsed in the table waived_findings although the last sealed change is that the waiver lapsed`
    case 'results_changed':
      return `${plural(mismatch.count, 'result')} of the table check_states (${mismatch.check}${mismatch.count === 1 ? ') differs' : ' and others) differ'} from the last sealed change of the check`
    case 'tenant_missing': {
      const { tenantId, entries, at } = mismatch
      return `a chain of ${plural(entries, 'entry', 'entries')}, the last of ${toIso(at)}, belongs to a tenant (id ${tenantId}) that is missing from the table tenants: its row was removed or its id changed`
    }
    case 'differed_at_erasure':
      return `${tableOf(mismatch.log)} did not match its digests when retention erased rows, as ${entryOf(mismatch)} states`
    default:
      return rowsSentence(mismatch)
  }
}

function rowsSentence(mismatch: RowsMismatch): string {
  const { what, log, firstId, lastId, sealed, found } = mismatch
  const where = `${tableOf(log)}, ids ${firstId} to ${lastId}, sealed by ${entryOf(mismatch)}`
  if (what === 'rows_changed')
    return `${where}: ${sealed === 1 ? 'the row' : `at least one of ${grouped(sealed)} rows`} was changed`
  if (what === 'rows_missing')
    return `${where}: ${grouped(sealed - found)} of ${plural(sealed, 'row')} ${isAre(sealed - found)} missing`
  return `${where}: ${plural(found - sealed, 'row was', 'rows were')} inserted`
}

const entryOf = ({ sequence, at }: { readonly sequence: number; readonly at: number }) =>
  `entry ${sequence} of ${toIso(at)}`

const tableOf = (log: string) => `${logWord[log] ?? log} (table ${log})`

const findingsOf = ({ count, fingerprint }: FindingsMismatch) =>
  `${plural(count, 'finding')} (${fingerprint}${count === 1 ? '' : ' and others'})`

const isAre = (count: number) => (count === 1 ? 'is' : 'are')

/** Object for JSON output. */
export function verificationJson({ head, firstAt, mismatches, heads, name: _, ...one }: NamedVerification): object {
  return {
    ...one,
    firstAt: firstAt === null ? null : toIso(firstAt),
    head: headJson(head),
    foundHeads: heads.map(headJson),
    mismatches: mismatches.map(mismatchJson),
  }
}

const times: ReadonlySet<string> = new Set(['at', 'firstAt', 'sealedBefore'])

function mismatchJson(mismatch: ChainMismatch): object {
  const entries = Object.entries(mismatch).map(([name, value]) => [
    name,
    times.has(name) ? toIso(Number(value)) : value,
  ])
  return Object.fromEntries(entries)
}

function headJson(head: ChainHead | null): object | null {
  return head && { ...head, at: toIso(head.at) }
}
