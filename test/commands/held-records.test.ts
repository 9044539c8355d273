import { expect, it } from 'vitest'
import { aDay, synced } from './support/cli.ts'

async function shrunk() {
  const world = await synced({ simulator: { sizes: { users: 300, documents: 10 } } })
  const before = new Map([...world.simulator.state().users()].map((user) => [String(user.userId), user]))
  world.simulator.primary.removeUsers(0.5)
  for (const { userId } of world.simulator.state().users()) before.delete(String(userId))
  world.pass(aDay)
  const held = await world.run('sync')
  const [id = ''] = (await world.run('accept')).stdout.split(' ')
  return { ...world, id, held, gone: before }
}

it('lists exactly the ids that accepting a hold removes', async () => {
  const { run, id, gone } = await shrunk()
  const ids = [...gone.keys()].sort((a, b) => Number(a) - Number(b))
  const { code, stdout, stderr } = await run('accept', id, '--list', '--limit', '1000')
  expect([code, stdout]).toEqual([0, `${ids.join('\n')}\n`])
  expect(stderr).toBe(`Accepting hold ${id} removes these users of acme, ${ids.length} in all\n`)
  const json = JSON.parse((await run('accept', id, '--list', '--format', 'json')).stdout) as object
  const records = ids.map((one) => ({ id: one }))
  expect(json).toEqual({ id, tenant: 'acme', resource: 'users', reason: 'shrink_held', count: ids.length, records })
  await run('accept', id, '--reason', 'They left us')
  await run('sync', '--full')
  const removed = JSON.parse((await run('history', '--since', '1d', '--format', 'json')).stdout) as {
    readonly change: string
    readonly entity: string
  }[]
  expect(new Set(removed.filter(({ change }) => change === 'removed').map(({ entity }) => entity))).toEqual(
    new Set(ids),
  )
})

it('shows a hundred ids at first and says how to see the rest', async () => {
  const { run, id, gone } = await shrunk()
  const { stdout, stderr } = await run('accept', id, '--list')
  expect(stdout.trimEnd().split('\n')).toHaveLength(100)
  expect(stderr).toContain(`Not shown: ${gone.size - 100}; --limit ${gone.size} or --format json shows all\n`)
})

it('names the persons with details only', async () => {
  const { run, id, gone } = await shrunk()
  const [[userId, user] = ['', undefined]] = [...gone].sort(([a], [b]) => Number(a) - Number(b))
  expect((await run('accept', id, '--list')).stdout).not.toContain('@')
  const { stdout } = await run('accept', id, '--list', '--details')
  expect(stdout).toContain(`${userId}  ${user?.firstName} ${user?.lastName}  ${user?.email}\n`)
})

it('lists every record where a whole list came back empty, and refuses a hold that names none', async () => {
  const { run, simulator, pass } = await synced()
  simulator.faults.add({ path: '/api/public/api-clients', effect: { kind: 'empty' } })
  await run('sync')
  const [id = '', , , , count = ''] = (await run('accept')).stdout.trim().split(' ')
  expect((await run('accept', id, '--list')).stdout.trimEnd().split('\n')).toHaveLength(Number(count))
  simulator.faults.clear()
  simulator.swapTenant('reader')
  pass(aDay)
  await run('sync')
  const changed = (await run('accept')).stdout.split('\n').find((line) => line.includes('tenant_changed')) ?? ''
  expect(await run('accept', changed.split(' ')[0] ?? '', '--list')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /names no records: those that were read are not stored\. .*"tenantwatch doctor" shows what they read now\n$/,
    ),
  })
})

it('tells that a hold was accepted already, and where its removals are once it has ended', async () => {
  const { run, id } = await shrunk()
  await run('accept', id, '--reason', 'They left us')
  expect(await run('accept', id, '--reason', 'They left us')).toEqual({
    code: 2,
    stdout: '',
    stderr: `tenantwatch: Hold ${id} was accepted at 2026-03-02T12:00:00.000Z ("They left us"); the next run applies it. Nothing is left to do\n`,
  })
  await run('sync', '--full')
  for (const option of [['--reason', 'They left us'], ['--list']]) {
    const { code, stderr } = await run('accept', id, ...option)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^tenantwatch: Hold \w+ has ended: it covered 1\d\d and was accepted at 2026-03-02T12:00:00/)
    expect(stderr).toContain('"tenantwatch history --tenant acme --resource users --since 2026-03-02"')
  }
})

it.each([
  [['--list'], '--list needs the id of a hold; "tenantwatch accept" prints the holds'],
  [['abc', '--details'], '--details is for the list of records: give it with the id of a hold and --list'],
  [['abc', '--list', '--reason', 'x'], '--list decides nothing, and --reason is for a decision: leave one of them out'],
])('refuses %j', async (args, sentence) => {
  const { run } = await synced({ simulator: { sizes: { users: 10, documents: 5 } } })
  expect(await run('accept', ...args)).toEqual({ code: 2, stdout: '', stderr: `tenantwatch: ${sentence}\n` })
})

it('prints a new hold once, with its advice and the command that lists its records', async () => {
  const { held, id } = await shrunk()
  expect(held.stdout.match(/users are missing/g)).toHaveLength(1)
  expect(held.stdout).toContain(
    `If they were really removed, see "tenantwatch accept"\n  Its records: tenantwatch accept ${id} --list\n`,
  )
})
