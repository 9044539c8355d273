import { chmodSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTenantClient } from '../../../src/api/client.ts'
import { probeTenant } from '../../../src/doctor/tenant.ts'
import { diagnoseToken, warnOfSecretFiles } from '../../../src/doctor/token.ts'
import { dayMs, hourMs } from '../../../src/model/durations.ts'
import { silentLog } from '../../../src/model/log.ts'
import { resourceNames } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import type { Envelope } from '../../../src/simulator/index.ts'
import { engineSettings } from '../../support/engine-settings.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { cli, doctor, startTime } from '../support/cli.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

it('reports the source and the age of a token, never the token', () => {
  const file = join(temporaryFolder(), 'token')
  writeFileSync(file, 'CANARY-9c1f44e7a0b25d3886', { mode: 0o600 })
  utimesSync(file, startTime / 1000, startTime / 1000)
  const now = startTime + 3 * dayMs
  const of = (token: Parameters<typeof diagnoseToken>[0]['token'], goodForMs: number | null = null) =>
    diagnoseToken({ ...auth, token }, now, goodForMs, (name) => (name === 'BROKEN' ? 'two words' : 'x')).map(
      ({ level, subject, text }) => `${level} ${subject}: ${text}`,
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
    parameters: {},
    clientAuth: 'body' as const,
  }
  expect(of({ oauth2 }, 54 * 60_000)).toEqual([
    'ok token: by OAuth 2 from https://login.example.com, fetched now, to be used for 54 min',
    expect.stringMatching(/^ok client secret: from the variable ACME_SECRET/),
  ])
  expect(of({ oauth2 })[0]).toMatch(/^fail token: .*could not be fetched$/)
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

it('lets a stop of the program through', async () => {
  const { runWith, simulator } = await cli()
  const stopping = new AbortController()
  simulator.onRequest(() => stopping.abort(new DOMException('The program is stopping', 'AbortError')))
  const { code, stdout, stderr } = await runWith({ stop: stopping.signal }, 'doctor')
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).not.toMatch(/^ +at /m)
})

it('warns of deviations on the first pages, with what they mean for the data', async () => {
  const plain = await cli({ simulator: { problems: false } })
  expect((await doctor(plain)).stdout).not.toContain('deviations')
  const world = await cli({ simulator: { problems: false, readings: { timestamps: 'no-offset' } } })
  const { stdout } = await doctor(world)
  expect(stdout).toMatch(
    /^warn deviations: no_offset in api-clients: .*createdAt.*; documents: .*updatedAt.*\. Dates without an offset are read as UTC; if/m,
  )
})

it('names an unknown value with the key that would make it known', async () => {
  const world = await cli({ simulator: { problems: false } })
  const [user] = [...world.simulator.state().users()]
  world.simulator.primary.updateUser(user?.userId ?? 0, { state: 'Locked' })
  const deviations = async () => (await doctor(world)).stdout.match(/^warn deviations: .*/m)?.[0] ?? ''
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
  expect((await doctor(world)).stdout).toMatch(/^warn deviations: unknown_field in roles: meta\.warnings\. A field/m)
})

it('names unknown fields of records without their values, those with the same resources together', async () => {
  const world = await cli({ simulator: { problems: false, readings: { unknownFields: true } } })
  const found = async () => (await doctor(world)).stdout.match(/^warn deviations: .*/gm)
  expect(await found()).toEqual([
    expect.stringMatching(
      /^warn deviations: unknown_field in api-clients: warnings, meta\.region, pagination\.totalPages, lastUsedAt; .*roles: warnings, meta\.region, color; users: .*avatar, locale\. A field/,
    ),
  ])
  const transform = ({ data, ...envelope }: Envelope) => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`x${i}`, 'a value']))
    return { ...envelope, data: (data as readonly object[]).map((record) => ({ ...record, ...many })) }
  }
  world.simulator.faults.add({ path: '/api/public/roles', effect: { kind: 'transform', transform } })
  const [line] = (await found()) ?? []
  expect(line).toMatch(/; roles: warnings, meta\.region, color, (?:x\d+, ){6}x\d+ and 33 more; users: /)
  expect(line).not.toContain('a value')
})

it('names the users whose removal waits for an answer, and the answer', async () => {
  const world = await cli({ tenants: [{ name: 'acme' }] })
  await world.run('sync', '--full')
  let left = 2
  world.simulator.primary.removeUsers(() => left-- > 0)
  world.simulator.faults.add({ path: '/api/public/users/{id}', effect: { kind: 'status', status: 400 } })
  await world.run('sync', '--full')
  const { stdout } = await world.run('doctor', '--format', 'json')
  const found = JSON.parse(stdout) as { subject: string; level: string; text: string }[]
  expect(found.filter(({ subject, level }) => subject === 'users' && level === 'warn').map(({ text }) => text)).toEqual(
    [expect.stringMatching(/^\d+, \d+ absent from the last full sync, .* is not answered for: .* answered 400/)],
  )
})
