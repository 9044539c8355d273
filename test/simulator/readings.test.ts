import { expect, it } from 'vitest'
import type { Service } from '../../src/simulator/index.ts'
import { api, call, fullSync, record, records, start } from './support.ts'

async function raw(simulator: Service, path: string, headers: Record<string, string> = {}) {
  const response = await simulator.fetch(new Request(`${api}${path}`, { headers }))
  return { status: response.status, body: JSON.parse(await response.text()) as unknown }
}

it('knows the page size parameter by another name, or none', async () => {
  const simulator = await start({ readings: { pageSizeParameter: 'take' } })
  expect(records(await call(simulator, '/users?take=3'))).toHaveLength(3)
  expect(records(await call(simulator, '/users?limit=3'))).toHaveLength(50)
  simulator.setReadings({ pageSizeParameter: null, defaultPageSize: { users: 10 } })
  expect(records(await call(simulator, '/users?take=3'))).toHaveLength(10)
  expect(records(await call(simulator, '/documents'))).toHaveLength(50)
})

it('writes errors in four shapes, inside the envelope or bare', async () => {
  const simulator = await start()
  const message = expect.any(String)
  for (const [errorShape, error] of [
    ['object', { code: 'UNAUTHORIZED', message }],
    ['array', [{ code: 'UNAUTHORIZED', message }]],
    ['string', expect.stringContaining('UNAUTHORIZED')],
    ['nested', { error: { code: 'UNAUTHORIZED', message }, details: [] }],
  ] as const) {
    simulator.setReadings({ errorShape, errorEnvelope: true })
    expect((await raw(simulator, '/users')).body).toEqual({
      data: null,
      pagination: null,
      error,
      meta: expect.any(Object),
    })
    simulator.setReadings({ errorEnvelope: false })
    expect((await raw(simulator, '/users')).body).toEqual(error)
  }
})

it('ends users and documents without a cursor, written in three ways', async () => {
  const simulator = await start({ readings: { lastPageCursor: { users: false, documents: false } } })
  for (const [absentCursor, wanted] of [
    ['null', { limit: 200, nextCursor: null, hasMore: false }],
    ['empty', { limit: 200, nextCursor: '', hasMore: false }],
    ['missing', { limit: 200, hasMore: false }],
  ] as const) {
    simulator.setReadings({ absentCursor })
    for (const path of ['/users', '/documents']) {
      expect((await fullSync(simulator, `${path}?limit=200`)).answers.at(-1)?.body.pagination).toEqual(wanted)
    }
  }
})

it('writes timestamps in four styles that mean the same instant', async () => {
  const simulator = await start()
  const { userId } = simulator.primary.users.add()
  for (const [timestamps, wanted] of [
    ['z', '2026-03-01T12:00:00.000Z'],
    ['z7', '2026-03-01T12:00:00.0001230Z'],
    ['no-offset', '2026-03-01T12:00:00.000'],
    ['offset', '2026-03-01T14:00:00.000+02:00'],
  ] as const) {
    simulator.setReadings({ timestamps })
    expect(record(await call(simulator, `/users/${userId}`))['createdAt']).toBe(wanted)
    expect(simulator.primary.users.find(userId)?.createdAt).toBe(wanted)
  }
  simulator.setReadings({ metaTimestamps: 'no-offset' })
  expect((await call(simulator, '/roles')).body.meta.timestamp).toBe('2026-03-01T12:00:00.000')
})
