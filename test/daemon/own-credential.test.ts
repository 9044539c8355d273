import { expect, it } from 'vitest'
import { ownCredentials } from '../../src/daemon/own-credential.ts'
import { dayMs } from '../../src/model/durations.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import { testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'

it.each([
  ['lower', (id: string) => id.toLowerCase()],
  ['upper', (id: string) => id.toUpperCase()],
  ['mixed', (id: string) => id.replace(/[a-f]/, (letter) => letter.toUpperCase())],
])('warns once at each step that the own secret expires, with ids in %s case', async (_, spelled) => {
  const test = await testEngine({ settings: { userDetails: { perRun: 0 } } })
  const inCase = (data: { clientId: string }[]) => data.map((one) => ({ ...one, clientId: spelled(one.clientId) }))
  test.sim.faults.add({ path: '/api/public/api-clients', effect: ofData(inCase) })
  await test.run('api-clients', 'full')
  const ownClientId = test.sim.credentials.reader.clientId.toLowerCase()
  const own = [...test.sim.state().apiClients()].find(({ clientId }) => clientId.toLowerCase() === ownClientId)
  const expiry = Date.parse(own?.secretExpirationDate ?? '')
  const logged: unknown[] = []
  const log: Log = { ...silentLog(), warn: (fields, message) => logged.push([fields, message]) }
  const credentials = ownCredentials(log)
  const reader = test.mirror.records(test.engine.tenantId)
  for (const days of [31, 29, 28, 13, 0, -1])
    await credentials.look({ name: 'acme', ownClientId }, reader, expiry - days * dayMs)
  const expires = new Date(expiry).toISOString()
  const soon = 'The secret of the client that this tenant uses expires soon: renew it'
  expect(logged).toEqual([
    [{ tenant: 'acme', expires, daysLeft: 29 }, soon],
    [{ tenant: 'acme', expires, daysLeft: 13 }, soon],
    [
      { tenant: 'acme', expires, daysLeft: 0 },
      'The secret of the client that this tenant uses has expired: no data can be read',
    ],
  ])
})
