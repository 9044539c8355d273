import { expect, it } from 'vitest'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { silentLog } from '../../src/model/log.ts'
import { hourMs } from '../../src/model/time.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { testEngine } from '../support/engine.ts'

/** Full syncs of users, each with the evaluation after it; `counted` are contract events so far. */
async function syncing() {
  const settings = { userDetails: { perRun: 0, concurrency: 1 } }
  const test = await testEngine({ problems: false, sizes: { users: 12 }, settings })
  const counted: string[] = []
  const warned: string[] = []
  const count = (name: string, { resource, kind }: Readonly<Record<string, string>>) => {
    if (name === 'tenantwatch_contract_events_total') counted.push(`${resource} ${kind}`)
  }
  const log = { ...silentLog(), warn: (_fields: object, message: string) => void warned.push(message) }
  const evaluator = new Evaluator({
    ...{ stores: onlyStore(test.mirror), clock: test.clock, log: { ...log, child: () => log } },
    metrics: { count } as unknown as Metrics,
  })
  const fullSync = async () => {
    test.clock.advance(hourMs)
    await test.run('users', 'full')
    const tenant = { id: test.engine.tenantId, settings: test.settings }
    await evaluator.evaluate(tenant, { onlyInputs: ['users'], readInFull: 'users' })
  }
  return { test, counted, warned, fullSync }
}

it('counts an e-mail that two users have, in any letter case, once each full sync, and logs it once', async () => {
  const { test, counted, warned, fullSync } = await syncing()
  await fullSync()
  expect(counted).toEqual([])
  const [first] = [...test.sim.primary.users.all()]
  const twin = test.sim.primary.users.add({ email: first?.email?.toUpperCase() ?? '' })
  await fullSync()
  await fullSync()
  expect(counted).toEqual(['users duplicate_email', 'users duplicate_email'])
  expect(warned).toHaveLength(1)
  test.sim.primary.users.update(twin.userId, { email: `other.${first?.email}` })
  await fullSync()
  expect(counted).toHaveLength(2)
})
