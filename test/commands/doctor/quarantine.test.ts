import { expect, it } from 'vitest'
import { aDay, doctor, synced } from '../support/cli.ts'

it('names quarantined records and what is wrong with each, without a request and without a value of theirs', async () => {
  const { run, simulator, pass } = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  expect(await run('doctor', '--quarantine')).toMatchObject({ code: 0, stdout: '' })
  const [user] = [...simulator.state().users()]
  simulator.primary.updateUser(user?.userId ?? 0, { state: 7 as never })
  pass(aDay)
  await run('sync', '--full')
  const requests = simulator.requests.all().length
  const { stdout } = await run('doctor', '--quarantine')
  expect(stdout).toMatch(new RegExp(`\nacme +users +${user?.userId} +2026-03-02 12:00 +[\\w-]+ +state is .*\n`))
  expect(stdout).not.toContain('@')
  expect(simulator.requests.all()).toHaveLength(requests)
  expect(JSON.parse((await run('doctor', '--quarantine', '--format', 'json')).stdout)).toEqual([
    expect.objectContaining({
      tenant: 'acme',
      resource: 'users',
      id: String(user?.userId),
      since: '2026-03-02T12:00:00.000Z',
    }),
  ])
  expect((await doctor({ run })).stdout).toMatch(
    /^warn data: .*users: 1 record in quarantine, .*"tenantwatch doctor --quarantine"/m,
  )
  expect((await run('doctor', '--quarantine', '--tenant', 'acme')).stdout).toBe(stdout)
})
