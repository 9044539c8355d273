import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { FindingView } from '../../src/model/finding.ts'
import type { Explanation } from '../../src/report/explanation.ts'
import { json, synced } from './support/cli.ts'

const portalUrl = `portalUrl: { user: "https://portal.example.com/users/{userId}" }\n`

/** The owner `hr` has the users of one domain, and `platform` all API clients. */
async function world() {
  const one = await synced({ simulator: { sizes: { users: 30, documents: 10 } } })
  const base = one.read('tenantwatch.yaml')
  const [user] = (await json<FindingView>(one, 'findings', '--check', 'user-mfa-enrolled', '--details')) ?? []
  if (user?.entity.email === undefined) throw new Error('No user has a finding')
  const owners = `owners:\n  - { name: hr, user: "${user.entity.email.toUpperCase()}" }\n  - { name: platform, client: "*" }\n`
  one.write('tenantwatch.yaml', `${base}${owners}${portalUrl}`)
  return { ...one, user }
}

it('shows the owner and the link in findings, explain, report and metrics, and no name in the metrics', async () => {
  const { user, ...one } = await world()
  const owned = await json<FindingView>(one, 'findings', '--owner', 'hr')
  expect(owned.map(({ entity }) => entity.id)).toContain(user.entity.id)
  expect(new Set(owned.map(({ entity }) => entity.id)).size).toBe(1)
  const link = `https://portal.example.com/users/${user.entity.id}`
  expect(owned.map((finding) => [finding.owner, finding.link])).toEqual(owned.map(() => ['hr', link]))
  const clients = await json<FindingView>(one, 'findings', '--owner', 'platform')
  expect(new Set(clients.map(({ entity, link: none }) => `${entity.type} ${none}`))).toEqual(
    new Set(['api-client null']),
  )
  expect((await one.run('findings', '--owner', 'platfrom')).code).toBe(2)

  const explained: Explanation = JSON.parse((await one.run('explain', user.fingerprint, '--format', 'json')).stdout)
  expect(explained.finding).toMatchObject({ owner: 'hr', link })
  const { stdout: text } = await one.run('explain', user.fingerprint)
  expect(text).toContain('hr')
  expect(text).toContain(link)

  const { stdout: metrics } = await one.run('metrics')
  const infos = metrics.split('\n').filter((line) => line.includes('_info{') && line.includes('owner="'))
  expect(infos.filter((line) => line.includes('owner="platform"')).length).toBeGreaterThan(1)
  expect(infos.filter((line) => line.includes(`fingerprint="${user.fingerprint}",owner="hr"`))).toHaveLength(1)
  expect(metrics.toLowerCase()).not.toContain(user.entity.email?.toLowerCase())
})

it('reports the owners of the configuration that was in force', async () => {
  const { user, pass, ...one } = await world()
  const before = new Date(one.now()).toISOString()
  pass(60_000)
  await one.run('sync')
  pass(60_000)
  const ownersAt = async (...args: string[]) => {
    const { tenants } = JSON.parse((await one.run('report', '--format', 'json', ...args)).stdout)
    const found = tenants[0].findings.find(({ fingerprint }: FindingView) => fingerprint === user.fingerprint)
    return [found.owner, found.link]
  }
  expect(await ownersAt('--as-of', before)).toEqual([null, null])
  expect(await ownersAt()).toEqual(['hr', `https://portal.example.com/users/${user.entity.id}`])
  const { stdout: html } = await one.run('report', '--format', 'html')
  expect(html).toContain(`href="https://portal.example.com/users/${user.entity.id}"`)
})

const terms = ['--reason', 'Accepted until the migration ends', '--owner', 'security', '--expires', '2026-06-30']

it('waives by filter what is open now, each finding by itself', async () => {
  const { run, read } = await world()
  const open = async (...args: string[]) => json<FindingView>({ run }, 'findings', ...args)
  const check = ['--check', 'user-mfa-enrolled']
  const [all, high] = [await open(...check), await open(...check, '--severity', 'high')]
  expect(high.length).toBeGreaterThan(1)
  const printed = await run('waive', ...check, '--severity', 'high', ...terms)
  expect(parse(printed.stdout).waivers).toHaveLength(high.length)
  expect(printed.stderr).toContain(`${high.length} findings`)
  expect(await run('waive', ...check, '--owned-by', 'hr', ...terms, '--write')).toMatchObject({ code: 0 })
  expect(parse(read('tenantwatch.yaml')).waivers).toHaveLength(1)
  expect(await open(...check)).toHaveLength(all.length - 1)
  expect(await run('waive', ...check, '--severity', 'high', ...terms, '--write')).toMatchObject({ code: 0 })
  expect(await open(...check, '--severity', 'high')).toEqual([])
  for (const args of [['--tenant', 'acme'], [...check, '--severity', 'high'], [...check, 'e49418ad0f73'], []])
    expect((await run('waive', ...args, ...terms)).code).toBe(2)
})
