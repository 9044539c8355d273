import { storableField } from '../api/decode/withheld.ts'
import type { Fetched, Oddity } from '../api/reader.ts'
import { knownValues, type TenantSettings } from '../config/settings.ts'
import { type ContractEventKind, contractEventMeanings } from '../model/reading.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { withoutEmails } from '../model/text/redact.ts'
import { isKnownWord } from '../model/text/words.ts'
import { hourMs } from '../model/time.ts'
import type { TenantContext } from './context.ts'

/** Limits memory when a tenant sends arbitrary field names. */
const mostEvents = 2000

const mostNamed = 10

/** By kind, each field with what the log names, such as `state ("Locked", users.knownStates)`. */
export type ContractEvents = Map<ContractEventKind, Map<string, string>>

interface ObservedRun {
  readonly context: Pick<TenantContext, 'clock' | 'log' | 'observer' | 'settings'>
  readonly definition: ResourceDefinition
  readonly events: ContractEvents
}

/** Counts a deviation of the tenant's API from its specification, each field of a kind once a run. */
export function noteEvent(run: ObservedRun, kind: ContractEventKind, field: string, detail?: string): void {
  const fields = run.events.get(kind) ?? new Map<string, string>()
  const total = [...run.events.values()].reduce((sum, { size }) => sum + size, 0)
  if (fields.has(field) || total >= mostEvents) return
  run.events.set(kind, fields.set(field, detail === undefined ? field : `${field} (${detail})`))
  const { observer, settings } = run.context
  observer.contractEvent(settings.name, run.definition.name, kind)
}

/** When each deviation of a resource was logged, by the monotonic clock: known ones are logged again after an hour. */
export type LoggedEvents = Map<ResourceName, ReadonlyMap<string, number>>

/** Logs the deviations of a run: as a warning where one of them was not logged within the hour. */
export function logEvents({ events, context, definition }: ObservedRun, logged: LoggedEvents): void {
  if (events.size === 0) return
  const isAllNamed = [...events.values()].every(({ size }) => size <= mostNamed)
  const counts = Object.fromEntries([...events].map(([kind, { size }]) => [kind, size]))
  const fields = Object.fromEntries([...events].map(([kind, names]) => [kind, [...names.values()].slice(0, mostNamed)]))
  const at = context.clock.monotonic()
  const recent = [...(logged.get(definition.name) ?? [])].filter(([, loggedAt]) => at - loggedAt < hourMs)
  const known = new Map(recent.slice(-mostEvents))
  const found = [...events].flatMap(([kind, names]) => [...names.values()].map((name) => `${kind} ${name}`))
  const isKnown = found.every((one) => known.has(one))
  if (!isKnown) logged.set(definition.name, new Map([...known, ...found.map((one) => [one, at] as const)]))
  const meanings = [...events.keys()].map((kind) => contractEventMeanings[kind])
  const hint = [...meanings, 'See docs/alerts.md#tenantwatchcontractchanged'].join('. ')
  context.log[isKnown ? 'debug' : 'warn'](
    { resource: definition.name, ...(isAllNamed ? {} : { counts }), fields, hint },
    "The tenant's API deviates from its specification",
  )
}

const mostOfValue = 60

interface Read {
  readonly definition: ResourceDefinition
  readonly context: Pick<TenantContext, 'settings'>
}

/** Deviations of the records of a page: those that the decoder found, and values that the specification does not name. */
export function odditiesOf({ definition, context }: Read, { items }: Pick<Fetched, 'items'>): readonly Oddity[] {
  const listed = listedFields(definition, context.settings)
  const unstated = definition.kind === 'feed' ? definition.lookUp?.states : undefined
  const found = new Map<string, Oddity>()
  const note = (oddity: Oddity) => found.set(`${oddity.kind} ${oddity.field}`, oddity)
  for (const item of items) {
    if (!item.ok) continue
    for (const oddity of item.oddities) note(oddity)
    for (const { field, known, setting } of listed) {
      const value = item.record[field]
      if (typeof value === 'string' && !isKnownWord(known, value))
        note({ kind: 'unknown_value', field, detail: `${shortened(storableField(field, value))}, ${setting}` })
    }
    // A list has it as null, whatever the record.
    if (unstated !== undefined && item.record[unstated] !== null) note({ kind: 'unknown_value', field: unstated })
  }
  return [...found.values()]
}

const shortened = (value: unknown) => JSON.stringify(withoutEmails(String(value)).slice(0, mostOfValue))

function listedFields({ fields }: ResourceDefinition, settings: TenantSettings) {
  return Object.entries(fields).flatMap(([field, { kind, ...rules }]) => {
    if (kind !== 'text' || !('known' in rules) || rules.known === undefined || !('setting' in rules.known)) return []
    return [{ field, known: knownValues(settings, rules.known), setting: rules.known.setting }]
  })
}

export function noteOddities(run: ObservedRun, oddities: readonly Oddity[]): void {
  for (const { kind, field, detail } of oddities) noteEvent(run, kind, field, detail)
}
