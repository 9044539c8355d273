import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import type { TestEngine } from '../support/engine.ts'
import { startTime } from '../support/fake-clock.ts'
import { accept, ending, heldBack, live, theHold } from '../support/sync-queries.ts'
import { confirmations, full, hide, ids, tenant } from './support/confirmed-documents.ts'

/** A document without the `updatedAt` that it had is believed when a second full sync shows it so. */
async function takeBack(test: TestEngine): Promise<void> {
  for (let n = 0; n < 2; n++) await full(test)
}

it('a document that was never updated is asked for by its creation', async () => {
  const test = await tenant({ readings: { updatedAfterNulls: 'createdAt' } })
  const [gone = '', other = ''] = ids(test)
  for (const id of [gone, other]) test.sim.primary.updateDocument(id, { updatedAt: null })
  await takeBack(test)
  test.sim.primary.removeDocument(gone)
  await full(test)
  expect(ending(await full(test))).toBe('success')
  expect(live(test, 'documents')).toBe(29)
})

it.each([2, 30])(
  'where the server leaves out records that were never updated (%i), each removal of one waits for an operator',
  async (count) => {
    const test = await tenant({ readings: { updatedAfterNulls: 'exclude' } })
    const all = ids(test)
    const [gone = ''] = all
    for (const id of all.slice(0, count)) test.sim.primary.updateDocument(id, { updatedAt: null })
    await takeBack(test)
    test.sim.primary.removeDocument(gone)
    for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('success')
    for (let n = 0; n < 4; n++) expect(ending(await full(test))).toBe('shrink_held')
    expect(live(test, 'documents')).toBe(30)
    expect((await theHold(test)).message).toMatch(
      /^1 of 30 documents are missing from two full syncs, but .* cannot confirm it: its answer contains none of the documents that were never updated$/,
    )
    await accept(test, await theHold(test))
    expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
    expect(await heldBack(test)).toEqual([])
  },
)

it('a document that was updated is removed by an answer that leaves out those that were never updated', async () => {
  const test = await tenant({ readings: { updatedAfterNulls: 'exclude' } })
  const [never = '', other = '', updated = ''] = ids(test)
  for (const id of [never, other]) test.sim.primary.updateDocument(id, { updatedAt: null })
  await takeBack(test)
  hide(test, [never], 'list')
  test.sim.primary.removeDocument(updated)
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  expect(await full(test)).toMatchObject({ reason: 'shrink_held', counts: { removed: 0 } })
  expect(await heldBack(test)).toEqual(['documents shrink_held 1'])
  expect(live(test, 'documents')).toBe(29)
})

it('a document that was never updated is asked for together with another one of those', async () => {
  const test = await tenant({ readings: { updatedAfterNulls: 'createdAt' } })
  const [gone = '', other = '', oldest = ''] = ids(test)
  const created = [500, 600, 700].map((hours) => startTime - hours * hourMs)
  for (const [n, id] of [gone, other, oldest].entries())
    test.sim.primary.updateDocument(id, { createdAt: Number(created[n]), updatedAt: null })
  await takeBack(test)
  test.sim.primary.removeDocument(gone)
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  const since = Date.parse(String(confirmations(test)[0]?.query['updatedAfter']))
  expect(Number(created[1]) - since).toBe(1000)
})

it('the only record that was never updated is not removed: the server may leave such out', async () => {
  const test = await tenant({ readings: { updatedAfterNulls: 'exclude' } })
  const [skipped = ''] = ids(test)
  test.sim.primary.updateDocument(skipped, { updatedAt: null })
  await takeBack(test)
  hide(test, [skipped], 'list')
  for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('success')
  for (let n = 0; n < 4; n++) expect(ending(await full(test))).toBe('shrink_held')
  expect(live(test, 'documents')).toBe(30)
  test.sim.faults.clear()
  expect(ending(await full(test))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('a server that returns some records that were never updated, but not all, confirms no removal of one', async () => {
  const test = await tenant({ readings: { updatedAfterNulls: 'createdAt' } })
  const [gone = '', shown = '', leftOut = ''] = ids(test)
  for (const id of [gone, shown, leftOut]) test.sim.primary.updateDocument(id, { updatedAt: null })
  await takeBack(test)
  hide(test, [gone], 'all')
  hide(test, [leftOut], 'time')
  for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('success')
  for (let n = 0; n < 4; n++) expect(ending(await full(test))).toBe('shrink_held')
  expect(live(test, 'documents')).toBe(30)
})
