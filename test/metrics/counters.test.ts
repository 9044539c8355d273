import { expect, it } from 'vitest'
import { createCounters } from '../../src/metrics/counters.ts'
import { renderPrometheus } from '../../src/metrics/exposition.ts'

const shown = (counters: ReturnType<typeof createCounters>, isShown = (_: object) => true) =>
  renderPrometheus(counters.families(isShown))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

it('keeps a series for each tenant and label set, also with hostile names', () => {
  const counters = createCounters()
  const add = (tenant: string, reason: string) => counters.add('tenantwatch_api_retries_total', { tenant, reason }, 1)
  add('a', 'timeout')
  add('a', 'timeout')
  add('b', 'timeout')
  add('a",reason="network', 'timeout')
  add('a', 'x",reason="timeout')
  counters.add('tenantwatch_secret_rotations_total', { tenant: 'a' }, 3)
  expect(shown(counters)).toEqual([
    'tenantwatch_api_retries_total{tenant="a",reason="timeout"} 2',
    'tenantwatch_api_retries_total{tenant="a",reason="x\\",reason=\\"timeout"} 1',
    'tenantwatch_api_retries_total{tenant="b",reason="timeout"} 1',
    'tenantwatch_api_retries_total{tenant="a\\",reason=\\"network",reason="timeout"} 1',
    'tenantwatch_secret_rotations_total{tenant="a"} 3',
  ])
})

it('filters series by tenant and resource', () => {
  const counters = createCounters()
  for (const tenant of ['a', 'b'])
    for (const resource of ['users', 'roles'])
      counters.add('tenantwatch_sync_cursor_resets_total', { tenant, resource }, 0)
  const only = ({ tenant, resource }: { tenant?: string; resource?: string }) => tenant === 'a' && resource !== 'roles'
  expect(shown(counters, only)).toEqual(['tenantwatch_sync_cursor_resets_total{tenant="a",resource="users"} 0'])
})
