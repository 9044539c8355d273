import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openWorld } from '../hostile/support/world.ts'
import { scheduleLine } from '../support/schedule.ts'
import { answerOf, roundTrip } from './support/wire.ts'

const paths =
  '/ /style.css /favicon.svg /metrics /healthz /readyz /api/v1/status /api/v1/checks /api/v1/findings /api/v1/findings?state=all&tenant=acme /-/reload /-/accept /nothing'.split(
    ' ',
  )

/** Once a year: whatever happens in the meantime was brought about by a request. */
const schedule = scheduleLine('0 0 1 1 *')

it('writes nothing and sends the tenant no request for any GET', async () => {
  await using world = await openWorld({
    more: `${schedule}\nchecks: { document-processing-finished: { enabled: false } }`,
  })
  expect(await world.run('sync')).toMatchObject({ code: 0 })
  await using daemon = await world.daemon()
  await vi.waitFor(async () => expect((await fetch(`${daemon.origin}/readyz`)).status).toBe(200), 30_000)
  await daemon.session.evaluate()
  const mirror = new BetterSqlite3(world.store, { readonly: true })
  onTestFinished(() => void mirror.close())
  const state = () => [mirror.pragma('data_version', { simple: true }), world.simulator.requests.count()]
  const before = state()
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    for (const path of paths) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      const status = answerOf(await roundTrip(daemon.address.port, request))?.status
      expect([method, path, status]).not.toEqual([method, path, 500])
      expect(status).toBeGreaterThan(199)
    }
  }
  expect(state()).toEqual(before)
  world.pass(10 * 60_000)
  await daemon.session.evaluate()
  expect(state()).not.toEqual(before)
})
