import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { seriesOf } from '../metrics/support/parse.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, until } from './support/program.ts'

const often =
  'schedule: { roles: { full: "* * * * * *" }, permissions: { full: "* * * * * *" }, evaluate: "* * * * * *" }'

it('continues where it was stopped, without a burst for the missed time', async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 20 } })
  onTestFinished(() => simulator.close())
  const one = await daemon(placeFor(simulator, temporaryFolder(), often))
  const synced = async () =>
    seriesOf((await one.get('/metrics')).text, 'tenantwatch_sync_runs_total')
      .filter(({ labels }) => labels['resource'] === 'roles')
      .reduce((sum, { value }) => sum + value, 0)
  await until(async () => (await synced()) > 3)
  const before = await synced()
  one.child.kill('SIGSTOP')
  await delay(8000)
  one.child.kill('SIGCONT')
  const woken = performance.now()
  let after = before
  await until(async () => {
    after = await synced()
    return after >= before + 4
  })
  const seconds = (performance.now() - woken) / 1000
  // One a second, the one that was under way and the one that is made up for at once.
  expect(after - before).toBeLessThanOrEqual(seconds + 3)
  expect((await one.get('/healthz')).status).toBe(200)
  expect((await one.get('/metrics')).text).toMatch(
    /tenantwatch_sync_up\{tenant="acme",resource="roles",mode="full"\} 1/,
  )
})
