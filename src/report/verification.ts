import { toIso } from '../model/dates.ts'
import { grouped, plural } from '../model/text/numbers.ts'
import type {
  ChainHead,
  ChainMismatch,
  ChainVerification,
  EventMismatch,
  FindingsMismatch,
  FoundHead,
} from '../store/port.ts'

/** Verification of one tenant, or of the configuration of all. */
export interface NamedVerification extends ChainVerification {
  readonly name: string
}

export function verificationText(one: NamedVerification): readonly string[] {
  const { name, events, erased, firstAt, head, heads, mismatches } = one
  const begun = firstAt === null ? '' : ` since ${toIso(firstAt)}`
  const end = head === null ? '' : `; head ${head.hash} of ${toIso(head.at)}`
  return [
    `${name}: ${plural(events, 'event')}${begun}, ${grouped(erased)} erased by retention${end}`,
    ...heads.map((given) => `${name}: the given head ${given.hash} is ${eventOf(given)}; ${laterThan(given)}`),
    ...mismatches.map((mismatch) => `${name}: MISMATCH: ${sentenceOf(mismatch)}`),
  ]
}

function laterThan({ later }: FoundHead): string {
  return later === 0 ? 'it is the last one' : `${plural(later, 'event')} came after it`
}

function sentenceOf(mismatch: ChainMismatch): string {
  switch (mismatch.what) {
    case 'event_changed':
      return `${namedEvent(mismatch)} was changed`
    case 'chain_broken':
      return `${namedEvent(mismatch)} does not follow the event before it: events in between are missing, or one was inserted or moved`
    case 'erased_early':
      return `${namedEvent(mismatch)} is empty although no retention reached it`
    case 'end_differs':
      return mismatch.at === null
        ? `the events are missing, the last of which had the id ${mismatch.id}`
        : `the chain does not end with event ${mismatch.id}, which was the last one: events were removed or inserted`
    case 'configuration_missing':
      return `${eventOf(mismatch)} names a configuration that is not in the chain of configurations: that was cut off or recomputed`
    case 'findings_missing':
      return `${findingsOf(mismatch)} ${isAre(mismatch.count)} missing from the table findings although there are events of ${mismatch.count === 1 ? 'it' : 'them'}`
    case 'findings_inserted':
      return `${findingsOf(mismatch)} of the table findings ${mismatch.count === 1 ? 'has' : 'have'} no event`
    case 'findings_changed':
      return `${findingsOf(mismatch)} of the table findings ${mismatch.count === 1 ? 'differs' : 'differ'} from ${mismatch.count === 1 ? 'its' : 'their'} events in entity, severity, state, message, evidence or age`
    case 'lapses_missing':
      return `${plural(mismatch.count, 'finding')} (of waiver ${mismatch.waiver}${mismatch.count === 1 ? ') is' : ' and others) are'} not lapsed in the table waived_findings although the last event is that the waiver lapsed`
    case 'results_changed':
      return `${plural(mismatch.count, 'result')} of the table check_states (${mismatch.check}${mismatch.count === 1 ? ') differs' : ' and others) differ'} from the last event of the check`
    case 'tenant_missing': {
      const { tenantId, events, at } = mismatch
      return `${plural(events, 'event')}, the last of ${toIso(at)}, ${events === 1 ? 'belongs' : 'belong'} to a tenant (id ${tenantId}) that is missing from the table tenants: its row was removed or its id changed`
    }
    default:
      return mismatch satisfies never
  }
}

const eventOf = ({ id, at }: { readonly id: number; readonly at: number }) => `event ${id} of ${toIso(at)}`

const namedEvent = ({ kind, subject, ...event }: EventMismatch) =>
  `${eventOf(event)} (${kind}${subject === '' ? '' : ` ${subject}`})`

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

function mismatchJson(mismatch: ChainMismatch): object {
  return 'at' in mismatch && mismatch.at !== null ? { ...mismatch, at: toIso(mismatch.at) } : mismatch
}

function headJson(head: ChainHead | null): object | null {
  return head && { ...head, at: toIso(head.at) }
}
