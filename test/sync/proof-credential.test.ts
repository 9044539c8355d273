import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

const settings = { userDetails: { perRun: 0 } }

it('a page of the former token proves nothing of the token that replaced it meanwhile', async () => {
  const test = await testEngine({ settings, sizes: { documents: 20, users: 30 } })
  await test.runAll('full')
  // The settings of the other tenant are as the mirror has ours, where the policy is switched off meanwhile.
  const [ours] = test.sim.primary['authentication-settings'].all()
  test.sim.second['authentication-settings'].update(0, { ...ours })
  test.sim.primary['authentication-settings'].update(0, { mfaEnabled: !(ours as { mfaEnabled: boolean }).mfaEnabled })
  test.clock.advance(hourMs)
  await test.restart()
  let asked = 0
  const end = test.sim.onRequest(({ endpoint }) => {
    if (endpoint !== '/api/public/documents') return
    // The first page is the former tenant's; then the token is replaced, and the list cannot be read for a while.
    if (++asked === 1) test.useToken(test.sim.tokens.secondReader)
    if (asked === 1) return
    end()
    test.sim.faults.add({ path: '/api/public/documents', effect: { kind: 'status', status: 400 } })
  })
  await test.run('documents', 'full')
  const later: string[] = []
  for (const resource of ['permissions', 'authentication-settings', 'users'] as const)
    later.push(`${resource} ${ending(await test.run(resource))}`)
  expect(later.filter((one) => one.endsWith('success'))).toEqual([])
})
