import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import type { FindingView as Finding } from '../../src/model/finding.ts'
import { aDay, type CliOptions, cli, json, synced } from './support/cli.ts'

const contractFields =
  'fingerprint tenant check entity severity state message evidence firstSeen lastSeen resolvedAt resolution reopened waiver owner link'

async function world(finished?: CliOptions['finished']) {
  const one = await synced({ ...(finished && { finished }) })
  return { ...one, file: one.read, read: (...args: string[]) => json<Finding>(one, 'findings', ...args) }
}

/** For tests that change nothing. */
const unchanged = await world(afterAll)

it('prints a JSON array of findings in exactly the agreed shape', async () => {
  const { read } = unchanged
  const found = await read()
  expect(found.length).toBeGreaterThan(100)
  for (const finding of found) {
    expect(Object.keys(finding).join(' ')).toBe(contractFields)
    expect(Object.keys(finding.entity)).toEqual(['type', 'id'])
    expect(finding).toMatchObject({ tenant: 'acme', state: 'open', resolvedAt: null, resolution: null, waiver: null })
    expect(finding['firstSeen']).toMatch(/^2026-03-01T12:00:\d\d\.\d{3}Z$/)
    expect(finding['evidence']).toMatchObject({})
    expect(finding['reopened']).toBe(0)
  }
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(found.length)
})

it('filters by tenant, check and severity: --severity exactly, --min-severity at least', async () => {
  const { read } = unchanged
  const all = await read()
  const of = (...wanted: string[]) => all.filter(({ severity }) => wanted.includes(severity))
  expect(await read('--severity', 'high')).toEqual(of('high'))
  expect(await read('--severity', 'medium, critical')).toEqual(of('medium', 'critical'))
  expect(await read('--min-severity', 'high')).toEqual(of('high', 'critical'))
  const mfa = await read('--check', 'user-mfa-enrolled', '--tenant', 'acme')
  expect(mfa).toEqual(all.filter(({ check }) => check === 'user-mfa-enrolled'))
  expect(mfa.length).toBeGreaterThan(0)
})

it('never lets an empty list look like a clean bill', async () => {
  const one = await cli({ tenants: [{ name: 'acme', token: 'none' }] })
  expect(await one.run('sync')).toMatchObject({ code: 3 })
  const { stdout, stderr } = await one.run('findings')
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^No open findings are known\.\nacme: no check can be evaluated: .*unauthorized/)
  expect((await one.run('findings', '--format', 'json')).stdout).toBe('[]\n')
})

it('names a check that is switched off, where only its findings are wanted', async () => {
  const { run } = await synced({ more: 'checks: { user-mfa-enrolled: { enabled: false } }' })
  expect((await run('findings', '--check', 'user-mfa-enrolled')).stderr).toContain('user-mfa-enrolled is switched off')
  expect((await run('findings')).stderr).not.toContain('switched off')
})

it('takes --fail-on: 1 with findings that severe, 3 with a check that is unknown', async () => {
  const { run, simulator } = await world()
  expect(await run('findings', '--fail-on', 'info')).toMatchObject({ code: 1 })
  expect(await run('findings', '--fail-on', 'high', '--check', 'document-name-unique')).toMatchObject({ code: 0 })
  expect(await run('findings', '--fail-on', 'awful')).toMatchObject({ code: 2 })
  simulator.credentials.reader.permissions.delete('Api_Documents_Read')
  await run('sync')
  expect(await run('findings')).toMatchObject({ code: 0 })
  expect(await run('findings', '--fail-on', 'info')).toMatchObject({ code: 3 })
  expect(await run('findings', '--fail-on', 'critical', '--check', 'auth-mfa-policy-enabled')).toMatchObject({
    code: 0,
  })
})

it('names each hold on standard error, and last the cause of the exit code', async () => {
  const { run, simulator, pass } = await world()
  const cause = async (...args: string[]) => {
    const { code, stderr } = await run('findings', '--fail-on', 'critical', ...args)
    return [code, stderr.trimEnd().split('\n').at(-1)]
  }
  expect(await cause()).toEqual([1, 'Exit code 1: acme has 2 open findings at or above critical'])
  simulator.primary.users.removeWhere(0.5)
  pass(aDay)
  await run('sync')
  for (const format of ['table', 'json', 'ndjson', 'csv', 'ocsf']) {
    const { code, stderr } = await run('findings', '--format', format)
    expect([format, code, stderr]).toEqual([
      format,
      0,
      expect.stringMatching(/^acme users: on hold \w+: .*tenantwatch accept/m),
    ])
  }
  expect(await cause()).toEqual([3, expect.stringMatching(/^Exit code 3: acme users is on hold/)])
  // Holds of what the check reads only.
  expect(await run('findings', '--fail-on', 'info', '--check', 'auth-mfa-policy-enabled')).toMatchObject({ code: 0 })
  expect(await cause('--check', 'user-mfa-enrolled')).toEqual([3, expect.stringMatching(/^Exit code 3: acme users/)])
})

it('names waivers and waived findings of the wanted severities only', async () => {
  const { run, read, write, ...one } = await world()
  const terms = 'reason: Sealed in the safe of the board, owner: ops, expires: 2026-12-31'
  const about = `tenant: acme, check: user-mfa-enrolled, ${terms}`
  const waivers = `waivers: [{ id: W-1, entity: "*", ${about} }, { id: W-2, entity: "999999", ${about} }]\n`
  write('tenantwatch.yaml', one.file('tenantwatch.yaml') + waivers)
  const noted = async (...args: string[]) => (await run('findings', ...args)).stderr
  expect(await noted('--severity', 'high')).toMatch(/acme: \d+ open findings waived/)
  expect(await noted('--severity', 'critical')).not.toContain('waived;')
  expect(await noted('--all')).toContain('waiver W-2')
  expect(await noted('--all', '--severity', 'critical')).not.toContain('waiver W-2')
  expect((await read('--all')).filter(({ state }) => state === 'waived').length).toBeGreaterThan(0)
})

it('gives a hint before the first sync, and names a mirror that was lost', async () => {
  const fresh = await cli()
  expect(await fresh.run('findings')).toMatchObject({ code: 3, stderr: expect.stringContaining('"tenantwatch sync"') })
  const { run, store } = await world()
  for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true })
  const lost = /^tenantwatch: The mirror at \S+ is gone or empty .*restore a backup .*-lock .*\n$/
  for (const command of ['findings', 'sync', 'verify', 'accept', 'backup copy.db', 'history', 'purge gone', 'metrics'])
    expect([command, await run(...command.split(' '))]).toEqual([
      command,
      { code: 3, stdout: '', stderr: expect.stringMatching(lost) },
    ])
})

it('lists what was opened, changed, reopened or resolved since a time', async () => {
  const { run, read, simulator, pass, now } = await world()
  const before = await read()
  const [expired] = before.filter(({ check }) => check === 'api-client-secret-not-expired')
  pass(60_000)
  const since = new Date(now()).toISOString()
  expect(await read('--since', since)).toEqual([])
  const { clientId } = simulator.primary['api-clients'].add({
    secretExpirationDate: new Date(now() + 1000).toISOString(),
  })
  simulator.primary['api-clients'].update(expired?.entity.id ?? '', { secretExpirationDate: '2026-09-01T00:00:00Z' })
  pass(5000)
  await run('sync', '--full')
  const opened = await read('--since', since)
  expect(opened.map(({ entity }) => entity.id)).toContain(clientId)
  expect(opened.length).toBeLessThan(before.length)
  const all = await read('--all', '--since', since)
  expect(all.map(({ fingerprint }) => fingerprint)).toContain(expired?.fingerprint)
  expect(await read('--since', '1d')).toEqual(await read())
})

it('counts findings by check and by entity', async () => {
  const all = await unchanged.read('--details')
  const groups = await json<Finding & { readonly findings: number }>(unchanged, 'findings', '--group', 'check')
  expect(groups.reduce((sum, { findings }) => sum + findings, 0)).toBe(all.length)
  expect(new Set(groups.map(({ check }) => check))).toEqual(new Set(all.map(({ check }) => check)))
  expect(groups[0]).toMatchObject({ tenant: 'acme', check: 'api-client-secret-not-expired', entity: null })
  const entities = await json(unchanged, 'findings', '--group', 'entity')
  expect(entities).toHaveLength(new Set(all.map(({ entity }) => JSON.stringify(entity))).size)
})
