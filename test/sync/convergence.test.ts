import { describe, expect, it } from 'vitest'
import { dayMs, minuteMs } from '../../src/model/durations.ts'
import type { ReadingsInput, Simulator } from '../../src/simulator/index.ts'
import type { RunResult } from '../../src/sync/observer.ts'
import { bothSides, type TestEngine, testEngine } from '../support/engine.ts'
import { accept } from '../support/sync-queries.ts'

const sizes = { users: 60, documents: 41, apiClients: 26, roles: 14 }
const everyFeed = <T>(value: T) => ({ users: value, documents: value, apiClients: value })

/** Readings of the open points; the name states their difference. */
const cases: readonly (readonly [name: string, readings: ReadingsInput])[] = [
  ['the plain readings', {}],
  [
    'keyset cursors, none on the last page, pages that divide the count',
    {
      cursorKind: everyFeed('keyset' as const),
      lastPageCursor: everyFeed(false),
      defaultPageSize: { users: 20, documents: 41, apiClients: 13 },
      timestamps: 'z7',
      requestIdCasing: 'upper',
    },
  ],
  [
    'offset cursors with one on the last page, pages that do not divide the count',
    {
      cursorKind: everyFeed('offset' as const),
      lastPageCursor: everyFeed(true),
      defaultPageSize: { users: 7, documents: 6, apiClients: 5 },
      documentOrder: 'createdAt',
      unknownFields: true,
    },
  ],
  [
    'offset cursors without one on the last page, written as an empty text',
    {
      cursorKind: everyFeed('offset' as const),
      lastPageCursor: everyFeed(false),
      absentCursor: 'empty',
      defaultPageSize: { users: 11, documents: 9, apiClients: 4 },
      documentOrder: 'fileId',
      timestamps: 'no-offset',
      metaTimestamps: 'no-offset',
    },
  ],
  [
    'a cursor that is missing on the last page, more promised on every full page, GUIDs in changing case',
    {
      lastPageCursor: everyFeed(false),
      absentCursor: 'missing',
      hasMoreWhenFull: true,
      defaultPageSize: { users: 12, documents: 7, apiClients: 9 },
      guidCasing: 'alternate',
      timestamps: 'offset',
    },
  ],
  [
    'more promised on every full page although the pages divide the count, offset cursors',
    {
      hasMoreWhenFull: true,
      cursorKind: everyFeed('offset' as const),
      lastPageCursor: everyFeed(true),
      defaultPageSize: { users: 10, documents: 41, apiClients: 26 },
      guidCasing: 'upper',
      errorShape: 'nested',
    },
  ],
  [
    'everything on one page without a cursor',
    {
      lastPageCursor: everyFeed(false),
      defaultPageSize: { users: 100, documents: 100, apiClients: 100 },
      errorShape: 'array',
      unorderedLists: 'stable',
      headerCase: 'upper',
    },
  ],
  [
    'a page size parameter, a token header of its own and a bare token',
    {
      pageSizeParameter: 'pageSize',
      badPageSize: 'reject',
      maxPageSize: { users: 200 },
      tokenHeader: 'X-Api-Token',
      tokenScheme: '',
      errorShape: 'string',
      metaTimestamps: 'z7',
    },
  ],
  [
    'no page size parameter, errors as a text, an inactive state of another name',
    {
      pageSizeParameter: null,
      errorShape: 'string',
      inactiveRoleState: 'Disabled',
      defaultPageSize: { users: 1, documents: 40, apiClients: 25 },
      unknownFields: true,
      guidCasing: 'alternate',
      cursorBoundToTenant: false,
    },
  ],
]

/** Everything that can happen to a tenant between two runs, a little of each. */
function liveOn({ primary }: Simulator, now: number, round: number): void {
  const users = [...primary.state.users()]
  const pick = (n: number) => users[(n + round * 7) % users.length]?.userId ?? 0
  const roles = primary.state.roles().filter(({ type, state }) => type === 'User' && state === 'Active')
  primary.updateUser(pick(3), { mfaStatus: false, mfaAction: true })
  primary.updateUser(pick(9), { roleId: roles[(round + 1) % roles.length]?.roleId ?? 0 })
  primary.updateUser(pick(13), { state: 'Suspended', firstName: 'Renée', roleName: `Only name ${round}` })
  primary.removeUser(pick(20))
  primary.removeUser(pick(59))
  primary.addUser()
  primary.addUserInTheMiddle()
  primary.addUser({ createdAt: now - 900 * dayMs - round })
  const documents = [...primary.state.documents()]
  const document = (n: number) => documents[(n + round * 5) % documents.length]?.fileId ?? ''
  primary.updateDocument(document(1), { filename: `renamed ${round}.pdf` })
  primary.updateDocument(document(2), { uploadStatus: null, updatedAt: null })
  primary.removeDocument(document(8))
  primary.addDocument({ filename: 'new.pdf' })
  const clients = [...primary.state.apiClients()].filter(({ name }) => name !== 'Compliance monitor')
  const client = (n: number) => clients[(n + round * 3) % clients.length]?.clientId ?? ''
  primary.updateApiClient(client(2), { secretExpirationDate: now + 90 * dayMs })
  primary.removeApiClient(client(6))
  primary.addApiClient()
  primary.updateRole(roles[0]?.roleId ?? 0, { name: `Renamed ${round}`, permissions: ['Api_Users_Read'] })
  primary.addRole({ name: `Added ${round}` })
  primary.removeRole(primary.state.roles().find(({ name }) => name === `Added ${round - 1}`)?.roleId ?? 0)
  primary.addPermission({ code: `Extra_${round}` })
  if (round > 0) primary.updatePermission(primary.state.permissions()[0]?.permissionId ?? 0, { name: `p${round}` })
  primary.setSettings({ mfaEnabled: round % 2 === 0, providerType: round % 2 === 0 ? 'Okta' : null })
}

const isHeld = ({ reason }: RunResult) => reason === 'suspect_empty'

/** A list whose last page is full and announces another may be cut short there: an operator knows better. */
async function acceptAnnouncedPage(test: TestEngine): Promise<boolean> {
  const [hold] = (await test.mirror.holds()).filter(
    ({ cause }) => 'emptiness' in cause && cause.emptiness === 'announced-page',
  )
  if (hold !== undefined) await accept(test, hold)
  return hold !== undefined
}

/** Incremental syncs, then full syncs as often as removals need; every run must succeed. */
async function settle(test: TestEngine): Promise<void> {
  for (const mode of ['incremental', 'full', 'full'] as const) {
    const results = [...(await test.runAll(mode))]
    if (await acceptAnnouncedPage(test)) results.splice(results.findIndex(isHeld), 1, await test.run('api-clients'))
    expect(results.map(({ outcome, message }) => [outcome, message])).toEqual(results.map(() => ['success', null]))
    test.clock.advance(20 * minuteMs)
  }
}

describe('the mirror becomes what the tenant is', () => {
  it.each(cases)('with %s', async (_name, readings) => {
    const { pageSizeParameter = null } = readings
    const api = { pageSizeParameter, pageSize: 17 }
    const test = await testEngine({ sizes, readings, settings: { api } })
    await settle(test)
    const first = await bothSides(test)
    expect(first.mirrored).toEqual(first.truth)
    for (const round of [0, 1]) {
      liveOn(test.sim, test.clock.now(), round)
      if (round === 1) {
        await test.run('users', 'incremental')
        await test.run('api-clients')
        await test.restart()
      }
      await settle(test)
      const { mirrored, truth } = await bothSides(test)
      expect(mirrored).toEqual(truth)
    }
    expect(test.sim.violations).toEqual([])
    expect(test.sim.requests.nonGet()).toEqual([])
  })
})
