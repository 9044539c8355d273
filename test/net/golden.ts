import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FindingView } from '../../src/model/finding.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { startSimulator } from '../../src/simulator/index.ts'
import { fakeIo } from '../support/fake-io.ts'
import { temporaryRoot } from '../support/temporary-root.ts'
import { normalizeOutputs } from './normalize.ts'

const sizes = { users: 24, documents: 16, apiClients: 13, roles: 7 }
const secondSizes = { users: 8, documents: 4, apiClients: 12, roles: 7 }
const reason = ['--reason', 'Agreed with the owner of the tenant'] as const
const decided = [...reason, '--by', 'Ada'] as const
const agreed = [...reason, '--owner', 'security', '--expires'] as const

/** Runs the program on two simulated tenants through a week of ordinary and unusual events; what it prints, by name. */
export async function makeGoldens(): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(temporaryRoot, 'tenantwatch-net-'))
  const env: Record<string, string> = { TENANTWATCH_CONFIG: 'tenantwatch.yaml', NO_COLOR: '1' }
  const { now, pass, runWith } = fakeIo({ env, folder })
  await using simulator = await startSimulator({ clock: now, controlPort: null, sizes, secondSizes })
  env['ACME'] = simulator.tokens.reader
  env['BETA'] = simulator.tokens.secondReader
  writeFileSync(join(folder, 'tenantwatch.yaml'), configuration(simulator.baseUrl, join(folder, 'mirror.db')))
  const goldens = new Map<string, string>()
  const keep = async (name: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await runWith({}, ...args)
    const noted = stderr === '' ? '' : `--- standard error\n${stderr}`
    goldens.set(name, `$ tenantwatch ${args.join(' ')}\n${stdout}${noted}--- exit ${code}\n`)
    return stdout
  }
  const findings = async (check: string): Promise<FindingView> => {
    const { stdout } = await runWith({}, 'findings', '--format', 'json', '--tenant', 'acme', '--check', check)
    const [found] = JSON.parse(stdout) as FindingView[]
    if (found === undefined) throw new Error(`acme has no finding of ${check}`)
    return found
  }
  try {
    await keep('sync-first', 'sync')
    const { primary } = simulator
    const waived = await findings('user-mfa-enrolled')
    await keep('waive', 'waive', waived.fingerprint, ...agreed, '2026-03-05', '--write')
    await runWith({}, 'waive', (await findings('document-name-unique')).fingerprint, ...agreed, '2026-06-30', '--write')
    const privileged = await findings('api-client-least-privilege')
    await runWith({}, 'waive', privileged.fingerprint, ...agreed, '2026-06-30', '--write')
    for (let day = 1; day <= 6; day++) {
      pass(24 * hourMs)
      simulator.live(3)
      // One setting is weakened and restored, one changed for good, which an operator accepts.
      if (day === 2) primary['authentication-settings'].update(0, { mfaEnabled: false, providerType: 'Oidc' })
      if (day === 4) primary['authentication-settings'].update(0, { mfaEnabled: true })
      if (day === 5) primary.roles.add({ name: 'Auditor', permissions: ['Api_Users_Read'] })
      await runWith({}, 'sync', '--full')
    }
    const drifted = await findings('auth-settings-unchanged')
    await keep('accept-drift', 'accept', String(drifted.evidence['driftId']), ...decided)
    primary.users.removeWhere(0.6)
    primary.documents.removeWhere(0.6)
    pass(24 * hourMs)
    await keep('sync-held', 'sync', '--full')
    const held = await keep('holds', 'accept')
    const id = /^(\S+) +acme +users /m.exec(held)?.[1] ?? ''
    await keep('accept-hold', 'accept', id, ...decided)
    pass(10 * minuteMs)
    await keep('sync-accepted', 'sync', '--full')
    await keepAll(keep, waived.fingerprint, drifted.fingerprint)
    // The series of the other tenant are of the same families.
    goldens.set('metrics', (goldens.get('metrics') ?? '').replace(/^.*tenant="beta".*\n/gm, ''))
    return normalizeOutputs(goldens)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Keep = (name: string, ...args: readonly string[]) => Promise<string>

async function keepAll(keep: Keep, waived: string, drifted: string): Promise<void> {
  await keep('report-html', 'report', '--details', '--tenant', 'beta')
  await keep('report-json', 'report', '--format', 'json', '--tenant', 'acme')
  await keep('report-as-of', 'report', '--format', 'json', '--as-of', '2026-03-04', '--tenant', 'beta')
  await keep('history', 'history', '--details')
  await keep('history-csv', 'history', '--format', 'csv', '--tenant', 'beta')
  await keep('explain-waived', 'explain', waived, '--details')
  await keep('explain-drift-json', 'explain', drifted, '--format', 'json')
  await keep('verify', 'verify')
  await keep('findings-ndjson', 'findings', '--format', 'ndjson', '--all', '--tenant', 'beta')
  await keep('findings', 'findings', '--all', '--tenant', 'acme')
  await keep('expiring', 'expiring')
  await keep('metrics', 'metrics')
  for (const resource of ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings'])
    await keep(`export-${resource}`, 'export', resource, '--tenant', 'acme')
}

/** One request at a time, so that the server numbers them alike in each run. */
function configuration(baseUrl: string, store: string): string {
  return `tenants:
  - { name: acme, baseUrl: "${baseUrl}", auth: { token: { env: ACME } } }
  - { name: beta, baseUrl: "${baseUrl}", auth: { token: { env: BETA } } }
api: { pageSizeParameter: limit, requestsPerSecond: 0 }
userDetails: { perRun: 20, concurrency: 1 }
store: { path: ${JSON.stringify(store)} }
`
}
