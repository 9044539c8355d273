import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { FindingView } from '../../src/model/finding.ts'
import { synced } from './support/cli.ts'

const terms = ['--reason', 'Break-glass account, sealed in the safe', '--owner', 'security', '--expires', '2026-06-30']

async function world(more = '') {
  const one = await synced({ more })
  const read = async (...args: string[]): Promise<FindingView[]> =>
    JSON.parse((await one.run('findings', '--format', 'json', ...args)).stdout)
  const all = await read()
  const finding = (check: string) => {
    const found = all.find((finding) => finding.check === check)
    if (found === undefined) throw new Error(`No finding of ${check}`)
    return found
  }
  const { fingerprint } = finding('user-mfa-enrolled')
  return { ...one, findings: read, finding, fingerprint }
}

it('prints a waiver that the configuration takes as it is', async () => {
  const { run, finding, findings, read, write } = await world()
  const { fingerprint, entity } = finding('user-mfa-enrolled')
  const { code, stdout } = await run('waive', fingerprint.slice(0, 12), ...terms)
  expect(code).toBe(0)
  const id = `W-${fingerprint.slice(0, 12)}`
  expect(parse(stdout)).toEqual({
    waivers: [
      {
        ...{ id, check: 'user-mfa-enrolled', entity: entity.id, tenant: 'acme' },
        ...{ reason: 'Break-glass account, sealed in the safe', owner: 'security', expires: '2026-06-30' },
      },
    ],
  })
  expect(read('tenantwatch.yaml')).not.toContain('waivers')
  write('tenantwatch.yaml', `${read('tenantwatch.yaml')}\n${stdout}`)
  expect((await findings('--all')).find((one) => one.fingerprint === fingerprint)).toMatchObject({
    state: 'waived',
    waiver: { id, state: 'active' },
  })
})

it('writes waivers into the file, one after the other, with comments, order and permissions kept', async () => {
  const { run, finding, findings, read, write, folder } = await world()
  const text = `# Ours\n${read('tenantwatch.yaml')}\n\nwaivers: [] # as agreed\n# The end\n`
  write('tenantwatch.yaml', text)
  const file = join(folder, 'tenantwatch.yaml')
  chmodSync(file, 0o640)
  const checks = ['user-mfa-enrolled', 'api-client-least-privilege', 'document-name-unique']
  for (const check of checks) {
    const { fingerprint } = finding(check)
    expect(await run('waive', fingerprint, ...terms, '--write')).toMatchObject({ code: 0, stderr: '' })
  }
  expect(statSync(file).mode & 0o777).toBe(0o640)
  const written = read('tenantwatch.yaml')
  for (const line of text.split('\n')) expect(written).toContain(line.replace('waivers: []', ''))
  expect(parse(written).waivers.map(({ check }: { check: string }) => check)).toEqual(checks)
  const waived = (await findings('--all')).filter(({ state }) => state === 'waived')
  expect(waived.map(({ check }) => check).toSorted()).toEqual(checks.toSorted())
  const changed =
    'The configuration differs from that of the last evaluation; waivers, owners and links already apply here'
  expect((await run('findings')).stderr).toContain(changed)
  await run('sync', '--resource', 'roles')
  expect((await run('findings')).stderr).not.toContain(changed)
  expect(await run('waive', finding(checks[0] ?? '').fingerprint, ...terms)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/ waived already, by W-\w+ until 2026-06-30/),
  })
})

it('changes nothing beside another process', async () => {
  const { run, read, write, fingerprint } = await world()
  const before = read('tenantwatch.yaml')
  write('tenantwatch.yaml.part', '')
  expect(await run('waive', fingerprint, ...terms, '--write')).toMatchObject({ code: 2, stdout: '' })
  expect([read('tenantwatch.yaml'), read('tenantwatch.yaml.part')]).toEqual([before, ''])
})

it('prints a template without the terms, of several findings at once', async () => {
  const { run, finding } = await world()
  const two = ['user-mfa-enrolled', 'document-name-unique'].map((check) => finding(check).fingerprint)
  const { code, stdout } = await run('waive', ...two)
  expect([code, parse(stdout).waivers.map(({ id }: { id: string }) => id)]).toEqual([
    0,
    two.map((one) => `W-${one.slice(0, 12)}`),
  ])
  expect(await run('waive', ...two, '--write')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('waive', ...two, two[0] ?? '', ...terms, '--write')).toMatchObject({ code: 0 })
})

it('gives another id where a waiver of the finding has expired, and names that one, or was taken out', async () => {
  const { run, pass, read, write, fingerprint } = await world()
  const base = read('tenantwatch.yaml')
  await run('waive', fingerprint, ...terms, '--write')
  pass(130 * 86_400_000)
  const id = `W-${fingerprint.slice(0, 12)}`
  const again = () => run('waive', fingerprint, ...terms.slice(0, -1), '2026-12-31', '--write')
  const { stdout } = await again()
  expect(stdout).toContain(`has ${id}-2;`)
  expect(stdout).toContain(`${id} is replaced`)
  expect(parse(read('tenantwatch.yaml')).waivers.map((one: { id: string }) => one.id)).toEqual([id, `${id}-2`])
  await run('sync')
  write('tenantwatch.yaml', base)
  expect((await again()).stdout).toContain(`has ${id}-3;`)
})

it('refuses terms that a waiver cannot have', async () => {
  const { run, fingerprint } = await world()
  for (const [option, value] of [
    ['--reason', 'too short'],
    ['--owner', ' '],
    ['--expires', '2026-02-30'],
    ['--expires', 'in May'],
    ['--expires', '2026-02-28'],
  ] as const) {
    const { code, stdout, stderr } = await run('waive', fingerprint, ...terms.with(terms.indexOf(option) + 1, value))
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`Invalid value of ${option}: `)])
  }
})

it('refuses findings that cannot be waived, and leaves a file alone that it cannot add to', async () => {
  const { run, finding, read, write, folder, simulator, fingerprint } = await world()
  const files = readdirSync(folder).toSorted()
  const refused = async (...args: string[]) => {
    const before = read('tenantwatch.yaml')
    const { code, stdout, stderr } = await run('waive', ...args)
    expect([code, stdout, read('tenantwatch.yaml')]).toEqual([2, '', before])
    expect(readdirSync(folder).toSorted()).toEqual(files)
    return stderr
  }
  expect(await refused('000000000000', ...terms)).toContain('No finding has this fingerprint')
  const base = read('tenantwatch.yaml')
  const other = `{ id: W-1, check: user-mfa-enrolled, entity: "7", tenant: acme, owner: ops, reason: Somebody who is on leave, expires: 2026-05-01 }`
  write('tenantwatch.yaml', `${base}\nwaivers: [${other}]\n`)
  expect(await refused(fingerprint, ...terms, '--write')).toMatch(/notation that cannot be added to/)
  write('tenantwatch.yaml', base)
  const expired = finding('api-client-secret-not-expired')
  simulator.primary['api-clients'].update(expired.entity.id, { secretExpirationDate: '2026-09-01T00:00:00Z' })
  await run('sync')
  expect((await run('waive', expired.fingerprint, ...terms)).stderr).toBe(
    'tenantwatch: The finding has ended (fixed); only an open one can be waived\n',
  )
})

it('writes into a new file of waivers.d where there is one, and leaves the configuration alone', async () => {
  const { run, read, folder, findings, fingerprint } = await world()
  const before = read('tenantwatch.yaml')
  chmodSync(join(folder, 'tenantwatch.yaml'), 0o640)
  mkdirSync(join(folder, 'waivers.d'))
  const ticket = 'https://tickets.example.com/4711'
  expect(await run('waive', fingerprint, ...terms, '--ticket', ticket, '--write')).toMatchObject({ code: 0 })
  expect(read('tenantwatch.yaml')).toBe(before)
  const file = join('waivers.d', `W-${fingerprint.slice(0, 12)}.yaml`)
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o640)
  expect(parse(read(file))).toMatchObject({ owner: 'security', ticket })
  const found = (await findings('--all')).find((one) => one.fingerprint === fingerprint)
  expect(found).toMatchObject({ state: 'waived', waiver: { reason: expect.stringContaining(ticket) } })
})
