import type { Fetched, Item } from '../../api/reader.ts'
import { reasonOf, SyncError } from '../../model/errors.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import type { PageComparison } from '../../store/port.ts'
import { enabledResources } from '../context.ts'
import { endsRun, type Run } from '../run.ts'
import { differenceIn, writtenBy } from './answer-difference.ts'
import { idOf } from './page-rules.ts'

interface Confirmation {
  readonly careful: boolean
  /** True if nothing changed, so that only the answer must be confirmed. */
  readonly unchanged?: boolean
  /** True when the proof may be omitted because its lists cannot be read. */
  readonly optional: boolean
}

export type Need = 'nothing' | 'proof' | Confirmation

const roundsOfUnchanged = 2

/** @param what begins the message, such as `Two answers of`. */
export function contradiction(
  what: string,
  [one, other]: readonly [Pick<Fetched, 'items'>, Pick<Fetched, 'items'>],
  definition: ResourceDefinition,
): SyncError {
  const difference = differenceIn(one, other, definition)
  return new SyncError('protocol', `${what} ${definition.name} differ: ${difference}`, {
    hint: 'Records may have changed between the two answers: then the next run reads them. If it happens again and again, servers behind the address have different data; checks become unknown by age',
  })
}

/** Reads before each proof; equal numbers would let an alternating load balancer separate reads from proofs. */
const readsOfRound = [1, 2, 1, 3]

/** Decides which proof a page needs before its commit (docs/sync.md#tenant-identity). */
export function needOf(run: Run, { known, unknown, changes }: PageComparison, isAnnouncedEnd: boolean): Need {
  const { definition, guard, proven, state } = run
  if (definition.kind === 'whole') return 'nothing'
  // Another tenant does not know the cursor and may answer with an empty page.
  if (known + unknown.length === 0) return isAnnouncedEnd ? { careful: false, optional: true } : 'nothing'
  if (known === 0) {
    // A page without known clients is rare, and proofs of other lists depend on clients.
    if (state.completeStartedAt !== null) return { careful: definition.kind === 'pagedList', optional: false }
    return proven ? 'nothing' : 'proof'
  }
  if (definition.identifiedBy === 'guid') {
    run.proven = true
    return 'nothing'
  }
  // The page may still be another tenant's if all its records are invalid.
  if (unknown.length === 0 && !changes()) {
    return guard.contradicted.has(definition.name) ? { careful: false, optional: true, unchanged: true } : 'nothing'
  }
  if (guard.troubled) return { careful: false, optional: false }
  // If the page also has unknown users, the known ones may exist in both tenants.
  if (unknown.length > 0) return { careful: true, optional: true }
  return proven ? 'nothing' : { careful: false, optional: true }
}

export async function provePage(run: Run, fetched: Fetched, need: Need, again: () => Promise<Fetched>): Promise<void> {
  const { definition, guard, signal } = run
  if (need === 'nothing') return
  if (need === 'proof') await guard.prove(signal)
  else {
    const prove = need.optional ? () => proveIfPossible(run) : () => guard.prove(signal)
    const proven = { prove, rounds: guard.roundsOf(definition, need.careful) }
    const how = need.unchanged === true ? { prove: async () => {}, rounds: roundsOfUnchanged } : proven
    const other = await differingAnswer(run, fetched, again, how)
    if (other) throw contradiction('Two reads of one page of', [fetched, other], definition)
    if (need.unchanged === true) return
  }
  run.proven = true
}

export async function guidsCount({ context, tenantId }: Run): Promise<boolean> {
  for (const { name, identifiedBy } of enabledResources(context)) {
    if (identifiedBy === 'guid' && (await context.store.liveCount(tenantId, name)) > 0) return true
  }
  return false
}

/** Proves the identity before removals if the full sync read no known GUID. */
export async function proveEnd(run: Run): Promise<void> {
  const { context, definition, guard, signal, tenantId } = run
  if (definition.identifiedBy !== 'guid' || run.proven) return
  if ((await context.store.liveCount(tenantId, definition.name)) > 0) await guard.prove(signal)
  run.proven = true
}

async function proveIfPossible({ context, definition, guard, signal }: Run): Promise<void> {
  try {
    await guard.prove(signal, { denialPasses: true })
  } catch (error) {
    const reason = reasonOf(error)
    if (endsRun.has(reason)) throw error
    context.log.debug({ resource: definition.name, reason }, 'The identity of the tenant could not be proven again')
  }
}

/** Reads again, with a proof after each round (docs/sync.md#tenant-identity); the first differing answer, or null. */
export async function differingAnswer(
  run: Run,
  fetched: Fetched,
  again: () => Promise<Fetched>,
  { prove = () => run.guard.prove(run.signal), rounds = run.guard.roundsOf(run.definition) } = {},
): Promise<Fetched | null> {
  const { guard, definition } = run
  if (guard.passing) return null
  for (let round = 0; round < rounds; round++) {
    for (let read = 0; read < (readsOfRound[round % readsOfRound.length] ?? 1); read++) {
      const second = await again()
      const same = definition.kind === 'pagedList' ? await isUnknown(run, second) : isSame(fetched, second, definition)
      if (same) continue
      noteContradiction(run)
      return second
    }
    await prove()
  }
  return null
}

export function noteContradiction({ guard, definition }: Run): void {
  guard.noteTrouble()
  guard.contradicted.add(definition.name)
}

/** True if all ids are unknown. Nothing else is compared, because the order of API clients may vary between answers. */
async function isUnknown({ context, tenantId, definition }: Run, { items }: Fetched): Promise<boolean> {
  const ids = items.map((item) => idOf(item, definition.idField)).filter((id) => id !== null)
  return items.length > 0 && (await context.store.knownKeys(tenantId, definition.name, ids)) === 0
}

type Shown = Pick<Fetched, 'items' | 'hasMore'>

/** Compares pages regardless of order. A feed's page may grow, or shrink if its records are equal and more follow. */
export function isSame(one: Shown, other: Shown, definition: ResourceDefinition): boolean {
  const { kind } = definition
  const exactly = kind === 'whole'
  const [first, second] = [one.items, other.items]
  const written = writtenBy(definition)
  // The letter case of a GUID may vary between answers.
  const text = (item: Item) => {
    if (!item.ok) return `${item.id} ${item.problem}`
    return exactly ? written(item.record) : written(item.record).toLowerCase()
  }
  const contains = (all: readonly Item[], part: readonly Item[]) => {
    const shown = new Set(all.map(text))
    return part.every((item) => shown.has(text(item)))
  }
  if (exactly || first.length === 0) return first.length === second.length && contains(second, first)
  return contains(second, first) || (second.length > 0 && other.hasMore && contains(first, second))
}
