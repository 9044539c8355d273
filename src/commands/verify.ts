import { UsageError } from '../model/errors.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { escapeInJson, printable } from '../model/text/printable.ts'
import { grouped, plural } from '../model/text/words.ts'
import { toIso } from '../model/time.ts'
import { terminalOf, wrapLine } from '../report/terminal.ts'
import {
  type ChainMismatch,
  type ChainVerification,
  type EventMismatch,
  type FoundHead,
  type StateMismatch,
  sharedChain,
} from '../store/port.ts'
import { addCommand } from './command.ts'
import { openMirror } from './support/configuration.ts'
import { formatOption, oneOf, repeatable, tenantOption } from './support/options.ts'

export const addVerify = addCommand<{
  readonly tenant?: string
  readonly head: readonly string[]
  readonly format: string
}>({
  name: 'verify',
  summary: 'verify the stored history against its audit chain',
  options: [
    tenantOption(),
    repeatable('--head <hash>', 'hash of an earlier report that the chain must contain'),
    formatOption(['text', 'json']),
  ],
  help: `Works beside a running engine and only reads. Recomputes the digests of all events
and the hashes that chain them; compares findings and check results with their last
events. A program that can write to the database can also recompute the whole chain:
only a hash that was kept elsewhere, such as in an earlier report, shows that. Pass
it with --head.

Exit: 0 all agree; 2 usage or configuration; 3 an event, a state or a head differs.

Examples:
  tenantwatch verify
  tenantwatch verify --tenant acme --head HASH`,
  async run({ io, command, options }) {
    const heads = options.head.map(readHash)
    await using opened = await openMirror(io, command)
    const { mirror } = opened
    const tenants = await mirror.tenants()
    const only = oneOf(
      'tenant',
      tenants.map(({ name }) => name),
      options.tenant,
    )
    // The results of every tenant depend on the configuration.
    const configuration = { name: 'configuration of all tenants', ...(await mirror.verifyChain(sharedChain, heads)) }
    const verified: NamedVerification[] = []
    for (const { id, name } of tenants) {
      io.stop.throwIfAborted()
      if (only === undefined || name === only) verified.push({ name, ...(await mirror.verifyChain(id, heads)) })
    }
    const all = [configuration, ...verified]
    const unknownHeads = heads.filter((hash) => !all.some((one) => one.heads.some((found) => found.hash === hash)))
    const agrees = unknownHeads.length === 0 && all.every(({ mismatches }) => mismatches.length === 0)
    if (options.format === 'json') {
      const ofTenants = verified.map((one) => ({ tenant: one.name, ...verificationJson(one) }))
      const made = { configuration: verificationJson(configuration), tenants: ofTenants, unknownHeads }
      print(io, escapeInJson(JSON.stringify(made, withIsoTimes, 2)))
    } else {
      const terminal = terminalOf(io)
      for (const line of all.flatMap(verificationText)) print(io, wrapLine(printable(line), terminal))
      for (const hash of unknownHeads) print(io, wrapLine(unknownHead(hash, only), terminal))
      const isChained = all.every(({ events }) => events > 0)
      if (agrees) print(io, isChained ? 'No mismatch: every event agrees with its hash chain.' : withoutEvents)
    }
    return agrees ? exitCodes.ok : exitCodes.failed
  },
})

const withoutEvents = 'No mismatch, but a chain without events proves nothing.'

function unknownHead(hash: string, only: string | undefined): string {
  const where = only === undefined ? 'the chain of any tenant' : `the chain of ${only}`
  return `MISMATCH: the head ${hash} is not in ${where}: the chain was cut off or recomputed since, the head is of another database, or this is another hash of the report, such as that of the configuration`
}

/** The UsageError does not repeat the given text, which may be a secret. */
function readHash(text: string): string {
  const hash = text.trim().toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hash)) return hash
  throw new UsageError('Invalid value of --head: expected the 64 hexadecimal digits of a hash, as a report shows it')
}

/** Verification of one tenant, or of the configuration of all. */
interface NamedVerification extends ChainVerification {
  readonly name: string
}

function verificationText(one: NamedVerification): readonly string[] {
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
  results_missing: ['check result', 'missing from the table check_states, although there are events'],
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
function verificationJson({ head, firstAt, mismatches, heads: foundHeads, name: _, ...one }: NamedVerification) {
  return { ...one, firstAt, head, foundHeads, mismatches }
}

function withIsoTimes(name: string, value: unknown): unknown {
  return (name === 'at' || name === 'firstAt') && typeof value === 'number' ? toIso(value) : value
}
