import { expect, it, onTestFinished } from 'vitest'
import { type FaultEffect, startSimulator } from '../../src/simulator/index.ts'
import { seriesOf } from '../metrics/support/parse.ts'
import { scheduleLine } from '../support/schedule.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, until } from './support/program.ts'

const cycleMs = 2000
const limitMs = 12_000
/** Allowance for a scrape, a tick and a run under way on a busy machine. */
const slackMs = 5000

const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']
const hurried = `${scheduleLine(`*/${cycleMs / 1000} * * * * *`)}
freshness: { ${resources.map((name) => `${name}: ${limitMs / 1000}s`).join(', ')} }
userDetails: { perRun: 0 }`

interface Shown {
  /** Checks by the status that is 1. */
  readonly statuses: Readonly<Record<string, string>>
  readonly findings: number
  readonly failures: Readonly<Record<string, number>>
}

const deaths: readonly (readonly [what: string, effect: FaultEffect])[] = [
  ['resets every connection', { kind: 'reset', when: 'before' }],
  [
    'shows a sign-in page instead',
    { kind: 'body', contentType: 'text/html', body: '<!doctype html><title>Sign in</title>' },
  ],
  ['refuses the token', { kind: 'status', status: 401, code: 'UNAUTHORIZED' }],
]

it.each(deaths)(
  'shows no green longer than the freshness limit once the tenant %s, and recovers within two cycles',
  async (_, effect) => {
    const simulator = await startSimulator({ controlPort: null, sizes: { users: 20, documents: 20 } })
    onTestFinished(() => simulator.close())
    const one = await daemon(placeFor(simulator, temporaryFolder(), hurried))
    const look = async (): Promise<Shown> => {
      const { text } = await one.get('/metrics')
      const now = seriesOf(text, 'tenantwatch_check_status').filter(({ value }) => value === 1)
      const failed = seriesOf(text, 'tenantwatch_sync_runs_total').filter(
        ({ labels }) => labels['outcome'] === 'failure',
      )
      return {
        statuses: Object.fromEntries(now.map(({ labels }) => [labels['check'], labels['status'] ?? ''])),
        findings: seriesOf(text, 'tenantwatch_findings').reduce((sum, { value }) => sum + value, 0),
        failures: Object.fromEntries(
          failed.map(({ labels, value }) => [`${labels['resource']} ${labels['mode']}`, value]),
        ),
      }
    }
    const isSettled = ({ statuses }: Shown) => !Object.values(statuses).includes('unknown')
    // A client whose role is missing counts once roles were read after it. That is evaluated before their third run ends.
    await until(async () => {
      const { text } = await one.get('/metrics')
      return seriesOf(text, 'tenantwatch_sync_runs_total').some(
        ({ labels, value }) => labels['resource'] === 'roles' && labels['outcome'] === 'success' && value >= 3,
      )
    })
    const before = await until(async () => {
      const shown = await look()
      return isSettled(shown) && shown
    })
    const evaluated = Object.keys(before.statuses).filter((check) => before.statuses[check] !== 'not_applicable')
    expect(evaluated.map((check) => before.statuses[check])).toEqual(expect.arrayContaining(['pass', 'fail']))

    const { id } = simulator.faults.add({ path: '/api/public/*', effect })
    const dark = performance.now()
    for (;;) {
      const { statuses, findings } = await look()
      expect(findings).toBeGreaterThanOrEqual(before.findings)
      for (const check of evaluated)
        if (before.statuses[check] === 'fail') expect([check, statuses[check]]).not.toEqual([check, 'pass'])
      if (evaluated.every((check) => statuses[check] === 'unknown')) break
      expect(performance.now() - dark).toBeLessThan(limitMs + cycleMs + slackMs)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }

    const failed = (await look()).failures
    simulator.faults.remove(id)
    const light = performance.now()
    const after = await until(async () => {
      const shown = await look()
      return isSettled(shown) && shown
    })
    expect(performance.now() - light).toBeLessThan(2 * cycleMs + slackMs)
    for (const [run, count] of Object.entries(after.failures)) {
      // The run that was under way, and one that began before a refused token was due to be tried again.
      expect([run, count - (failed[run] ?? 0)]).toEqual([run, expect.toSatisfy((n) => n <= 2)])
    }
    expect(after.statuses).toEqual(before.statuses)
    expect(after.findings).toBe(before.findings)
  },
)
