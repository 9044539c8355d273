import { expect, it } from 'vitest'
import { appendEvents, digestOf, hashOf, type NewEvent, type StoredEvent } from '../../src/store/event-store.ts'
import { testDb } from '../support/test-database.ts'

const at = Date.parse('2026-03-01T12:00:00Z')
const event = (subject: string, more: Partial<NewEvent> = {}): NewEvent => {
  return { kind: 'result', subject, at, data: { status: 'pass' }, ...more }
}

const select = `select id, at, kind, subject, data, request_id as "requestId", digest, hash
  from events order by id`

function opened() {
  const db = testDb()
  return {
    append: (events: readonly NewEvent[]) => db.write((tx) => appendEvents(tx, 1, events)),
    events: () => db.read((tx) => tx<StoredEvent>(select)),
  }
}

it('stores any text so that its digest can be computed again', async () => {
  const { append, events } = opened()
  const odd = ['\0', 'a\0b', '\u001a', '\ud800', '\u{10ffff}', `'"\\`, '']
  await append(odd.map((text) => event(text, { data: { text, [text]: 1 }, requestId: text })))
  const found = await events()
  expect(found.map((one) => digestOf(1, one))).toEqual(found.map(({ digest }) => digest))
  expect(found.map(({ subject }) => subject)).toEqual(odd.map((text) => text.toWellFormed()))
  expect(found.map(({ data }) => JSON.parse(String(data)).text)).toEqual(odd)
})

it('keeps one chain a tenant while several write at once', async () => {
  const { append, events } = opened()
  await Promise.all(Array.from({ length: 5 }, (_, i) => append([event(`${i}`), event(`${i}'`)])))
  const found = await events()
  let last = ''
  for (const one of found) {
    last = hashOf(last, one)
    expect(one.hash).toBe(last)
  }
  expect(found).toHaveLength(10)
})
