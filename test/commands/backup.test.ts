import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import { cli, synced } from './support/cli.ts'

async function world() {
  const one = await synced()
  const folder = join(one.folder, 'backups')
  mkdirSync(folder)
  return { ...one, backups: folder, target: join(folder, 'tenantwatch.db') }
}

it('reports its result in one line: file, size, records and age, also without the files of own checks', async () => {
  const { run, pass, target, simulator, read, write } = await world()
  pass(3 * minuteMs)
  write('tenantwatch.yaml', `${read('tenantwatch.yaml')}\nownChecks: { folder: mounted-elsewhere }\n`)
  const { code, stdout, stderr } = await run('backup', 'backups/tenantwatch.db')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [, file, size, records, age] =
    /^(\S+): (\d+\.\d) MB, (\d+) records, last synced 2026-03-01T12:00:\d\d\.\d{3}Z \((\d+) min ago\)\n$/.exec(
      stdout,
    ) ?? []
  expect([file, size, age]).toEqual([target, (statSync(target).size / 1e6).toFixed(1), '3'])
  const { users, documents } = simulator.primary
  expect(Number(records)).toBeGreaterThan(users.records.size + documents.records.size)
})

it.each([
  ['the mirror itself', 'data/mirror.db'],
  ['no name', ''],
])('ends with 2 and one sentence on %s, and changes nothing', async (_, file) => {
  const { run, files } = await world()
  const before = files()
  const { code, stdout, stderr } = await run('backup', file)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^tenantwatch: .*\n$/)])
  expect(files()).toBe(before)
})

it('ends with 3 and one sentence when there is no mirror yet', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run('backup', 'x.db')
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toMatch(
    /^tenantwatch: There is no mirror at \S+ yet \(store\.path, from the working directory\); run "tenantwatch sync" first\n$/,
  )
})

it('exits with 3 and leaves no file when it is stopped', async () => {
  const { runWith, target, backups } = await world()
  const stop = AbortSignal.abort(new DOMException('Stopped', 'AbortError'))
  expect(await runWith({ stop }, 'backup', target)).toEqual({ code: 3, stdout: '', stderr: 'tenantwatch: Stopped\n' })
  expect(readdirSync(backups)).toEqual([])
})
