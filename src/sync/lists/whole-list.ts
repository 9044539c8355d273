import type { Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import { isGuid } from '../../model/guid.ts'
import type { Emptiness } from '../../model/holds.ts'
import { idOf, type Reading } from '../../model/reading.ts'
import type { Contradictions, ResourceDefinition, WholeResource } from '../../model/resource.ts'
import { isoMs } from '../../model/time.ts'
import { resources } from '../../resources/index.ts'
import type { MirrorRecord, RecordReader } from '../../store/records/query.ts'
import { identifyingLists } from '../context.ts'
import { commitPage, confirmList } from '../pages/commit-page.ts'
import { idTextsOn } from '../pages/page-rules.ts'
import { fetchPage, type Run } from '../run.ts'
import { type Suspicion, suspectEmpty } from './suspect-empty.ts'

/** Reads a list that comes in one answer and removes absent records with it (docs/internals/api.md#empty-lists). */
export async function readWhole(run: Run, definition: WholeResource): Promise<void> {
  run.mode = 'full'
  const { context, tenantId, state } = run
  const { store, clock } = context
  const startedAt = clock.now()
  const since = clock.monotonic()
  run.dataAsOf = startedAt
  const fetched = await fetchPage(run, {})
  const accepted = await refuseContradiction(run, definition, fetched)
  const durationMs = Math.round(clock.monotonic() - since)
  const whole = { startedAt, durationMs, serverTime: fetched.meta.serverTime }
  if (!(await confirmList(run, fetched, whole))) {
    const isFirst = state.completeStartedAt === null && (await identifyingLists(context, tenantId)).length === 0
    // The later of two equal answers: its id and time show that a cache repeats it to the next process.
    const read = isFirst ? fetched : await readAgain(run, definition, fetched)
    await commitPage(run, read, { whole: { ...whole, serverTime: read.meta.serverTime } })
  }
  await store.liftHold(tenantId, definition.name, 'suspect_empty')
  // An accepted empty or grantless list stays accepted until the answer has such records again. Other acceptances end
  // once the answer is written.
  const stays =
    (state.emptyAccepted === 'list' && fetched.items.length === 0) ||
    (state.emptyAccepted === 'no-grants' && accepted === 'no-grants')
  if (state.emptyAccepted !== null && !stays) await store.noteSync(tenantId, definition.name, { emptyAccepted: null })
  await run.fullSyncCompleted()
}

/** An answer that differs from the mirror is believed if, after a proof of the identity, a second one is equal. */
async function readAgain(run: Run, definition: WholeResource, fetched: Fetched): Promise<Fetched> {
  if (run.guard.passing) return fetched
  await run.guard.prove(run)
  const second = await fetchPage(run, {})
  const differing = firstDifference(fetched, second, definition)
  if (differing !== undefined) throw contradictoryAnswers(differing, definition)
  return second
}

/** @returns an accepted contradiction; null without one. @throws SyncError, after raising a hold, for another one. */
async function refuseContradiction(run: Run, definition: WholeResource, { items }: Fetched): Promise<Emptiness | null> {
  const found = await contradictionOf(run, definition, items)
  if (found === null || found.emptiness === run.state.emptyAccepted) return found?.emptiness ?? null
  throw await suspectEmpty(run, found)
}

interface Beside {
  readonly definition: WholeResource
  readonly rules: Contradictions
  readonly before: readonly MirrorRecord[]
  readonly items: readonly Reading[]
}

/**
 * Null unless the list is empty although others refer to it, has none of several known records, grants nothing, or lacks
 * tenantwatch's permission.
 */
async function contradictionOf(
  { context, tenantId, guard }: Run,
  definition: WholeResource,
  items: readonly Reading[],
): Promise<Suspicion | null> {
  const rules = definition.contradictedBy
  if (rules === undefined) return null
  const { settings, store } = context
  const records = store.records(tenantId)
  if (items.length === 0) return emptyList(records, definition, rules)
  const before: MirrorRecord[] = []
  for await (const batch of records.select(definition.name)) before.push(...batch)
  const beside = { definition, rules, before, items }
  // An accepted tenant has others.
  const isOther = guard.tenant.changeAccepted === null && hasNoneOf(beside)
  const message = `The list has none of the ${before.length} known ${definition.nouns[1]}`
  return (
    noGrants(beside) ??
    ownRecord(beside, await ownName(records, settings.ownClientId)) ??
    (isOther ? { emptiness: 'replaced', message } : null)
  )
}

async function emptyList(
  records: RecordReader,
  { nouns: [one, many] }: WholeResource,
  { namedBy }: Contradictions,
): Promise<Suspicion | null> {
  for (const [resource, field] of namedBy) {
    let count = 0
    for await (const batch of records.select(resource))
      count += batch.filter(({ fields }) => Reflect.get(fields, field) !== null).length
    const others = resources.find(({ name }) => name === resource)?.nouns[1] ?? resource
    if (count > 0) {
      return {
        emptiness: 'list',
        message: `The list of ${many} is empty although ${count} ${others} carry a ${one} name`,
      }
    }
  }
  return null
}

/** True for another tenant's list: no tenant replaces all of several at once. */
function hasNoneOf({ definition, before, items }: Beside): boolean {
  const known = new Set(before.map(({ key }) => key))
  return known.size > 1 && !idTextsOn({ items }, definition).some((id) => known.has(id))
}

function noGrants({ definition, rules, before, items }: Beside): Suspicion | null {
  const readable = items.flatMap((item) => (item.ok ? [item.record] : []))
  if (readable.length === 0 || readable.some((record) => codesOf(record, rules).length > 0)) return null
  const count = before.filter(({ fields }) => codesOf(fields, rules).length > 0).length
  const { nouns, permission } = definition
  const message =
    count > 0
      ? `No ${nouns[0]} grants a permission any more, ${count} did before`
      : `No ${nouns[0]} grants a permission, not even ${permission}, by which the list of ${nouns[1]} was read`
  return { emptiness: 'no-grants', message, count: count || readable.length }
}

function ownRecord({ definition, rules, before, items }: Beside, name: string | null): Suspicion | null {
  const { permission, nouns } = definition
  const idField = definition.idField ?? ''
  const grants = (record: object) => codesOf(record, rules).includes(permission)
  const lost = before.filter(({ fields }) => {
    if (name === null || fields[rules.name] !== name || !grants(fields)) return false
    const now = items.find((item) => item.ok && Reflect.get(item.record, idField) === fields[idField])
    return now?.ok === true && !grants(now.record)
  })
  // Several roles may share the name, so that the client may have one that still grants the permission.
  const granted = items.some((item) => item.ok && Reflect.get(item.record, rules.name) === name && grants(item.record))
  if (lost.length === 0 || granted) return null
  const message = `The ${nouns[0]} of ownClientId lacks ${permission}, by which the list of ${nouns[1]} was read`
  return { emptiness: 'own-role', message, count: lost.length }
}

async function ownName(records: RecordReader, ownClientId: string | null): Promise<string | null> {
  for (const resource of resources as readonly ResourceDefinition[]) {
    if (ownClientId === null || resource.kind !== 'pagedList' || resource.self === null) continue
    const [record] = await records.byKeys(resource.name, [ownClientId])
    const name = record === undefined ? null : Reflect.get(record.fields, resource.self.role)
    return typeof name === 'string' ? name : null
  }
  return null
}

function codesOf(record: object, { grants: [list, code] }: Contradictions): readonly unknown[] {
  const granted: unknown = Reflect.get(record, list)
  if (!Array.isArray(granted)) return []
  return granted.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && code in one ? [Reflect.get(one, code)] : [],
  )
}

type Items = Pick<Fetched, 'items'>

/** A record that only one of the answers has with these values; undefined if both have the same ones, in any order. */
function firstDifference(one: Items, other: Items, { fields }: ResourceDefinition): Reading | undefined {
  // Without unspecified fields and date notation, which may vary.
  const comparable = (key: string, value: unknown) => {
    if (Array.isArray(value)) return value.map((member) => JSON.stringify(member)).sort()
    return fields[key]?.kind === 'date' ? (isoMs(value) ?? value) : value
  }
  const textOf = (item: Reading) => (item.ok ? JSON.stringify(item.record, comparable) : `${item.id} ${item.problem}`)
  const byText = ({ items }: Items) => new Map(items.map((item) => [textOf(item), item]))
  const [first, second] = [byText(one), byText(other)]
  const alone = [...first].find(([text]) => !second.has(text)) ?? [...second].find(([text]) => !first.has(text))
  return alone?.[1]
}

/** Names the record without values. */
function contradictoryAnswers(item: Reading, { name, idField, nouns: [one] }: ResourceDefinition): SyncError {
  const id = idOf(item, idField)
  // Any other text may be a name.
  const isShown = typeof id === 'number' || (id !== null && isGuid(id))
  const record = isShown ? `${one} ${id}` : idField === null ? one : `one ${one} without a valid id`
  return new SyncError('contradictory', `Two answers of ${name} differ in ${record}`, {
    hint: 'Records may have changed between the two answers: then the next run reads them. If it happens again and again, servers behind the address have different data; checks become unknown by age',
  })
}
