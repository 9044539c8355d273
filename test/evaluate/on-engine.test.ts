import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { evaluateTenant } from '../../src/evaluate/evaluate-tenant.ts'
import { silentLog } from '../../src/model/log.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { counted } from './support/evaluating.ts'

/** An engine that was in sync, and the result of a check over its mirror with given options. */
async function synced(options: Readonly<Record<string, unknown>>, check: string) {
  const test = await testEngine({
    problems: false,
    sizes: { users: 4, documents: 8 },
    settings: { userDetails: { perRun: 0 } },
  })
  await test.runAll('full')
  const settings = { ...test.settings, checks: { [check]: { enabled: true, severity: null, options } } }
  const evaluated = async () => {
    const tenant = { id: test.engine.tenantId, settings }
    const request = { store: test.mirror, tenant, checks, now: test.clock.now(), log: silentLog() }
    const results = await Array.fromAsync(evaluateTenant(request))
    return results.filter((result) => result.check === check).map(counted)[0]
  }
  return { test, evaluated }
}

async function fullySynced(test: TestEngine): Promise<void> {
  test.clock.advance(hourMs)
  for (const result of await test.runAll('full')) expect(result).toMatchObject({ outcome: 'success' })
}

it('counts the time of a document dated in the future from when it was first mirrored', async () => {
  const { test, evaluated } = await synced({ hours: 3 }, 'document-processing-finished')
  const createdAt = new Date(test.clock.now() + 20 * hourMs).toISOString()
  test.sim.primary.documents.add({ uploadStatus: 'Processing', createdAt })
  const statuses: (string | undefined)[] = []
  for (const _ of [1, 2, 3, 4, 5]) {
    await fullySynced(test)
    statuses.push((await evaluated())?.status)
  }
  expect(statuses).toEqual(['pass', 'pass', 'pass', 'pass', 'fail'])
})

it('opens no finding about a client whose role was renamed until roles are read after it', async () => {
  const { test, evaluated } = await synced({}, 'api-client-role-active')
  const client = test.sim.primary['api-clients'].add({ roleName: 'Ghost' })
  const look = async (resource: 'api-clients' | 'roles') => {
    test.clock.advance(minuteMs)
    await test.run(resource, 'full')
    return evaluated()
  }
  expect(await look('api-clients')).toMatchObject({ status: 'unknown', reason: 'ambiguous', opened: 0 })
  expect(await look('api-clients')).toMatchObject({ status: 'unknown', opened: 0 })
  expect(await look('roles')).toMatchObject({ status: 'fail', opened: 1 })
  expect(await look('api-clients')).toMatchObject({ status: 'fail', opened: 0, resolved: {} })
  test.sim.primary.roles.add({ name: 'Ghost' })
  expect(await look('roles')).toMatchObject({ status: 'pass', resolved: { fixed: 1 } })
  test.sim.primary['api-clients'].update(client.clientId, { roleName: 'Ghost 2' })
  expect(await look('api-clients')).toMatchObject({ status: 'unknown', opened: 0 })
})
