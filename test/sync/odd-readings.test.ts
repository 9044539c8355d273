import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import type { ReadingsInput } from '../../src/simulator/readings.ts'
import { bothSides, type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

// A tenant may read everything that the specification leaves open in its own way.
const readings: readonly (readonly [string, ReadingsInput])[] = [
  [
    'offsets, GUIDs whose case changes, times without an offset, unknown fields',
    {
      cursorKind: { users: 'offset', documents: 'offset' },
      guidCasing: 'alternate',
      timestamps: 'no-offset',
      metaTimestamps: 'no-offset',
      unknownFields: true,
      absentCursor: 'missing',
      lastPageCursor: { users: false, documents: false },
    },
  ],
  [
    'times at +02:00, a page after each full one, documents by creation, nested errors',
    {
      timestamps: 'offset',
      hasMoreWhenFull: true,
      documentOrder: 'createdAt',
      updatedAfterNulls: 'exclude',
      errorShape: 'nested',
      absentCursor: 'empty',
    },
  ],
  [
    'seven digits of a second, a token header of its own, another word for inactive, users by time',
    {
      timestamps: 'z7',
      metaTimestamps: 'z7',
      tokenHeader: 'X-Api-Token',
      tokenScheme: '',
      inactiveRoleState: 'off',
      usersUpdatedAfter: 'createdAt',
      requestIdCasing: 'upper',
      lastPageCursor: { apiClients: true },
    },
  ],
]

async function expectMirrored(test: TestEngine): Promise<void> {
  const { mirrored, truth } = await bothSides(test)
  // Which role id a user has comes from details, in rotation.
  const plain = ({ users, ...others }: typeof truth) => [
    (users as object[]).map((user) => ({ ...user, roleId: 0 })),
    others,
  ]
  expect(plain(mirrored)).toEqual(plain(truth))
  expect(test.query('select * from quarantine')).toEqual([])
  expect(await test.mirror.holds()).toEqual([])
  expect(test.sim.violations).toEqual([])
}

it.each(readings)('mirrors a tenant that reads the open points as: %s', async (_, reading) => {
  const sizes = { users: 70, documents: 70, apiClients: 45 }
  const test = await testEngine({ sizes, readings: { ...reading, defaultPageSize: { users: 20, documents: 20 } } })
  const { primary } = test.sim
  const cycle = async (mode: 'incremental' | 'full') => {
    test.clock.advance(hourMs)
    const results = await test.runAll(mode)
    expect(results.map((result) => `${ending(result)} ${result.message}`)).toEqual(results.map(() => 'success null'))
  }
  await cycle('full')
  await expectMirrored(test)

  const [user, gone] = primary.users.all()
  const [document] = primary.documents.all()
  const [client] = primary['api-clients'].all()
  primary.users.add()
  primary.documents.add({ uploadStatus: 'Completed' })
  primary.users.update(user?.userId ?? 0, { firstName: 'Renamed' })
  primary.users.remove(gone?.userId ?? 0)
  primary.documents.remove(document?.fileId ?? '')
  primary['api-clients'].remove(client?.clientId ?? '')
  test.sim.invalidateCursors()
  for (const mode of ['incremental', 'full', 'full'] as const) await cycle(mode)
  await expectMirrored(test)
})
