import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, until } from './support/program.ts'

const often = 'schedule: { roles: "* * * * * *", permissions: "* * * * * *", evaluate: "* * * * * *" }'

it('goes on where it was stopped, without a burst for the time it missed', async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 20 } })
  onTestFinished(() => simulator.close())
  const one = await daemon(placeFor(simulator, temporaryFolder(), often))
  const synced = () => simulator.requests.filter(({ path }) => path === '/api/public/roles').length
  await until(() => synced() > 3)
  one.child.kill('SIGSTOP')
  await delay(8000)
  const before = synced()
  one.child.kill('SIGCONT')
  const woken = performance.now()
  await until(() => synced() >= before + 3)
  const seconds = (performance.now() - woken) / 1000
  // One a second, the one that was under way and the one that is made up for at once.
  expect(synced() - before).toBeLessThanOrEqual(seconds + 3)
  expect((await one.get('/healthz')).status).toBe(200)
  expect((await one.get('/metrics')).text).toMatch(
    /tenantwatch_sync_up\{tenant="acme",resource="roles",mode="sweep"\} 1/,
  )
})
