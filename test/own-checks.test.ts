import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checks } from '../src/checks/index.ts'
import { SandboxQueries } from '../src/checks/own/sandbox.ts'
import { ownViews } from '../src/checks/own/views.ts'
import { readOwnCheck, readOwnChecks } from '../src/config/own-checks.ts'
import { failingQueries } from '../src/doctor/own-checks.ts'
import { resourceNames } from '../src/model/resource-names.ts'
import { dayMs } from '../src/model/time.ts'
import { apiFields } from '../src/store/records/record-shape.ts'
import { client, iso, now, role, user } from './checks/support/facts.ts'
import { openWith, type Records } from './store/support/two-tenants.ts'
import { testMirror } from './support/mirror.ts'
import { temporaryFolder } from './support/temporary.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/own-checks.md'), 'utf8')
const limits = { folder: 'config/own-checks', timeoutMs: 60_000, maxRows: 1000 }
const builtIn = checks.map(({ id }) => id)
const { checks: examples, problems } = readOwnChecks('config/own-checks', root, builtIn)

it('has a view of every resource, with every field that the API names', () => {
  for (const resource of resourceNames) {
    const view = ownViews.find((one) => one.resource === resource && one.name === resource.replaceAll('-', '_'))
    const names = view?.columns.map(({ name }) => name) ?? []
    expect(
      apiFields(resource).filter((field) => !names.includes(field)),
      resource,
    ).toEqual([])
  }
})

it('documents every key of the header, and a check that can be evaluated', async () => {
  const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? []
  const file = join(temporaryFolder(), 'a.sql')
  writeFileSync(file, sql)
  const parsed = readOwnCheck(file, builtIn)
  if ('problem' in parsed) throw new Error(parsed.problem)
  expect(parsed.id).toBe('sso-has-a-provider')
  expect(await failingQueries({ ...limits, checks: [parsed] }, now)).toEqual([])
  const text = readFileSync(join(root, 'src/config/own-checks.ts'), 'utf8')
  const [, list = ''] = /strictObject\(\{([\s\S]*?)\n {2}\}\)/.exec(text) ?? []
  const keys = [...list.matchAll(/^ {4}(\w+): /gm)].map(([, key = '']) => key)
  expect(keys.length).toBeGreaterThan(5)
  for (const key of keys) expect(page, key).toMatch(new RegExp(`^\\| [^|]*\`${key}\`[^|]* \\|`, 'm'))
})

it('ships examples that can be evaluated', async () => {
  expect([examples.length, problems]).toEqual([2, []])
  expect(await failingQueries({ ...limits, checks: examples }, now)).toEqual([])
})

/** Asks an example over these records. */
async function ask(id: string, records: Records) {
  const { mirror } = testMirror()
  const tenantId = await openWith(mirror, 'acme', records)
  const example = examples.find((one) => one.id === id)
  if (example === undefined) throw new Error(`There is no example ${id}`)
  const { query: text, inputs } = example
  await using queries = new SandboxQueries()
  return await queries.ask(mirror, tenantId, { text, inputs, now, tenant: 'acme', timeoutMs: 60_000, maxRows: 1000 })
}

it('finds API clients that can create users when there are more than two', async () => {
  const roles = [role({ roleId: 1, name: 'Creator' }, ['Api_Users_Create']), role({ roleId: 2 })]
  const clients = (count: number) => [
    ...Array.from({ length: count }, (_, at) => client({ clientId: `c${at}`, roleName: 'Creator' })),
    client({ clientId: 'reader' }),
    client({ clientId: 'unnamed', roleName: null }),
  ]
  const id = 'few-can-create-users'
  expect(await ask(id, { roles, 'api-clients': clients(2) })).toMatchObject({ ok: 3, alarms: [] })
  const reason = 'Its role Creator lets it create users, as more than two API clients can.'
  expect(await ask(id, { roles, 'api-clients': clients(3) })).toMatchObject({
    ok: 1,
    alarms: ['c0', 'c1', 'c2'].map((entity) => [entity, reason]),
    errors: [['unnamed', 'The API client has no role name, so its permissions are not known.']],
  })
  const unread = await ask(id, { roles: [role({ roleId: 2 })], 'api-clients': clients(3) })
  expect(unread).toMatchObject({ ok: 1, alarms: [] })
  expect(unread).toMatchObject({ errors: expect.arrayContaining([['c0', 'No role is named Creator.']]) })
})

it('finds new users with a role over API clients', async () => {
  const roles = [
    role({ roleId: 1, name: 'Admin' }, ['Api_ApiClients_Create']),
    role({ roleId: 2, name: 'ApiXApiClientsX' }),
  ]
  const users = [
    user({ userId: 1, roleName: 'Admin', createdAt: iso(now - 8 * dayMs) }),
    user({ userId: 2, roleName: 'Admin', createdAt: iso(now - 6 * dayMs) }),
    user({ userId: 3, roleName: 'Admin', state: 'Invited' }),
    user({ userId: 4, roleName: 'ApiXApiClientsX' }),
    user({ userId: 5, roleName: null }),
  ]
  expect(await ask('privileged-users-established', { roles, users })).toEqual({
    kind: 'answered',
    ok: 2,
    alarms: [['2', `User 2 was created at ${iso(now - 6 * dayMs)} and has the role Admin.`]],
    errors: [['5', 'The user has no role name.']],
    skipped: ['3'],
  })
})
