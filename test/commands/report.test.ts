import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import type { Report, ReportFinding, TenantReport } from '../../src/report/build-report.ts'
import { aDay, type CliOptions, synced } from './support/cli.ts'

const small = { sizes: { users: 30, documents: 20 } }
const waived = `waivers: [{ id: no-idp, check: auth-sso-enforced, entity: authentication-settings, tenant: acme, owner: Ann, reason: There is no identity provider yet, expires: 2026-03-20 }]`

/** A report as JSON writes it. */
type Tenant = Omit<TenantReport, 'findings'> & { readonly findings: readonly ReportFinding[] }
type Document = Pick<Report, 'notes'> & { readonly tenants: readonly Tenant[] }

async function world(options: CliOptions = {}) {
  const one = await synced({ simulator: small, ...options })
  const reported = async (...args: string[]) =>
    JSON.parse((await one.run('report', '--format', 'json', ...args)).stdout) as Document
  const only = async (...args: string[]) => {
    const [tenant] = (await reported(...args)).tenants
    if (tenant === undefined) throw new Error('There is no tenant in the report')
    return tenant
  }
  return { ...one, reported, only }
}

const checkOf = ({ checks }: Tenant, id: string) => checks.find(({ check }) => check === id)
it('agrees with the commands findings and checks, and counts every entity once', async () => {
  const { only, run } = await world({ more: waived })
  const tenant = await only('--details')
  const found = JSON.parse((await run('findings', '--format', 'json')).stdout) as { readonly fingerprint: string }[]
  expect(tenant.openTotal).toBe(found.length)
  expect(tenant.findings.filter(({ state }) => state === 'open').length).toBe(found.length)
  expect(tenant.waivedTotal).toBe(1)
  for (const { entities, evaluated, passing, failing, waived: accepted, unknown } of tenant.checks)
    expect([(passing ?? 0) + failing + accepted, (evaluated ?? 0) + (unknown ?? 0)]).toEqual([evaluated, entities])
  expect(Object.values(tenant.standings).reduce((sum, count) => sum + count, 0)).toBe(tenant.checks.length)
  expect(checkOf(tenant, 'auth-sso-enforced')).toMatchObject({
    standing: 'waived',
    evaluated: 1,
    passing: 0,
    waived: 1,
  })
  expect(checkOf(tenant, 'user-invitation-accepted')?.options).toMatchObject({ days: 14, highDays: 30 })
  expect(tenant.waivers).toEqual([
    expect.objectContaining({
      id: 'no-idp',
      owner: 'Ann',
      expires: '2026-03-20T23:59:59.999Z',
      state: 'active',
      covered: 1,
    }),
  ])
})

it('prints the age of findings and data, and calls nothing passed on data that is not fresh', async () => {
  const { only, pass } = await world()
  pass(3 * aDay)
  const tenant = await only()
  expect(new Set(tenant.findings.map(({ ageDays }) => ageDays))).toEqual(new Set([3]))
  const users = { state: 'stale', dataAsOf: '2026-03-01T12:00:00.000Z', ageSeconds: 3 * 86_400, limitSeconds: 3 * 3600 }
  expect(tenant.resources.find(({ resource }) => resource === 'users')).toMatchObject(users)
  expect(tenant.standings['pass']).toBe(0)
})

it('writes HTML that needs no other file and runs no script', async () => {
  const { run } = await world({ more: waived })
  const { stdout } = await run('report')
  expect(stdout).toMatch(/^<!doctype html>\n<html lang="en">/)
  const own = stdout.replaceAll(/<a href="#[a-z0-9_-]+">/g, '')
  expect(own.match(/<(script|link|img|iframe|object|a)\b|\b(src|href|onload)=|url\(|@import/gi)).toBeNull()
  expect(stdout).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
})

it('says of a hold nothing of what accepting it does: the history has no cause of it', async () => {
  const { run, read, write, only, simulator } = await world()
  write('tenantwatch.yaml', read('tenantwatch.yaml').replace(simulator.baseUrl, `${simulator.baseUrl}/moved`))
  await run('sync')
  const facts = ['id', 'resource', 'reason', 'count', 'message', 'raisedAt']
  expect((await only()).holds.map((hold) => [hold.reason, Object.keys(hold)])).toEqual([['tenant_changed', facts]])
})

it('names the tenants of the mirror that the configuration does not have, in every format and on the terminal', async () => {
  const tenants = [{ name: 'acme' }, { name: 'beta', token: 'secondReader' as const }]
  const { run, read, write, reported, pass, now } = await world({ tenants })
  expect((await reported()).notes).toHaveLength(1)
  const before = new Date(now()).toISOString()
  pass(aDay)
  const file = read('tenantwatch.yaml')
  write('tenantwatch.yaml', file.replace(/^ {2}- name: beta$(?:\n {4}.*$)*/m, ''))
  await run('sync')
  const sentence = 'Not in this report, because the configuration does not have it: beta. The mirror keeps its data.'
  expect((await reported()).notes.at(-1)).toBe(sentence)
  for (const format of ['html', 'oscal']) {
    const { stdout, stderr } = await run('report', '--format', format)
    expect([stdout, stderr]).toEqual([expect.stringContaining(sentence), `${sentence}\n`])
  }
  for (const args of [
    ['--tenant', 'acme'],
    ['--as-of', before],
  ])
    expect((await reported(...args)).notes).toHaveLength(1)
  const { code, stderr } = await run('report', '--tenant', 'beta')
  expect([code, stderr]).toEqual([2, expect.stringContaining('Unknown tenant "beta": expected one of acme')])
})

it('writes a file that only its owner reads, whole or not at all', async () => {
  const { run, folder } = await world()
  expect(await run('report', '--output', 'evidence.html')).toMatchObject({ code: 0, stdout: 'Wrote evidence.html\n' })
  expect(statSync(join(folder, 'evidence.html')).mode & 0o777).toBe(0o600)
  execFileSync('mkfifo', [join(folder, 'pipe')])
  for (const unfit of [join('nowhere', 'evidence.html'), '.', 'pipe']) {
    const { code, stderr } = await run('report', '--output', unfit)
    expect([code, stderr]).toEqual([2, expect.stringContaining(join(folder, unfit))])
  }
  expect(statSync(join(folder, 'pipe')).isFIFO()).toBe(true)
  expect(await run('report', '--tenant', 'nobody', '--output', 'evidence.html')).toMatchObject({ code: 2 })
  expect(readFileSync(join(folder, 'evidence.html'), 'utf8')).toContain('acme')
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

it('replaces a report, and no other file: no database, backup, configuration or token', async () => {
  const { run, folder, store } = await world()
  for (const format of ['html', 'oscal', 'json', 'html'])
    expect(await run('report', '--output', 'evidence', '--format', format)).toMatchObject({ code: 0 })
  expect(await run('backup', 'mirror.bak')).toMatchObject({ code: 0 })
  writeFileSync(join(folder, 'token'), 'secret')
  writeFileSync(join(folder, 'drafted.part'), 'secret')
  symlinkSync(store, join(folder, 'current'))
  const beside = ['-wal', '-shm', '-lock', '-journal'].map((suffix) => store + suffix)
  const config = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  expect(config).not.toEqual([])
  writeFileSync(`${store}-wal`, '')
  for (const name of [store, ...beside, ...config, 'current', 'mirror.bak', 'token', 'drafted']) {
    const path = resolve(folder, name)
    const before = existsSync(path) ? readFileSync(path) : null
    const { code, stderr } = await run('report', '--output', name)
    expect([name, code, stderr]).toEqual([
      name,
      2,
      expect.stringMatching(
        /cannot be written \((?:it is part of a database|another file exists).*\); give another name\n$/,
      ),
    ])
    if (before !== null && !beside.includes(path)) expect(readFileSync(path).equals(before)).toBe(true)
  }
  expect(readFileSync(join(folder, 'drafted.part'), 'utf8')).toBe('secret')
  expect(await run('findings')).toMatchObject({ code: 0 })
})
