import { expect, it, vi } from 'vitest'
import { openWorld } from '../hostile/support/world.ts'
import { seriesOf } from '../metrics/support/parse.ts'

const yearMs = 366 * 24 * 3_600_000
/** Nothing is evaluated while the test looks; too long is three of its intervals. */
const more = 'schedule: { evaluate: "0 0 1 1 *" }'

it('reports an engine as unhealthy when evaluations are overdue, and shows no green on the page', async () => {
  await using world = await openWorld({ more })
  await world.run('sync')
  await using daemon = await world.daemon()
  const get = async (path: string) => {
    const answer = await fetch(daemon.origin + path)
    return { status: answer.status, text: await answer.text() }
  }
  const statuses = async () =>
    seriesOf((await get('/metrics')).text, 'tenantwatch_check_status')
      .filter(({ value }) => value === 1)
      .map(({ labels }) => labels['status'])
  await vi.waitFor(async () => expect(await statuses()).toContain('pass'), 30_000)
  expect((await get('/healthz')).status).toBe(200)
  world.pass(4 * yearMs)
  expect(await get('/healthz')).toEqual({ status: 503, text: 'The engine has not evaluated for too long\n' })
  expect(await statuses()).not.toContain('pass')
  expect((await get('/')).status).toBe(200)
})
