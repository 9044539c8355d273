import { expect } from 'vitest'
import type { Prng } from '../../simulation/prng.ts'
import { type Cli, type CliOptions, cli, startTime } from './cli.ts'

const formats = ['json', 'html'] as const
export const small = { sizes: { users: 30, documents: 20 } }

export interface Reported {
  readonly at: number
  readonly documents: readonly string[]
}

export const iso = (ms: number) => new Date(ms).toISOString()

/** A world whose time the test knows. */
export async function timed(
  more: string,
  tenants = [{ name: 'acme' }, { name: 'beta' }],
  simulator: CliOptions['simulator'] = small,
) {
  const world = await cli({ simulator, tenants, more })
  let now = startTime
  return {
    ...world,
    now: () => now,
    pass(ms: number) {
      now += ms
      world.pass(ms)
    },
    async report(): Promise<Reported> {
      const documents: string[] = []
      for (const format of formats) {
        const { code, stdout, stderr } = await world.run('report', '--details', '--format', format)
        expect(code).toBe(0)
        documents.push(stdout + stderr)
      }
      return { at: now, documents }
    },
    async reportAgain({ at }: Reported): Promise<Reported> {
      const documents: string[] = []
      for (const format of formats) {
        const { stdout, stderr } = await world.run('report', '--details', '--format', format, '--as-of', iso(at))
        documents.push(stdout + stderr)
      }
      return { at, documents }
    },
  }
}

/** One thing that may happen to a tenant. */
export function happen({ simulator }: Cli, prng: Prng): void {
  const { primary } = simulator
  const user = prng.pick([...simulator.primary.users.all()])
  const client = prng.pick([...simulator.primary['api-clients'].all()])
  const document = prng.pick([...simulator.primary.documents.all()])
  const deeds: (() => void)[] = [
    () => user && primary.users.update(user.userId, { mfaStatus: !user.mfaStatus }),
    () => user && primary.users.remove(user.userId),
    () => void primary.users.add({ state: 'Invited', mfaStatus: false, createdAt: '2025-01-01T00:00:00Z' }),
    () => client && primary['api-clients'].update(client.clientId, { secretExpirationDate: '2026-02-01T00:00:00Z' }),
    () => client && primary['api-clients'].update(client.clientId, { secretExpirationDate: '2026-09-01T00:00:00Z' }),
    () => document && primary.documents.remove(document.fileId),
    () => void primary.documents.add({ filename: 'policy.pdf', createdAt: '2024-01-01T00:00:00Z', updatedAt: null }),
    () =>
      void primary['authentication-settings'].update(0, {
        mfaEnabled: prng.chance(0.5),
        ssoEnforced: prng.chance(0.5),
      }),
  ]
  prng.pick(deeds)()
}
