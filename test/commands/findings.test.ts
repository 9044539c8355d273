import { expect, it } from 'vitest'
import { cli, synced } from './support/cli.ts'
import { parseCsv } from './support/csv.ts'

const contractFields = [
  'fingerprint',
  'tenant',
  'check',
  'entity',
  'severity',
  'state',
  'message',
  'evidence',
  'firstSeen',
  'lastSeen',
  'resolvedAt',
  'resolution',
  'reopened',
  'waiver',
]

interface Finding {
  readonly fingerprint: string
  readonly check: string
  readonly severity: string
  readonly state: string
  readonly entity: { readonly type: string; readonly id: string }
  readonly message: string
  readonly [field: string]: unknown
}

async function world() {
  const one = await synced()
  const read = async (...args: string[]): Promise<Finding[]> =>
    JSON.parse((await one.run('findings', '--format', 'json', ...args)).stdout)
  return { ...one, read }
}

it('prints a JSON array of findings in exactly the agreed shape', async () => {
  const { read } = await world()
  const found = await read()
  expect(found.length).toBeGreaterThan(100)
  for (const finding of found) {
    expect(Object.keys(finding)).toEqual(contractFields)
    expect(Object.keys(finding.entity)).toEqual(['type', 'id'])
    expect(finding).toMatchObject({ tenant: 'acme', state: 'open', resolvedAt: null, resolution: null, waiver: null })
    expect(finding['firstSeen']).toMatch(/^2026-03-01T12:00:\d\d\.\d{3}Z$/)
    expect(finding['evidence']).toMatchObject({})
    expect(finding['reopened']).toBe(0)
  }
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(found.length)
})

it('filters its output by tenant, check and severity, and refuses unknown names', async () => {
  const { run, read } = await world()
  const all = await read()
  const severe = await read('--severity', 'high')
  expect(severe).toEqual(all.filter(({ severity }) => severity === 'high' || severity === 'critical'))
  const mfa = await read('--check', 'user-mfa-enrolled', '--tenant', 'acme')
  expect(mfa).toEqual(all.filter(({ check }) => check === 'user-mfa-enrolled'))
  expect(mfa.length).toBeGreaterThan(0)
  for (const wrong of [
    ['--check', 'user-mfa-enroled'],
    ['--tenant', 'acne'],
    ['--severity', 'severe'],
  ]) {
    const { code, stdout, stderr } = await run('findings', ...wrong)
    expect([wrong, code, stdout]).toEqual([wrong, 2, ''])
    expect(stderr).toMatch(/^tenantwatch: Unknown (check|tenant|severity): want one of /)
  }
})

it('prints the same findings as NDJSON and as CSV', async () => {
  const { run, read } = await world()
  const found = await read()
  const lines = (await run('findings', '--format', 'ndjson')).stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(found)
  const [heading, ...rows] = parseCsv((await run('findings', '--format', 'csv')).stdout)
  expect(heading).toEqual(['entityType', 'entityId', ...contractFields.filter((field) => field !== 'entity')])
  const cell = (row: readonly string[], name: string) => row[heading?.indexOf(name) ?? -1]
  expect(rows.map((row) => cell(row, 'fingerprint'))).toEqual(found.map(({ fingerprint }) => fingerprint))
  expect(rows.map((row) => cell(row, 'message'))).toEqual(found.map(({ message }) => message))
  expect(JSON.parse(cell(rows[0] ?? [], 'evidence') ?? '')).toEqual(found[0]?.['evidence'])
})

it('shows people the highest severity first, in aligned columns', async () => {
  const { run, read } = await world()
  const { stdout } = await run('findings')
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength((await read()).length + 1)
  expect(lines[1]).toMatch(/^CRITICAL +acme +api-client-secret-not-expired +[0-9a-f-]{36} +The secret of API client /)
  const gravity = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']
  const order = lines.slice(1).map((line) => gravity.indexOf(line.split(' ')[0] ?? ''))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

it('shows waived and resolved findings with --all only', async () => {
  const { run, read, simulator } = await world()
  const [first] = (await read()).filter(({ check }) => check === 'api-client-secret-not-expired')
  simulator.primary.updateApiClient(first?.entity.id ?? '', { secretExpirationDate: '2026-09-01T00:00:00Z' })
  await run('sync')
  const open = await read()
  expect(open.map(({ fingerprint }) => fingerprint)).not.toContain(first?.fingerprint)
  const resolved = (await read('--all')).find(({ fingerprint }) => fingerprint === first?.fingerprint)
  expect(resolved).toMatchObject({ state: 'resolved', resolution: 'fixed' })
  expect(resolved?.['resolvedAt']).toMatch(/^2026-03-01T12:/)
})

it('finds in the simulator exactly the seeded problems', async () => {
  const { read, simulator } = await world()
  const of = async (check: string) => (await read()).filter((one) => one.check === check).map(({ entity }) => entity.id)
  const users = [...simulator.state().users()]
  const unenrolled = users.filter(({ mfaStatus }) => !mfaStatus).map(({ userId }) => String(userId))
  expect((await of('user-mfa-enrolled')).toSorted()).toEqual(unenrolled.toSorted())
  const expired = [...simulator.state().apiClients()].filter(
    ({ secretExpirationDate }) => Date.parse(secretExpirationDate) <= Date.parse('2026-03-01T12:00:00Z'),
  )
  expect((await of('api-client-secret-not-expired')).toSorted()).toEqual(
    expired.map(({ clientId }) => clientId).toSorted(),
  )
})

it('never lets an empty list look like a clean bill', async () => {
  const one = await cli({ tenants: [{ name: 'acme', token: 'none' }] })
  expect(await one.run('sync')).toMatchObject({ code: 3 })
  const { stdout, stderr } = await one.run('findings')
  expect(stdout).toMatch(/^No open findings are known, but \d+ checks cannot be evaluated.\n$/)
  expect(stderr).toMatch(/^acme: (\d+) of \1 checks cannot be evaluated: .*user-mfa-enrolled \(/)
  expect((await one.run('findings', '--format', 'json')).stdout).toBe('[]\n')
})

it('reports that a requested check is switched off', async () => {
  const { run } = await synced({ more: 'checks: { user-mfa-enrolled: { enabled: false } }' })
  expect(await run('findings', '--check', 'user-mfa-enrolled')).toMatchObject({
    stdout: 'No open findings match the filter.\n',
    stderr: expect.stringContaining('acme: user-mfa-enrolled is switched off in the configuration and not evaluated\n'),
  })
  expect((await run('findings')).stderr).not.toContain('switched off')
  const all = await run('findings', '--all', '--check', 'user-mfa-enrolled')
  expect(all.stdout).toBe('No findings match the filter.\n')
})

it('takes --fail-on: 1 with findings that severe, 3 with a check that is unknown', async () => {
  const { run, simulator } = await world()
  expect(await run('findings', '--fail-on', 'info')).toMatchObject({ code: 1 })
  expect(await run('findings', '--fail-on', 'high', '--check', 'document-name-unique')).toMatchObject({ code: 0 })
  expect(await run('findings', '--fail-on', 'awful')).toMatchObject({ code: 2 })
  simulator.revokePermission('reader', 'Api_Documents_Read')
  await run('sync')
  expect(await run('findings')).toMatchObject({ code: 0 })
  expect(await run('findings', '--fail-on', 'info')).toMatchObject({ code: 3 })
  expect(await run('findings', '--fail-on', 'critical', '--check', 'auth-mfa-policy-enabled')).toMatchObject({
    code: 0,
  })
})

it('gives a hint before the first sync', async () => {
  const one = await cli()
  const { code, stderr } = await one.run('findings')
  expect(code).toBe(3)
  expect(stderr).toMatch(/^tenantwatch: There is no mirror at .*mirror\.db yet; run "tenantwatch sync" first\n$/)
})

it('names the formats there are', async () => {
  const one = await cli()
  expect(await one.run('findings', '--format', 'xml')).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: Unknown format: want one of table, json, ndjson, csv, ocsf\n',
  })
})
