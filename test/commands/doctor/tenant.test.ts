import { chmodSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createTenantClient } from '../../../src/api/client.ts'
import type { Fetched } from '../../../src/api/reader.ts'
import { certificateExpiry } from '../../../src/api/transport/peer-certificate.ts'
import { diagnosePageSize, type FeedPage } from '../../../src/doctor/endpoint.ts'
import { diagnoseOwnClient } from '../../../src/doctor/own-client.ts'
import { probeTenant } from '../../../src/doctor/probe-tenant.ts'
import { diagnoseToken, warnOfSecretFiles } from '../../../src/doctor/token.ts'
import { dayMs, hourMs } from '../../../src/model/durations.ts'
import { SyncError } from '../../../src/model/errors.ts'
import { silentLog } from '../../../src/model/log.ts'
import { resourceNames } from '../../../src/model/resource-names.ts'
import { documents } from '../../../src/resources/documents.ts'
import { resources } from '../../../src/resources/index.ts'
import { users } from '../../../src/resources/users.ts'
import type { Envelope } from '../../../src/simulator/server/envelope.ts'
import { selfSigned } from '../../support/certificate.ts'
import { engineSettings } from '../../support/engine-settings.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { cli, startTime } from '../support/cli.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

it('reports the source and the age of a token, never the token', () => {
  const file = join(temporaryFolder(), 'token')
  writeFileSync(file, 'CANARY-9c1f44e7a0b25d3886', { mode: 0o600 })
  utimesSync(file, startTime / 1000, startTime / 1000)
  const now = startTime + 3 * dayMs
  const of = (token: Parameters<typeof diagnoseToken>[0]['token'], goodForMs: number | null = null) =>
    diagnoseToken({ ...auth, token }, now, goodForMs, (name) => (name === 'BROKEN' ? 'two words' : 'x')).map(
      ({ level, subject, sentence }) => `${level} ${subject}: ${sentence}`,
    )
  expect(of({ env: 'ACME_TOKEN' })).toEqual([expect.stringMatching(/^ok token: from the variable ACME_TOKEN; its age/)])
  expect(of({ file })).toEqual([`ok token: from the file ${file}, written 3 days ago`])
  chmodSync(file, 0o644)
  expect(of({ file })).toEqual([expect.stringMatching(/^warn token: .*written 3 days ago; every user of this machine/)])
  chmodSync(file, 0o620)
  expect(of({ file })).toEqual([expect.stringMatching(/^warn token: .*; every member of its group may replace it$/)])
  chmodSync(file, 0o666)
  expect(of({ file })).toEqual([expect.stringMatching(/^warn token: .*; every user of this machine may replace it$/)])
  expect(of({ env: 'BROKEN' })).toEqual([expect.stringMatching(/^fail token: the variable BROKEN contains a space/)])
  expect(of({ file: '/nowhere/at/all' })).toEqual(['fail token: the file /nowhere/at/all does not exist'])
  const folder = temporaryFolder()
  expect(of({ file: folder })).toEqual([`fail token: the file ${folder}: it is a directory`])
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  expect(of({ file: loop })).toEqual([`fail token: the file ${loop}: it cannot be read (ELOOP)`])
  expect(() =>
    warnOfSecretFiles([{ name: 'acme', auth: { ...auth, token: { file: loop } } }], silentLog()),
  ).not.toThrow()
  expect(of({ command: ['/usr/bin/vault', 'CANARY-argument'] }, hourMs)).toEqual([
    'ok token: from the command vault, fetched now, to be used for 1 h',
  ])
  const oauth2 = {
    tokenUrl: 'https://login.example.com/token?key=CANARY',
    clientId: 'a',
    clientSecret: { env: 'ACME_SECRET' },
    scope: null,
  }
  expect(of({ oauth2 }, 54 * 60_000)).toEqual([
    'ok token: by OAuth 2 from https://login.example.com, fetched now, to be used for 54 min',
    expect.stringMatching(/^ok client secret: from the variable ACME_SECRET/),
  ])
  expect(of({ oauth2 })[0]).toMatch(/^fail token: .*could not be fetched$/)
})

it('reports for how long a fetched token is used', async () => {
  const world = await cli()
  const config = world.read('tenantwatch.yaml')
  world.write('token', world.env['ACME_TOKEN'] ?? '')
  world.write('tenantwatch.yaml', config.replace('{ env: ACME_TOKEN }', `{ command: [cat, "${world.folder}/token"] }`))
  const { code, stdout } = await world.run('doctor')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^✓ +token +from the command cat, fetched now, to be used for 5 min$/m)
  expect(stdout).not.toContain(world.env['ACME_TOKEN'])
})

const api = engineSettings('http://127.0.0.1:1').api
const page = (
  length: number,
  hasMore: boolean,
  resource: FeedPage['resource'] = users,
  limit: number | null = null,
) => ({ resource, length, hasMore, limit })
const pageSize = (pages: readonly FeedPage[], asked: number | null) => {
  const found = diagnosePageSize(pages, {
    ...api,
    pageSizeParameter: asked === null ? null : 'limit',
    pageSize: asked ?? 200,
  })
  return found === null ? null : `${found.level}: ${found.sentence}`
}

it.each([
  [[page(500, true)], 500, 'ok: users sent the 500 requested'],
  [[page(50, true)], 500, 'warn: users sent 50 and has more, although 500 were requested'],
  [[page(700, false)], 500, 'warn: users sent 700 although 500 were requested'],
  [[page(12, false)], 500, 'ok: the list of users fits in one page of 500 (12 records)'],
  [
    [page(500, true), page(200, true, documents)],
    500,
    'ok: users sent the 500 requested; documents sent the 200 requested',
  ],
  [
    [page(500, true), page(50, true, documents)],
    500,
    'warn: documents sent 50 and has more, although 200 were requested',
  ],
  [
    [page(50, true), page(7, false, documents)],
    null,
    'ok: none requested: api.pageSizeParameter is not set; setting it means fewer requests to a large tenant; first pages: users 50, documents 7 (all of them)',
  ],
  [[page(7, false, users, 50)], 500, 'warn: users sent pages of 50 although 500 were requested'],
  [[page(7, false, users, 500)], 500, 'ok: the list of users fits in one page of 500 (7 records)'],
  [[], 500, null],
] as const)('evaluates whether the page size is honoured: %#', (pages, asked, checkResult) => {
  expect(pageSize(pages, asked)).toBe(checkResult)
})

it('names the parameter that a list does not honour, of two that differ', () => {
  const pageSizeParameter = { users: 'take', documents: 'limit' }
  const pages = [page(50, true, users, 50), page(200, true, documents, 200)]
  const found = diagnosePageSize(pages, { ...api, pageSizeParameter, pageSize: 500 })
  expect(found?.sentence).toBe('users sent pages of 50 although 500 were requested')
  expect(found?.advice).toContain('api.pageSizeParameter ("take")')
  const half = { ...api, pageSizeParameter: { users: null, documents: 'limit' }, pageSize: 500 }
  expect(diagnosePageSize(pages, half)?.sentence).toBe(
    'users sent 50, none was requested; documents sent the 200 requested',
  )
})

const id = '00000000-0000-4000-8000-000000000001'
const another = '00000000-0000-4000-8000-000000000002'

function clients(
  ids: readonly string[],
  nextCursor: string | null,
  secretExpirationDate = '2027-01-01T00:00:00Z',
): Fetched {
  const meta = {
    requestId: null,
    serverTime: null,
    receivedAt: startTime,
    receivedMonotonic: 0,
    identity: 1,
    credential: '',
  }
  return {
    items: ids.map((clientId) => ({ ok: true, record: { clientId, secretExpirationDate }, extra: null, oddities: [] })),
    nextCursor,
    hasMore: nextCursor !== null,
    meta,
  }
}

/** Of a list whose pages after the first one come by cursors `1`, `2` and so on; no such page = a failure. */
async function ownClient(firstPage: Fetched, ...more: readonly Fetched[]) {
  const read = async (cursor: string) => {
    const page = more[Number(cursor) - 1]
    if (page === undefined) throw new SyncError('timeout', 'no answer in 30 s')
    return page
  }
  const found = await diagnoseOwnClient({ firstPage, read, ownClientId: id, now: startTime })
  return found && `${found.level}: ${found.sentence}`
}

it('reports the expiry of the secret that the program itself uses', async () => {
  const of = (date: string) => ownClient(clients([id.toUpperCase()], null, date))
  expect(await of('2027-01-01T00:00:00Z')).toMatch(/^ok: /)
  expect(await of('2026-03-20T00:00:00Z')).toMatch(/^warn: /)
  expect(await of('2026-03-01T12:00:00Z')).toMatch(/^fail: /)
  expect(await of('no date')).toBeNull()
})

it('looks for its own client on every page, and fails where the whole list lacks it', async () => {
  expect(await ownClient(clients([another], '1'), clients([], '2'), clients([id], null))).toMatch(
    /^ok: its secret expires/,
  )
  expect(await ownClient(clients([another], '1'), clients([], null))).toBe(
    `fail: the list of API clients does not contain ownClientId ${id}: the token is another client's`,
  )
  // The line of the endpoint says it where there is one page.
  expect(await ownClient(clients([another], null))).toBeNull()
  expect(await ownClient(clients([another], '1'))).toBe('fail: cannot be checked: no answer in 30 s')
  expect(await ownClient(clients([another], '1'), clients([another], '1'))).toMatch(
    /^fail: cannot be checked: .* ignores the cursor/,
  )
  const long = Array.from({ length: 60 }, (_, i) => clients([another + i], String(i + 1)))
  const [first = clients([], null), ...rest] = long
  expect(await ownClient(first, ...rest)).toBe(`warn: ${id} is not on the first 50 pages of API clients`)
})

it('reads when a certificate ends, in a handshake in which nothing is sent', async () => {
  const certificate = selfSigned('127.0.0.1')
  let requests = 0
  const server = createServer(certificate, () => requests++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const caFile = join(temporaryFolder(), 'ca.pem')
  writeFileSync(caFile, certificate.cert)
  const at = await certificateExpiry(origin, { caFile, timeoutMs: 5000 })
  expect(Math.round(((at ?? 0) - Date.now()) / dayMs)).toBe(30)
  expect(await certificateExpiry(origin, { caFile: null, timeoutMs: 5000 })).toBeNull()
  expect(await certificateExpiry(origin, { caFile: '/nowhere', timeoutMs: 5000 })).toBeNull()
  expect(await certificateExpiry('http://127.0.0.1:1', { caFile: null, timeoutMs: 5000 })).toBeNull()
  expect(await certificateExpiry('https://127.0.0.1:1', { caFile: null, timeoutMs: 5000 })).toBeNull()
  expect(requests).toBe(0)
})

it('gives a tenant that answers to nothing so long in all, and no longer', async () => {
  const { simulator, env } = await cli()
  simulator.faults.add({ path: '/api/public/*', effect: { kind: 'hang' } })
  const tenant = { ...engineSettings(simulator.baseUrl), auth: { ...auth, token: { env: 'T' } } }
  const clock = { now: () => startTime, monotonic: () => 0, sleep: async () => {} }
  await using client = createTenantClient({
    ...tenant,
    resources: resourceNames,
    clock,
    random: () => 0,
    env: () => env['ACME_TOKEN'],
    version: '1',
  })
  const { signal } = new AbortController()
  const { diagnoses: found } = await probeTenant({
    tenant,
    client,
    now: clock.now,
    signal,
    env: () => 'x',
    busyTimeoutMs: 100,
  })
  const asked = found.filter(({ permission }) => permission !== null)
  expect(asked.map(({ level, reason }) => [level, reason])).toEqual(Array(resources.length).fill(['fail', 'timeout']))
  expect(simulator.requests.count()).toBeLessThan(3)
})

it('counts invalid records in the singular and the plural', async () => {
  const { run, simulator } = await cli({ simulator: { sizes: { users: 5 } } })
  const make = () => simulator.primary.addUser({ raw: { mfaStatus: 'no' } })
  make()
  expect((await run('doctor')).stdout).toMatch(/^✗ +users .*; 1 of them is invalid\./m)
  make()
  expect((await run('doctor')).stdout).toMatch(/^✗ +users .*; 2 of them are invalid\./m)
})

it('lets a stop of the program through', async () => {
  const { runWith, simulator } = await cli()
  const stopping = new AbortController()
  simulator.onRequest(() => stopping.abort(new DOMException('The program is stopping', 'AbortError')))
  const { code, stdout, stderr } = await runWith({ stop: stopping.signal }, 'doctor')
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).not.toMatch(/^ +at /m)
})

it('warns of a certificate that ends soon, and looks through no proxy', async () => {
  const certificate = selfSigned('127.0.0.1')
  const server = createServer(certificate, (_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const caFile = join(temporaryFolder(), 'ca.pem')
  writeFileSync(caFile, certificate.cert)
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const real = Date.now()
  const evaluated = async (days: number, over: Partial<typeof api> = {}) => {
    const tenant = { ...engineSettings(baseUrl, { api: { caFile, ...over } }), auth: { ...auth, token: { env: 'T' } } }
    const now = () => real + days * dayMs
    const clock = { now, monotonic: () => 0, sleep: async () => {} }
    const parts = { clock, random: () => 0, env: () => 'x', version: '1', resources: resourceNames }
    await using client = createTenantClient({ ...tenant, ...parts })
    const { diagnoses: found } = await probeTenant({
      tenant,
      client,
      now,
      env: () => 'x',
      signal: new AbortController().signal,
    })
    return found
      .filter(({ subject }) => subject === 'certificate')
      .map(({ level, sentence }) => `${level}: ${sentence.replace(/\d{4}-\d\d-\d\d/, 'DAY')}`)
  }
  const { host } = new URL(baseUrl)
  expect(await evaluated(0)).toEqual([`ok: of https://${host} expires on DAY, in 29 days`])
  expect(await evaluated(20)).toEqual([`warn: of https://${host} expires on DAY, in 9 days 23 h`])
  expect(await evaluated(0, { caFile: null })).toEqual([])
  expect(await evaluated(0, { proxy: 'http://127.0.0.1:1' })).toEqual([
    'ok: not checked, because requests go through api.proxy',
  ])
})

it('warns of deviations on the first pages, with what they mean for the data', async () => {
  const plain = await cli({ simulator: { problems: false } })
  expect((await plain.run('doctor')).stdout).not.toContain('deviations')
  const world = await cli({ simulator: { problems: false, readings: { timestamps: 'no-offset' } } })
  const { stdout } = await world.run('doctor')
  expect(stdout).toMatch(
    /^! +deviations +no_offset in .*; api-clients, documents, users: createdAt; documents: updatedAt\. Dates without an offset are read as UTC; if/m,
  )
})

it('names an unknown value with the key that would make it known', async () => {
  const world = await cli({ simulator: { problems: false } })
  const [user] = [...world.simulator.state().users()]
  world.simulator.primary.updateUser(user?.userId ?? 0, { state: 'Locked' })
  const deviations = async () => (await world.run('doctor')).stdout.match(/^! +deviations .*/m)?.[0] ?? ''
  expect(await deviations()).toContain('unknown_value in users: state ("Locked", users.knownStates). A value')
  world.write(
    'tenantwatch.yaml',
    `${world.read('tenantwatch.yaml')}users: { knownStates: [Locked] }
`,
  )
  expect(await deviations()).toBe('')
})

it('names fields of the envelope that the specification does not name', async () => {
  const world = await cli({ simulator: { problems: false } })
  const transform = (envelope: Envelope) => ({ ...envelope, meta: { ...Object(envelope.meta), warnings: [] } })
  world.simulator.faults.add({ path: '/api/public/roles', effect: { kind: 'transform', transform } })
  expect((await world.run('doctor')).stdout).toMatch(
    /^! +deviations +unknown_field in roles: meta\.warnings\. A field/m,
  )
})

it('names unknown fields of records without their values, those with the same resources together', async () => {
  const world = await cli({ simulator: { problems: false, readings: { unknownFields: true } } })
  const found = async () => (await world.run('doctor')).stdout.match(/^! +deviations .*/gm)
  expect(await found()).toEqual([
    expect.stringMatching(
      /^! +deviations +unknown_field in all answers: warnings, meta\.region; api-clients, documents, users: pagination\.totalPages; api-clients: lastUsedAt; authentication-settings: passwordPolicy; documents: etag; roles: color; users: avatar, locale\. A field/,
    ),
  ])
  const transform = ({ data, ...envelope }: Envelope) => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`x${i}`, 'a value']))
    return { ...envelope, data: (data as readonly object[]).map((record) => ({ ...record, ...many })) }
  }
  world.simulator.faults.add({ path: '/api/public/roles', effect: { kind: 'transform', transform } })
  const [line] = (await found()) ?? []
  expect(line).toMatch(/; roles: color, (?:x\d+, ){8}x\d+ and 31 more; users: /)
  expect(line).not.toContain('a value')
})

it('finds its own client on the first page', async () => {
  const world = await cli()
  const [expired] = [...world.simulator.state().apiClients()]
    .slice(0, 20)
    .filter(({ secretExpirationDate }) => Date.parse(secretExpirationDate) <= startTime)
  const config = world.read('tenantwatch.yaml')
  world.write('tenantwatch.yaml', config.replace('name: acme', `name: acme\n    ownClientId: ${expired?.clientId}`))
  const { code, stdout } = await world.run('doctor')
  expect(code).toBe(3)
  expect(stdout).toMatch(/^✗ +own client +its secret expired on \d{4}-\d\d-\d\d\. Create a new secret/m)
  expect(stdout).not.toMatch(/^! +ownClientId/m)
})
