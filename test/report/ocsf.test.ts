import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { userMfaEnrolled } from '../../src/checks/user-mfa-enrolled.ts'
import { resolutions } from '../../src/model/check-status.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { severities } from '../../src/model/severity.ts'
import { complianceFinding, ocsfVersion, standardsOf } from '../../src/report/ocsf.ts'
import { aDay, synced } from '../commands/support/cli.ts'
import schema from '../fixtures/ocsf-compliance-finding.json' with { type: 'json' }
import { finding as findingView } from '../web/support/scene.ts'

const isValid = new Ajv({ strict: false, allErrors: true }).compile(schema)

/** Deviations of an event from the schema of its class. */
const ocsfProblems = (event: object) => (isValid(event) ? [] : isValid.errors)

interface Event {
  readonly [name: string]: unknown
  readonly finding_info: { readonly uid: string; readonly title: string }
  readonly compliance: Readonly<Record<string, unknown>>
  readonly metadata: { readonly uid: string }
}

const seen = '2026-03-01T12:00:00.000Z'
const finding = findingView({ firstSeen: seen, lastSeen: seen })
const eventOf = (over: Partial<FindingView> = {}) => complianceFinding({ ...finding, ...over }, undefined) as Event
const ended = { state: 'resolved', resolvedAt: '2026-03-02T00:00:00.000Z' } as const

async function exported(run: (...args: string[]) => Promise<{ readonly stdout: string }>, ...args: string[]) {
  const { stdout } = await run('findings', '--format', 'ocsf', ...args)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Event)
}

it('writes every finding as one valid event a line', async () => {
  const world = await synced()
  const [first] = [...world.simulator.primary['api-clients'].all()].filter(
    ({ secretExpirationDate }) => Date.parse(secretExpirationDate) <= Date.parse('2026-03-01T12:00:00Z'),
  )
  world.simulator.primary['api-clients'].update(first?.clientId ?? '', { secretExpirationDate: '2026-09-01T00:00:00Z' })
  world.pass(aDay)
  await world.run('sync')
  const listed = JSON.parse((await world.run('findings', '--format', 'json', '--all')).stdout) as FindingView[]
  const events = await exported(world.run, '--all')
  expect(events.length).toBeGreaterThan(100)
  expect(events.map(({ finding_info: { uid } }) => uid)).toEqual(listed.map(({ fingerprint }) => fingerprint))
  for (const event of events) expect(ocsfProblems(event)).toEqual([])
  expect(new Set(events.map((event) => event['activity_name']))).toEqual(new Set(['Update', 'Close']))
  const open = await exported(world.run)
  expect(open.length).toBeLessThan(events.length)
  expect(new Set(open.map(({ compliance }) => compliance['status']))).toEqual(new Set(['Fail']))
})

it("has the schema version of the test's rules", () => {
  expect(ocsfVersion).toBe(schema.version)
  for (const severity of severities) expect(ocsfProblems(eventOf({ severity }))).toEqual([])
})

it('distinguishes new, repeated, reopened and resolved findings', () => {
  const later = '2026-03-01T13:00:00.000Z'
  const observed = [eventOf(), eventOf({ lastSeen: later }), eventOf({ reopened: 1 }), eventOf(ended)]
  expect(observed.map((event) => [event['type_uid'], event['time']])).toEqual([
    [200301, Date.parse(finding.firstSeen)],
    [200302, Date.parse(later)],
    [200302, Date.parse(finding.lastSeen)],
    [200303, Date.parse(ended.resolvedAt)],
  ])
})

it.each(resolutions)('reports a finding that ended as %s as passing only when fixed', (resolution) => {
  const event = eventOf({ ...ended, resolution })
  expect(ocsfProblems(event)).toEqual([])
  const fixed = resolution === 'fixed'
  expect(event['status']).toBe(fixed ? 'Resolved' : 'Archived')
  expect(event.compliance).toMatchObject({ status_id: fixed ? 1 : 99, status: fixed ? 'Pass' : resolution })
})

it('reports a waived finding as failing, in an event of its own', () => {
  const event = eventOf({ state: 'waived' })
  expect(event.metadata.uid).not.toBe(eventOf().metadata.uid)
  expect([event['status'], event.compliance['status']]).toEqual(['Suppressed', 'Fail'])
})

it('names exactly the framework requirements that a check maps to', () => {
  const { standards, requirements } = standardsOf('Everybody is enrolled', userMfaEnrolled.frameworks)
  expect(standards).toContain('SOC 2, Trust Services Criteria 2017')
  expect(requirements).toContainEqual(expect.stringMatching(/^SOC 2, Trust Services Criteria 2017 CC6\.1: /))
  expect(requirements.join()).not.toContain('CC2.1')
  expect(standardsOf('All is well')).toEqual({
    standards: ['tenantwatch checks'],
    requirements: ['All is well'],
  })
  const own = standardsOf('All is well', ['soc2:CC6.1', 'House rules 7'])
  expect(own.standards).toEqual(['SOC 2, Trust Services Criteria 2017', 'House rules 7'])
  expect(own.requirements).toEqual([expect.stringMatching(/ CC6\.1: /), 'House rules 7'])
  const event = complianceFinding(finding, userMfaEnrolled) as Event
  expect(event.compliance['standards']).toEqual(standards)
})
