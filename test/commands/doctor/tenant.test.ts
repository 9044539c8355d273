import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diagnoseTokenFile } from '../../../src/doctor/tenant.ts'
import { resources } from '../../../src/resources/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { cli, doctor } from '../support/cli.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

it('warns of a token or client secret in a file that every user may read or replace', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'token')
  writeFileSync(file, 'CANARY-9c1f44e7a0b25d3886')
  const clientSecret = { file }
  const fetched = { tokenUrl: 'https://login.example.com/', clientId: 'a', scope: null, parameters: {} }
  const sources = [{ file }, { oauth2: { ...fetched, clientSecret, clientAuth: 'body' } }] as const
  for (const token of sources) {
    const withMode = (mode: number) => {
      chmodSync(file, mode)
      return diagnoseTokenFile({ ...auth, token })
    }
    const open = { level: 'warn', text: `every user of this machine may read or replace the file ${file}` }
    for (const mode of [0o644, 0o602]) expect(withMode(mode)).toMatchObject([open])
    for (const mode of [0o600, 0o660]) expect(withMode(mode)).toEqual([])
  }
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  for (const token of [{ env: 'ACME_TOKEN' }, { command: ['vault'] }, { file: loop }])
    expect(diagnoseTokenFile({ ...auth, token })).toEqual([])
})

it.each([
  ['{ env: BAD }', /Environment variable BAD contains a space/],
  ['{ file: FOLDER/empty }', /File \S+empty is empty/],
  ['{ file: FOLDER/loop }', /File \S+loop cannot be read: ELOOP/],
  ['{ command: ["false"] }', /The token command failed: exit code 1/],
])('says once why there is no token from %s, and never the token', async (token, sentence) => {
  const world = await cli({ simulator: { problems: false } })
  world.env['BAD'] = 'CANARY and more'
  world.write('empty', '\n')
  symlinkSync('loop', join(world.folder, 'loop'))
  const source = token.replace('FOLDER', world.folder)
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml').replace('{ env: ACME_TOKEN }', source))
  const { code, stdout } = await doctor(world)
  const failures = stdout.match(/^fail .*/gm) ?? []
  expect([code, failures.length]).toEqual([3, resources.length])
  expect(failures.filter((line) => sentence.test(line))).toHaveLength(1)
  expect(stdout).not.toContain('CANARY')
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
