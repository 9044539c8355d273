import { expect, it } from 'vitest'
import { secondMs } from '../../src/model/durations.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { cli } from '../commands/support/cli.ts'

it('the next sync and the doctor also observe the wait that one sync received', async () => {
  const { run, simulator, pass } = await cli()
  const effect = { kind: 'status', status: 429, headers: { 'retry-after': '600' } } as const
  simulator.faults.add({ path: '/api/public/roles', times: 1, effect })
  expect((await run('sync')).code).toBe(3)
  simulator.requests.clear()
  pass(500 * secondMs)
  expect((await run('sync')).code).toBe(3)
  const { code, stdout } = await run('doctor')
  expect(code).toBe(3)
  expect(stdout.match(/^FAIL .* rate_limited: .*2026-03-01T12:10:0/gm)).toHaveLength(resourceNames.length)
  expect(simulator.requests.count()).toBe(0)
  pass(100 * secondMs)
  expect((await run('sync')).code).toBe(0)
})
