import { toIso } from '../model/dates.ts'
import { grouped, plural } from '../model/text/numbers.ts'
import type {
  ChainHead,
  ChainMismatch,
  ChainVerification,
  EventMismatch,
  FoundHead,
  StateMismatch,
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

const ofEvents: Readonly<Record<EventMismatch['what'], string>> = {
  event_changed: 'was changed',
  chain_broken: 'does not follow the event before it: events in between are missing, or one was inserted or moved',
  erased_early: 'is empty although no retention reached it',
  configuration_missing: 'names a configuration that the chain of configurations lacks: that was cut off or recomputed',
}

const ofStates: Readonly<Record<StateMismatch['what'], readonly [noun: string, text: string]>> = {
  findings_missing: ['finding', 'missing from the table findings, although there are events'],
  findings_inserted: ['finding', 'in the table findings without an event'],
  findings_changed: ['finding', 'not as its last event in entity, severity, state, message, evidence or age'],
  results_changed: ['check result', 'in the table check_states not as its last event'],
}

function sentenceOf(mismatch: ChainMismatch): string {
  switch (mismatch.what) {
    case 'event_changed':
    case 'chain_broken':
    case 'erased_early':
    case 'configuration_missing': {
      const { what, kind, subject } = mismatch
      return `${eventOf(mismatch)} (${subject === '' ? kind : `${kind} ${subject}`}) ${ofEvents[what]}`
    }
    case 'end_differs':
      return mismatch.at === null
        ? `the events are missing, the last of which was event ${mismatch.id}`
        : `the chain does not end with event ${mismatch.id}, which was the last one: events were removed or inserted`
    case 'tenant_missing': {
      const { tenantId, events, at } = mismatch
      return `${plural(events, 'event')}, the last of ${toIso(at)}, of a tenant (id ${tenantId}) that the table tenants lacks: its row was removed or its id changed`
    }
    default: {
      const { what, count, first } = mismatch
      const [noun, text] = ofStates[what]
      return `${plural(count, noun)} (${first}${count === 1 ? '' : ' and others'}) ${text}`
    }
  }
}

const eventOf = ({ id, at }: { readonly id: number; readonly at: number }) => `event ${id} of ${toIso(at)}`

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
