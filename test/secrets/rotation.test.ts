import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/temporary.ts'

const minute = 60_000
const sizes = { users: 100, documents: 20, apiClients: 14, roles: 9 }

async function withFile(options: TestEngineOptions = {}) {
  const path = join(temporaryFolder(), 'token')
  const settings = {
    userDetails: { perRun: 0 },
    auth: { token: { file: path } },
    api: { pageSizeParameter: 'limit', pageSize: 20 },
  }
  writeFileSync(path, 'none yet')
  const test = await testEngine({ problems: false, sizes, settings, ...options })
  const write = (text: string) => writeFileSync(path, text)
  write(`${test.sim.tokens.reader}\n`)
  const first = await test.runAll('full')
  expect(first.map(({ outcome }) => outcome)).toEqual(Array(6).fill('success'))
  test.clock.advance(10 * minute)
  test.sim.requests.clear()
  return { test, path, write }
}

const refused = (test: TestEngine) => test.sim.requests.filter(({ status }) => status === 401).length

/** Does something once, when the full sync of users asks for its third page. */
function inMidFullSync(test: TestEngine, act: () => void): void {
  let pages = 0
  test.sim.onRequest(({ endpoint }) => {
    if (endpoint === '/api/public/users' && ++pages === 3) act()
  })
}

it('continues a full sync with a token file that is rotated meanwhile', async () => {
  const { test, write } = await withFile()
  inMidFullSync(test, () => write(test.sim.rotateToken('reader')))
  const result = await test.run('users', 'full')
  expect(result).toMatchObject({ outcome: 'success', counts: { created: 0, removed: 0, unchanged: sizes.users } })
  expect(refused(test)).toBe(1)
})

it('fails while a token is refused, then continues by itself when the file has the new one', async () => {
  const { test, write } = await withFile()
  const next = test.sim.rotateToken('reader')
  for (const resource of ['roles', 'users', 'documents'] as const)
    expect(await test.run(resource)).toMatchObject({ outcome: 'failure', reason: 'unauthorized' })
  write(next)
  test.clock.advance(5 * minute)
  for (const resource of ['roles', 'users', 'documents'] as const)
    expect(await test.run(resource)).toMatchObject({ outcome: 'success' })
})

const unusable: readonly (readonly [string, (path: string, token: string) => void])[] = [
  ['empty', (path) => writeFileSync(path, '')],
  ['blank', (path) => writeFileSync(path, ' \n\n')],
  ['away', (path) => rmSync(path)],
  [
    'a folder',
    (path) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
  ['two lines', (path, token) => writeFileSync(path, `${token}\n${token}\n`)],
  ['a header', (path, token) => writeFileSync(path, `Authorization: Bearer ${token}`)],
  ['no text', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00, 0x41]))],
  ['too long', (path) => writeFileSync(path, 'x'.repeat(100_000))],
]

it.each(unusable)(
  'keeps the last good token while the file is %s, and takes the new one when it is whole',
  async (_, spoil) => {
    const { test, path } = await withFile()
    const { reader } = test.sim.tokens
    spoil(path, reader)
    expect(await test.run('roles')).toMatchObject({ outcome: 'success' })
    expect(refused(test)).toBe(0)
    const next = test.sim.rotateToken('reader')
    expect(await test.run('roles')).toMatchObject({ outcome: 'failure', reason: 'unauthorized' })
    rmSync(path, { recursive: true, force: true })
    writeFileSync(`${path}.new`, next)
    renameSync(`${path}.new`, path)
    test.clock.advance(5 * minute)
    expect(await test.run('roles')).toMatchObject({ outcome: 'success' })
  },
)

it('removes nobody and turns nothing over when a token is revoked in the middle of a full sync', async () => {
  const { test } = await withFile()
  inMidFullSync(test, () => test.sim.revokeToken('reader'))
  const broken = await test.run('users', 'full')
  expect(broken).toMatchObject({ outcome: 'failure', reason: 'unauthorized', counts: { removed: 0 } })
  for (let cycle = 0; cycle < 5; cycle++) {
    test.clock.advance(5 * minute)
    test.sim.requests.clear()
    await test.runAll('full')
    expect(test.sim.requests.count()).toBe(1)
  }
  test.sim.restoreToken('reader')
  test.clock.advance(5 * minute)
  const results = await test.runAll('full')
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(6).fill('success'))
  expect(test.query('select count(*) as n from users where removed_at is null')).toEqual([{ n: sizes.users }])
})

async function withOAuth(oauthTokenSeconds: number) {
  const test = await testEngine({ problems: false, sizes, oauthTokenSeconds })
  const { tokenUrl, credentials } = test.sim
  const { clientId, clientSecret } = credentials.reader
  const oauth2 = { tokenUrl, clientId, clientSecret: { env: 'TOKEN' }, scope: null }
  test.useToken(clientSecret)
  const api = { pageSizeParameter: 'limit', pageSize: 20 }
  await test.restart({ userDetails: { perRun: 0 }, auth: { token: { oauth2 } }, api })
  const first = await test.runAll('full')
  expect(first.map(({ outcome }) => outcome)).toEqual(Array(6).fill('success'))
  test.sim.requests.clear()
  return test
}

const issued = (test: TestEngine) => test.sim.requests.filter(({ path }) => path === '/oauth/token').length

it('fetches a new access token when the old one expires in the middle of a full sync', async () => {
  const test = await withOAuth(600)
  inMidFullSync(test, () => test.clock.advance(11 * minute))
  const result = await test.run('users', 'full')
  expect(result).toMatchObject({ outcome: 'success', counts: { created: 0, removed: 0, unchanged: sizes.users } })
  expect(issued(test)).toBe(1)
})

it('continues after an outage of the token endpoint, without a restart', async () => {
  const test = await withOAuth(600)
  test.clock.advance(20 * minute)
  const { id } = test.sim.faults.add({ path: '/oauth/token', effect: { kind: 'status', status: 503 } })
  expect(await test.run('roles')).toMatchObject({ outcome: 'failure' })
  test.sim.faults.remove(id)
  test.clock.advance(5 * minute)
  expect(await test.run('roles')).toMatchObject({ outcome: 'success' })
})

it('asks for no access token before the wait is over that the token endpoint stated, and then at once', async () => {
  const test = await withOAuth(600)
  test.clock.advance(20 * minute)
  const headers = { 'retry-after': '900' }
  const effect = { kind: 'status', status: 503, headers } as const
  const { id } = test.sim.faults.add({ path: '/oauth/token', effect })
  const { retryAt, ...first } = await test.run('roles')
  expect([first.reason, retryAt]).toEqual(['rate_limited', test.clock.now() + 15 * minute])
  test.sim.faults.remove(id)
  test.sim.requests.clear()
  for (let at = 0; at < 14; at++) {
    test.clock.advance(minute)
    expect(await test.run('roles')).toMatchObject({ outcome: 'failure', reason: 'rate_limited', retryAt })
  }
  await test.restart()
  expect(await test.run('roles')).toMatchObject({ outcome: 'failure', reason: 'rate_limited', retryAt })
  expect(test.sim.requests.count()).toBe(0)
  test.clock.advance(minute)
  expect(await test.run('roles')).toMatchObject({ outcome: 'success' })
})
