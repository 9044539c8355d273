import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import type { Envelope } from '../../src/simulator/server/envelope.ts'
import { testEngine } from '../support/engine.ts'
import { startTime } from '../support/fake-clock.ts'
import { accept, ending, first, heldBack, live, theHold } from '../support/sync-queries.ts'
import { confirmations, full, hide, ids, path, tenant, withOneUpdated } from './support/confirmed-documents.ts'

it('a document that two full syncs lack is removed after one request by its time, read to its end', async () => {
  const test = await tenant({ readings: { defaultPageSize: { documents: 10 } } })
  const all = ids(test)
  for (const gone of [all[4], all[17]]) test.sim.primary.removeDocument(String(gone))
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(confirmations(test)).toEqual([])
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 2 } })
  const [asked, ...more] = confirmations(test)
  expect(more).toEqual([])
  const at = Date.parse(String(asked?.query['updatedAfter']))
  expect(at).toBeLessThanOrEqual(startTime - 95 * hourMs)
  expect(at).toBeGreaterThan(startTime - 96 * hourMs)
  expect(asked?.query).not.toHaveProperty('cursor')
  expect(live(test, 'documents')).toBe(28)
  expect(test.observed.events).toEqual([])
  expect(test.sim.violations).toEqual([])
})

it('a document that the request by time returns stays, as a skipped row', async () => {
  const test = await tenant()
  const [, , skipped = ''] = ids(test)
  hide(test, [skipped], 'list')
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(test.observed.events).toEqual(['documents skipped_row'])
  expect(test.query('select * from documents where absent_full_syncs > 0 or removed_at is not null')).toEqual([])
})

it.each([500, 429, 403])(
  'an unfinished request (%i on its second page) removes nothing, a later one does',
  async (status) => {
    const test = await tenant({ readings: { defaultPageSize: { documents: 10 } } })
    test.sim.primary.removeDocument(ids(test)[2] ?? '')
    await full(test)
    let byTime = false
    const end = test.sim.onRequest(({ path: asked, query }) => {
      if (asked !== path) return
      if (byTime) test.sim.faults.add({ path, times: 9, effect: { kind: 'status', status } })
      byTime ||= 'updatedAfter' in query
    })
    expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
    expect(live(test, 'documents')).toBe(30)
    expect(await heldBack(test)).toEqual([])
    end()
    test.sim.faults.clear()
    test.clock.advance(hourMs)
    expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  },
)

it('a tenant that refuses updatedAfter keeps the document until an operator accepts', async () => {
  const test = await tenant()
  test.sim.primary.removeDocument(ids(test)[2] ?? '')
  test.sim.onRequest(({ query }) => {
    if ('updatedAfter' in query) test.sim.faults.add({ path, times: 1, effect: { kind: 'status', status: 400 } })
  })
  await full(test)
  for (let n = 0; n < 3; n++) expect(ending(await full(test))).toBe('shrink_held')
  expect(await heldBack(test)).toEqual(['documents shrink_held 1'])
  expect((await theHold(test)).message).toContain('updatedAfter cannot confirm')
  expect(live(test, 'documents')).toBe(30)
  await accept(test, await theHold(test))
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  expect(await heldBack(test)).toEqual([])
})

it.each(['ignores it', 'answers with an empty page', 'leaves out others, too'] as const)(
  'a request by time confirms nothing where the server %s',
  async (how) => {
    const test = await tenant()
    const all = ids(test)
    // The document exists: neither list nor request by time shows it.
    const hidden = all[12] ?? ''
    hide(test, [hidden], 'list')
    hide(test, how === 'leaves out others, too' ? [hidden, all[20] ?? ''] : [hidden], 'time')
    test.sim.onRequest((request) => {
      if (!('updatedAfter' in request.query)) return
      if (how === 'answers with an empty page') test.sim.faults.add({ path, times: 1, effect: { kind: 'empty' } })
      if (how === 'ignores it')
        test.sim.faults.add({ path, times: 1, effect: { kind: 'transform', transform: everything } })
    })
    const everything = (envelope: Envelope) => ({ ...envelope, data: before })
    let before: unknown
    test.sim.faults.add({
      path,
      effect: {
        kind: 'transform',
        transform: (envelope) => {
          before ??= envelope.data
          return envelope
        },
      },
    })
    await full(test)
    // Records may move under one request, so one incomplete answer is no reason to hold yet.
    expect(ending(await full(test))).toBe(how === 'ignores it' ? 'shrink_held' : 'success')
    expect(live(test, 'documents')).toBe(30)
    for (let n = 0; n < 3; n++) expect(ending(await full(test))).toBe('shrink_held')
    expect(live(test, 'documents')).toBe(30)
    test.sim.faults.clear()
    expect(ending(await full(test))).toBe('success')
    expect(await heldBack(test)).toEqual([])
    expect(live(test, 'documents')).toBe(30)
  },
)

it('the only document that was ever updated is asked for together with one that was never updated', async () => {
  const test = await tenant()
  const [gone = ''] = await withOneUpdated(test)
  test.sim.primary.removeDocument(gone)
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  expect(confirmations(test)).toHaveLength(1)
  const at = Date.parse(String(confirmations(test)[0]?.query['updatedAfter']))
  expect(at).toBe(startTime - 999 * hourMs - 1000)
})

it('an answer without any document confirms no removal of the only one that was ever updated', async () => {
  const test = await tenant()
  const all = await withOneUpdated(test)
  hide(test, all.slice(0, 1), 'list')
  hide(test, all, 'time')
  for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('success')
  for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('shrink_held')
  expect((await theHold(test)).message).toMatch(/: its answer contains none of the documents that were never updated$/)
  expect(live(test, 'documents')).toBe(30)
  test.sim.faults.clear()
  expect(ending(await full(test))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('a quarantined document is no control: the request goes back to one that must be in the answer', async () => {
  const test = await tenant()
  const all = ids(test)
  const [gone = '', malformed = ''] = all.slice(-2)
  test.sim.primary.updateDocument(malformed, { raw: { createdAt: 'yesterday' } })
  test.sim.primary.removeDocument(gone)
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  const at = Date.parse(String(confirmations(test)[0]?.query['updatedAfter']))
  expect(at).toBe(startTime - (99 - all.length + 3) * hourMs - 1000)
})

it('the newest document is asked for together with one that must be there', async () => {
  const test = await tenant()
  test.sim.primary.removeDocument(ids(test).at(-1) ?? '')
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  const at = Date.parse(String(confirmations(test)[0]?.query['updatedAfter']))
  expect(at).toBeLessThan(startTime - 71 * hourMs)
})

it('the last document of a tenant needs no other one in the answer, if it was updated', async () => {
  const test = await tenant({ sizes: { documents: 1 } })
  await test.run('users', 'full')
  test.sim.primary.removeDocuments(first(1))
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  expect(await heldBack(test)).toEqual([])
})

it('the only document of a tenant may be replaced, and removed', async () => {
  const test = await tenant({ sizes: { documents: 1 } })
  await test.run('users', 'full')
  const [old = ''] = ids(test)
  test.sim.primary.addDocument({ uploadStatus: 'Completed' })
  await test.run('documents', 'incremental')
  test.sim.primary.removeDocument(old)
  for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('success')
  expect(live(test, 'documents')).toBe(1)
  test.clock.advance(24 * hourMs)
  test.sim.primary.removeDocuments(first(1))
  for (let n = 0; n < 2; n++) expect(ending(await full(test))).toBe('success')
  expect(ending(await full(test))).toBe('shrink_held')
  await accept(test, await theHold(test))
  expect(ending(await full(test))).toBe('success')
  expect(live(test, 'documents')).toBe(0)
  expect(await heldBack(test)).toEqual([])
})

it('an announced page of documents or users that comes back empty removes nobody', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 30, users: 30 },
    readings: { defaultPageSize: { documents: 10, users: 10 } },
    settings: { userDetails: { perRun: 0 }, removals: { maxCount: 100, maxPercent: 100 } },
  })
  for (const resource of ['users', 'documents'] as const) {
    await test.run(resource, 'full')
    test.sim.faults.add({ path: `/api/public/${resource}`, page: 3, effect: { kind: 'empty' } })
    for (let n = 0; n < 4; n++) {
      test.clock.advance(hourMs)
      await test.run(resource, 'full')
    }
    expect(live(test, resource)).toBe(30)
  }
})

it('an answer to updatedAfter whose announced page comes back empty confirms no removal', async () => {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 12 },
    readings: { defaultPageSize: { documents: 10 } },
    settings: { userDetails: { perRun: 0 } },
  })
  for (const [n, fileId] of ids(test).entries()) {
    const updatedAt = startTime - (n < 10 ? 10 : 9) * hourMs
    test.sim.primary.updateDocument(fileId, { createdAt: startTime - 999 * hourMs, updatedAt })
  }
  await full(test)
  test.sim.faults.add({ path, page: 2, effect: { kind: 'empty' } })
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  expect(confirmations(test)).toHaveLength(1)
  expect(await full(test)).toMatchObject({ reason: 'shrink_held', counts: { removed: 0 } })
  expect(live(test, 'documents')).toBe(12)
})

it('a server that announces an empty page after exactly full ones confirms by an earlier time, whose pages end elsewhere', async () => {
  const readings = { defaultPageSize: { documents: 5 }, hasMoreWhenFull: true }
  const test = await tenant({ sizes: { documents: 21 }, readings })
  const all = ids(test)
  // Five records were updated since the removed one, which fill a page; with one more, another page has only that.
  test.sim.primary.removeDocument(String(all[15]))
  await full(test)
  expect(await full(test)).toMatchObject({ outcome: 'success', counts: { removed: 1 } })
  expect(confirmations(test)).toHaveLength(2)
  expect(await heldBack(test)).toEqual([])
})
