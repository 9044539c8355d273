import { chmodSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diagnoseToken } from '../../../src/doctor/tenant.ts'
import { dayMs, hourMs } from '../../../src/model/time.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { cli, doctor, startTime } from '../support/cli.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

const oauth2 = {
  tokenUrl: 'https://login.example.com/token?key=CANARY',
  clientId: 'a',
  clientSecret: { env: 'ACME_SECRET' },
  scope: null,
  parameters: {},
  clientAuth: 'body' as const,
}

/** What is said of a token of this source, at `startTime`. */
function ofToken(token: Parameters<typeof diagnoseToken>[0]['token'], goodForMs: number | null = null) {
  const env = (name: string) => (name === 'BROKEN' ? 'two words' : 'x')
  const found = diagnoseToken({ ...auth, token }, startTime, goodForMs, env)
  return found.map(({ level, subject, text }) => `${level} ${subject}: ${text}`)
}

it('reports the source and the age of a token, never the token', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'token')
  writeFileSync(file, 'CANARY-9c1f44e7a0b25d3886')
  utimesSync(file, (startTime - 3 * dayMs) / 1000, (startTime - 3 * dayMs) / 1000)
  const withMode = (mode: number) => {
    chmodSync(file, mode)
    return ofToken({ file })
  }
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  for (const [[line], expected] of [
    [ofToken({ env: 'ACME_TOKEN' }), /^ok token: .*ACME_TOKEN; its age/],
    [withMode(0o600), /^ok token: .*written 3 days ago$/],
    [withMode(0o644), /^warn token: .*every user of this machine/],
    [withMode(0o660), /^ok token: /],
    [withMode(0o602), /^warn token: .*every user of this machine/],
    [ofToken({ env: 'BROKEN' }), /^fail token: .*BROKEN contains a space/],
    [ofToken({ file: '/nowhere/at/all' }), /^fail token: .*no such file$/],
    [ofToken({ file: folder }), /^fail token: .*it is a directory$/],
    [ofToken({ file: loop }), /^fail token: .*ELOOP/],
    [
      ofToken({ command: ['/usr/bin/vault', 'CANARY-argument'] }, hourMs),
      /^ok token: from the command vault,.* for 1 h$/,
    ],
    [ofToken({ oauth2 }, 54 * 60_000), /^ok token: by OAuth 2 from https:\/\/login\.example\.com,.* for 54 min$/],
    [ofToken({ oauth2 }, 54 * 60_000).slice(1), /^ok client secret: .*ACME_SECRET/],
    [ofToken({ oauth2 }), /^fail token: .*could not be fetched$/],
  ] as const) {
    expect(line).toMatch(expected)
    expect(line).not.toContain('CANARY')
  }
})

it('warns of deviations on the first pages, with what they mean for the data', async () => {
  const plain = await cli({ simulator: { problems: false } })
  expect((await doctor(plain)).stdout).not.toContain('deviations')
  const world = await cli({ simulator: { problems: false, readings: { timestamps: 'no-offset' } } })
  const { stdout } = await doctor(world)
  expect(stdout).toMatch(
    /^warn deviations: no_offset in .*api-clients: .*createdAt.*; documents: .*updatedAt.*\. Dates without an offset are read as UTC; if/m,
  )
})

it('names an unknown value with the key that would make it known', async () => {
  const world = await cli({ simulator: { problems: false } })
  const [user] = [...world.simulator.primary.users.all()]
  world.simulator.primary.users.update(user?.userId ?? 0, { state: 'Locked' })
  const deviations = async () => (await doctor(world)).stdout.match(/^warn deviations: .*/m)?.[0] ?? ''
  expect(await deviations()).toContain('unknown_value in users: state ("Locked", users.knownStates). A value')
  world.write(
    'tenantwatch.yaml',
    `${world.read('tenantwatch.yaml')}users: { knownStates: [Locked] }
`,
  )
  expect(await deviations()).toBe('')
})

it('names the users whose removal waits for an answer, and the answer', async () => {
  const world = await cli({ tenants: [{ name: 'acme' }] })
  await world.run('sync', '--full')
  let left = 2
  world.simulator.primary.users.removeWhere(() => left-- > 0)
  world.simulator.faults.add({ path: '/api/public/users/{id}', effect: { kind: 'status', status: 400 } })
  await world.run('sync', '--full')
  const { stdout } = await world.run('doctor', '--format', 'json')
  const found = JSON.parse(stdout) as { subject: string; level: string; text: string }[]
  expect(found.filter(({ subject, level }) => subject === 'users' && level === 'warn').map(({ text }) => text)).toEqual(
    [expect.stringMatching(/^\d+, \d+ absent from the last full sync, .* is not answered for: .* answered 400/)],
  )
})
