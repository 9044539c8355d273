import { expect, it } from 'vitest'
import type { ReportFinding } from '../../src/report/build-report.ts'
import { aDay, synced } from './support/cli.ts'

const ada = { firstName: 'Ada', lastName: 'Lovelace' }

/** One user with a finding has a known name; the commands that name entities. */
async function world() {
  const one = await synced({ simulator: { sizes: { users: 30, documents: 20 } } })
  const found = async (...args: string[]) =>
    JSON.parse((await one.run('findings', '--format', 'json', ...args)).stdout) as (ReportFinding & {
      readonly state: string
    })[]
  const reported = async (...args: string[]) => {
    const { stdout } = await one.run('report', '--format', 'json', ...args)
    return (JSON.parse(stdout) as { tenants: { findings: ReportFinding[] }[] }).tenants[0]?.findings ?? []
  }
  const finding = (await found()).find(({ check }) => check === 'user-mfa-enrolled')
  if (finding === undefined) throw new Error('No user has a finding')
  const userId = Number(finding.entity.id)
  const email = [...one.simulator.state().users()].find((user) => user.userId === userId)?.email ?? ''
  one.simulator.primary.updateUser(userId, ada)
  one.pass(aDay)
  await one.run('sync', '--full')
  return { ...one, found, reported, userId, email, finding }
}

it('names a user in a report of an earlier time as the user was named then', async () => {
  const { reported, userId, simulator, run, pass } = await world()
  const nameAt = async (...args: string[]) =>
    (await reported('--details', ...args)).find(({ entity }) => entity.id === String(userId))?.entity.name
  simulator.primary.updateUser(userId, { lastName: 'Byron' })
  pass(aDay)
  await run('sync', '--full')
  expect(await nameAt()).toBe('Ada Byron')
  expect(await nameAt('--as-of', '2026-03-02')).toBe('Ada Lovelace')
  simulator.primary.removeUser(userId)
  pass(aDay)
  await run('sync', '--full')
  expect(await nameAt()).toBeUndefined()
  expect(await nameAt('--as-of', '2026-03-03')).toBe('Ada Byron')
  expect(await nameAt('--as-of', '2026-03-02')).toBe('Ada Lovelace')
})
