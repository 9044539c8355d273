import { expect, it } from 'vitest'
import { digestOf, eventAppender, hashOf, type NewEvent, type StoredEvent } from '../../src/store/event-store.ts'
import { testDb } from '../support/test-database.ts'

const at = Date.parse('2026-03-01T12:00:00Z')
const event = (subject: string, more: Partial<NewEvent> = {}): NewEvent => ({
  kind: 'result',
  subject,
  at,
  data: { status: 'pass' },
  ...more,
})

const columns = `id, at, server_at as "serverAt", kind, subject, data, request_id as "requestId", digest, hash`

function opened() {
  const db = testDb()
  const append = eventAppender(db)
  return {
    db,
    append: (tenantId: number, events: readonly NewEvent[]) => db.write((tx) => append(tx, tenantId, events)),
    appendWith: append,
    events: (tenantId: number) =>
      db.read((tx) => tx<StoredEvent>(`select ${columns} from events where tenant_id = ? order by id`, [tenantId])),
    chain: (tenantId: number) =>
      db.read((tx) => tx('select last_id as "lastId", hash from event_chains where tenant_id = ?', [tenantId])),
  }
}

it('chains events in the order given, with the end of the chain beside them', async () => {
  const { append, events, chain } = opened()
  await append(7, [event('b'), event('a', { requestId: 'r', serverAt: at + 1.4, at: at + 0.4 })])
  await append(7, [event('c')])
  await append(8, [event('d')])
  const found = await events(7)
  expect(found.map(({ subject }) => subject)).toEqual(['b', 'a', 'c'])
  expect(found[1]).toMatchObject({ at, serverAt: at + 1, kind: 'result', data: '{"status":"pass"}', requestId: 'r' })
  let last = ''
  for (const one of found) {
    expect(one.digest).toBe(digestOf(7, one))
    last = hashOf(last, one.digest)
    expect(one.hash).toBe(last)
  }
  expect(await chain(7)).toEqual([{ lastId: found[2]?.id, hash: last }])
  expect((await chain(8))[0]).not.toMatchObject({ hash: last })
})

it('stores any text so that its digest can be computed again', async () => {
  const { append, events } = opened()
  const odd = ['\0', 'a\0b', '\u001a', '\ud800', '\u{10ffff}', `'"\\`, '']
  await append(
    1,
    odd.map((text) => event(text, { data: { text, [text]: 1 }, requestId: text })),
  )
  const found = await events(1)
  expect(found.map((one) => digestOf(1, one))).toEqual(found.map(({ digest }) => digest))
  expect(found.map(({ subject }) => subject)).toEqual(odd.map((text) => text.toWellFormed()))
  expect(found.map(({ data }) => JSON.parse(String(data)).text)).toEqual(odd)
})

it('appends nothing of a transaction that fails', async () => {
  const { append, appendWith, db, events, chain } = opened()
  await append(1, [event('a')])
  const before = [await events(1), await chain(1)]
  const failing = db.write(async (tx) => {
    await appendWith(tx, 1, [event('b')])
    await appendWith(tx, 1, [event('c')])
    throw new Error('killed')
  })
  await expect(failing).rejects.toThrow('killed')
  expect([await events(1), await chain(1)]).toEqual(before)
  await append(1, [])
  expect(await events(1)).toEqual(before[0])
})

it('keeps one chain a tenant while several write at once', async () => {
  const { append, events } = opened()
  await Promise.all(Array.from({ length: 5 }, (_, i) => append(1, [event(`${i}`), event(`${i}'`)])))
  const found = await events(1)
  let last = ''
  for (const { digest, hash } of found) {
    last = hashOf(last, digest)
    expect(hash).toBe(last)
  }
  expect(found).toHaveLength(10)
})
