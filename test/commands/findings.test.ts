import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Cli, cli, synced } from './support/cli.ts'
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
  const listed = await read('--severity', 'medium, critical')
  expect(listed).toEqual(all.filter(({ severity }) => severity === 'medium' || severity === 'critical'))
  const mfa = await read('--check', 'user-mfa-enrolled', '--tenant', 'acme')
  expect(mfa).toEqual(all.filter(({ check }) => check === 'user-mfa-enrolled'))
  expect(mfa.length).toBeGreaterThan(0)
  for (const wrong of [
    ['--check', 'user-mfa-enroled'],
    ['--check', 'user-mfa'],
    ['--tenant', 'acne'],
    ['--severity', 'severe'],
    ['--severity', 'critical,severe'],
  ]) {
    const { code, stdout, stderr } = await run('findings', ...wrong)
    expect([wrong, code, stdout]).toEqual([wrong, 2, ''])
    expect(stderr).toMatch(
      /^tenantwatch: Unknown (check "user-mfa(?:-enroled)?"; did you mean user-mfa-enrolled|tenant "acne"; did you mean acme|severity "severe": expected one of )/,
    )
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
  expect(stderr).toMatch(/^acme: no check can be evaluated: the tenant refuses the token; see "tenantwatch doctor"\n/)
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

it('names the configuration in a suggested command', async () => {
  const one = await cli()
  one.write('own.yaml', one.read('tenantwatch.yaml'))
  const { code, stderr } = await one.run('findings', '--config', 'own.yaml')
  expect(code).toBe(3)
  expect(stderr).toMatch(/mirror\.db yet; run "tenantwatch sync --config own\.yaml" first\n$/)
})

it('says in every command that a mirror was lost, not that there is none yet', async () => {
  const { run, store } = await synced()
  for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true })
  const lost = /^tenantwatch: The mirror at \S+ is gone or empty .*restore a backup .*-lock .*\n$/
  for (const command of ['findings', 'sync', 'verify', 'accept', 'backup copy.db', 'history', 'purge gone', 'metrics'])
    expect([command, await run(...command.split(' '))]).toEqual([
      command,
      { code: 3, stdout: '', stderr: expect.stringMatching(lost) },
    ])
})

it('names the formats there are', async () => {
  const one = await cli()
  expect(await one.run('findings', '--format', 'xml')).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: Unknown format "xml": expected one of table, json, ndjson, csv, ocsf\n',
  })
})

/** What a terminal of so many columns would show. */
async function onTerminal(
  one: Pick<Cli, 'env' | 'runWith'>,
  columns: number,
  env: Record<string, string>,
  ...args: readonly string[]
) {
  let shown = ''
  const stdout = {
    isTTY: true,
    columns,
    write(text: string) {
      shown += text
      return true
    },
  }
  const { code } = await one.runWith({ stdout, env: { ...one.env, ...env } }, 'findings', ...args)
  expect(code).toBe(0)
  return shown
}

const heading = /^(CRITICAL|HIGH {4}|MEDIUM {2}|LOW {5}|INFO {4}) {2}[a-z-]+$/

it('fits the terminal: a heading a check, below it at most two lines a finding, and totals', async () => {
  const one = await world()
  const found = await one.read()
  for (const columns of [60, 80, 200]) {
    const lines = (await onTerminal(one, columns, { NO_COLOR: '1' })).trimEnd().split('\n')
    expect(lines.filter((line) => [...line].length > columns)).toEqual([])
    const [rows, end] = [lines.slice(0, lines.lastIndexOf('')), lines.slice(lines.lastIndexOf('') + 1)]
    const headings = rows.filter((line) => heading.test(line))
    expect(new Set(headings).size).toBe(headings.length)
    const lists = rows.filter((line) => !heading.test(line))
    expect(lists.filter((line, i) => [line, lists[i + 1]].every((one) => one?.startsWith(' '.repeat(16))))).toEqual([])
    const ids = lists.flatMap(
      (line) => /^ {2}(?:([0-9a-f]{12}) {2}| {14})\S/.exec(line)?.slice(1).filter(Boolean) ?? line,
    )
    expect(ids.toSorted()).toEqual(found.map(({ fingerprint }) => fingerprint.slice(0, 12)).toSorted())
    expect(end[0]).toMatch(new RegExp(`^${found.length} open findings: \\d+ critical, \\d+ high, `))
    expect(end.at(-1)).toBe(`To see why: tenantwatch explain ${ids[0]}`)
    const isCut = rows.some((line) => line.endsWith('…'))
    expect(end.includes('To see whole sentences: tenantwatch findings --wide')).toBe(isCut)
  }
  const wide = await onTerminal(one, 60, {}, '--wide')
  expect(wide).toBe((await one.run('findings')).stdout)
})

it('colors the severity on a terminal unless it is asked not to', async () => {
  const one = await world()
  const colored = await onTerminal(one, 80, {}, '--limit', '1')
  const red = '\u001b[1m\u001b[31mCRITICAL\u001b[39m\u001b[22m'
  expect(colored.split('\n')[0]).toBe(`${red}  api-client-secret-not-expired`)
  expect(colored).toMatch(/\n… and \d+ more\n/)
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }] as Record<string, string>[])
    expect(await onTerminal(one, 80, env)).not.toContain('\u001b')
})

it('limits every format to the findings of the highest severity', async () => {
  const { run, read } = await world()
  const all = await read()
  const critical = all.filter(({ severity }) => severity === 'critical')
  expect(critical.length).toBeGreaterThan(0)
  expect(await read('--limit', String(critical.length))).toEqual(critical)
  const table = (await run('findings', '--limit', '3')).stdout.trimEnd().split('\n')
  expect(table).toHaveLength(4)
  expect((await run('findings', '--limit', '3', '--format', 'csv')).stdout.trimEnd().split('\r\n')).toHaveLength(4)
  expect(await run('findings', '--limit', 'few')).toMatchObject({ code: 2, stdout: '' })
})

it('lists what was opened, changed, reopened or resolved since a time', async () => {
  const { run, read, simulator, pass, now } = await world()
  const before = await read()
  const [expired] = before.filter(({ check }) => check === 'api-client-secret-not-expired')
  pass(60_000)
  const since = new Date(now()).toISOString()
  expect(await read('--since', since)).toEqual([])
  expect((await run('findings', '--since', since)).stdout).toBe('No open findings match the filter.\n')
  const { clientId } = simulator.primary.addApiClient({ secretExpirationDate: new Date(now() + 1000).toISOString() })
  simulator.primary.updateApiClient(expired?.entity.id ?? '', { secretExpirationDate: '2026-09-01T00:00:00Z' })
  pass(5000)
  await run('sync', '--full')
  const opened = await read('--since', since)
  expect(opened.map(({ entity }) => entity.id)).toContain(clientId)
  expect(opened.length).toBeLessThan(before.length)
  const all = await read('--all', '--since', since)
  expect(all.map(({ fingerprint }) => fingerprint)).toContain(expired?.fingerprint)
  // Opened again.
  simulator.primary.updateApiClient(expired?.entity.id ?? '', { secretExpirationDate: '2026-02-01T00:00:00Z' })
  pass(60_000)
  const later = new Date(now()).toISOString()
  await run('sync', '--full')
  expect((await read('--since', later)).map(({ fingerprint, reopened }) => [fingerprint, reopened])).toEqual([
    [expired?.fingerprint, 1],
  ])
  expect(await read('--since', '1d')).toEqual(await read())
  for (const wrong of ['yesterday', '2027-01-01'])
    expect(await run('findings', '--since', wrong)).toMatchObject({ code: 2, stdout: '' })
})

it('counts findings by check and by entity', async () => {
  const { run, read } = await world()
  const all = await read()
  const groups = JSON.parse((await run('findings', '--group', 'check', '--format', 'json')).stdout)
  const sum = (of: (group: { findings: number; severities: Record<string, number> }) => number) =>
    groups.reduce((total: number, group: never) => total + of(group), 0)
  expect(sum(({ findings }) => findings)).toBe(all.length)
  expect(sum(({ severities }) => severities['critical'] ?? 0)).toBe(
    all.filter(({ severity }) => severity === 'critical').length,
  )
  expect(new Set(groups.map(({ check }: Finding) => check))).toEqual(new Set(all.map(({ check }) => check)))
  expect(groups[0]).toMatchObject({ tenant: 'acme', check: 'api-client-secret-not-expired', entity: null })
  const table = (await run('findings', '--group', 'entity', '--limit', '2')).stdout.trimEnd().split('\n')
  expect(table).toHaveLength(3)
  expect(table[0]).toMatch(/^TENANT +ENTITY +ID +FINDINGS +CRITICAL +HIGH +MEDIUM +LOW +INFO +SINCE \(UTC\)$/)
  const [columns, ...rows] = parseCsv((await run('findings', '--group', 'entity', '--format', 'csv')).stdout)
  expect(columns?.slice(0, 5)).toEqual(['tenant', 'check', 'entityType', 'entityId', 'findings'])
  expect(rows.length).toBe(new Set(all.map(({ entity }) => JSON.stringify(entity))).size)
  for (const wrong of [
    ['--group', 'severity'],
    ['--group', 'check', '--format', 'ocsf'],
  ])
    expect(await run('findings', ...wrong)).toMatchObject({ code: 2, stdout: '' })
})
