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

it('names users with e-mail and files in a report with details, and in no other', async () => {
  const { run, reported, simulator, userId, email } = await world()
  const entities = (await reported('--details')).map(({ entity }) => entity)
  const user = { type: 'user', id: String(userId), name: 'Ada Lovelace', email }
  expect(entities).toContainEqual(user)
  expect(entities.filter(({ type, name, email: mail }) => type === 'user' && (!name || !mail))).toEqual([])
  const files = new Map([...simulator.state().documents()].map(({ fileId, filename }) => [fileId, filename]))
  const documents = entities.filter(({ type }) => type === 'document')
  expect(documents.length).toBeGreaterThan(0)
  for (const { id, filename } of documents) expect(filename).toBe(files.get(id))
  for (const format of ['html', 'json', 'oscal']) {
    const { stdout } = await run('report', '--format', format, '--details')
    expect(stdout).toContain('Ada Lovelace')
    expect(stdout.replaceAll('\\', '')).toContain(email)
    const hidden = (await run('report', '--format', format)).stdout
    for (const name of ['Lovelace', email, ...files.values()]) expect(hidden).not.toContain(name)
  }
})

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

it('names entities in findings with details, also removed ones, as columns and fields', async () => {
  const { found, run, simulator, pass, finding, userId, email } = await world()
  expect((await found()).flatMap(({ entity }) => Object.keys(entity))).not.toContain('name')
  const entity = { type: 'user', id: String(userId), name: 'Ada Lovelace', email }
  expect(await found('--details')).toContainEqual(expect.objectContaining({ entity }))
  expect((await run('findings', '--details')).stdout).toContain(`  Ada Lovelace, ${email}: `)
  expect((await run('findings')).stdout).not.toContain('Lovelace')
  const csv = (await run('findings', '--details', '--format', 'csv')).stdout
  expect(csv).toContain(`,"Ada Lovelace","${email}",`)
  expect((await run('findings', '--details', '--format', 'ocsf')).stdout).toContain('Ada Lovelace')
  simulator.primary.removeUser(userId)
  pass(aDay)
  await run('sync', '--full')
  expect(await found('--details', '--all')).toContainEqual(expect.objectContaining({ entity, state: 'resolved' }))
  const { stdout } = await run('explain', finding.fingerprint, '--details')
  expect(stdout).toContain(`\nName         Ada Lovelace\n             ${email}\n`)
})
