import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

it('a page of the former token proves nothing of the token that replaced it meanwhile', async () => {
  const test = await testEngine({ settings: { userDetails: { perRun: 0 } }, sizes: { documents: 20, users: 30 } })
  await test.runAll('full')
  // The settings of the other tenant are as the mirror has ours.
  const [ours] = test.sim.primary['authentication-settings'].all()
  test.sim.second['authentication-settings'].update(0, { ...ours })
  test.sim.primary['authentication-settings'].update(0, { mfaEnabled: ours?.mfaEnabled === false })
  test.clock.advance(hourMs)
  await test.restart()
  let asked = 0
  const path = '/api/public/documents'
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== path) return
    if (++asked === 1) return test.useToken(test.sim.tokens.secondReader)
    end()
    test.sim.faults.add({ path, effect: { kind: 'status', status: 400 } })
  })
  await test.run('documents', 'full')
  for (const resource of ['permissions', 'authentication-settings', 'users'] as const)
    expect(ending(await test.run(resource))).not.toBe('success')
})
