import { expect, it } from 'vitest'
import { cli, synced } from './support/cli.ts'
import { parseCsv } from './support/csv.ts'

const formats = ['table', 'json', 'ndjson', 'csv', 'ocsf']

it.each(formats)('names beside findings as %s the checks that could not be evaluated', async (format) => {
  const { run } = await cli()
  await run('sync', '--resource', 'roles')
  const { code, stderr } = await run('findings', '--format', format)
  expect(code).toBe(0)
  expect(stderr).toMatch(/^acme: \d+ checks cannot be evaluated: .*\(never: not completely read yet\)/m)
})

it('shows a tenant that was never synced as unknown, in findings and in metrics', async () => {
  const one = await synced()
  const config = one.read('tenantwatch.yaml')
  one.write('other.yaml', config.replaceAll('name: acme', 'name: zeta').replaceAll('name: "acme"', 'name: "zeta"'))
  const { stderr } = await one.run('findings', '--config', 'other.yaml')
  expect(stderr).toMatch(/^zeta: no check can be evaluated: .*\(never: /m)
  const metrics = await one.run('metrics', '--config', 'other.yaml')
  expect(metrics.stdout).toMatch(/tenantwatch_check_status\{tenant="zeta",[^}]*status="unknown"\} 1/)
  expect(metrics.stdout).not.toMatch(/tenantwatch_users\{tenant="zeta"/)
})

it('warns that an exported resource was never completely read', async () => {
  const { run } = await cli()
  await run('sync', '--resource', 'roles')
  const { code, stdout, stderr } = await run('export', 'users', '--format', 'csv')
  expect(code).toBe(0)
  expect(stderr).toMatch(/^acme users: never completely read; records may be missing\. /)
  expect(parseCsv(stdout)[0]?.slice(0, 3)).toEqual(['userId', 'firstName', 'lastName'])
})

it('does not show a check result that other thresholds led to', async () => {
  const one = await cli({ more: 'checks: { document-current: { days: 30000 } }' })
  await one.run('sync')
  const status = async () => (await one.run('metrics')).stdout.match(/document-current",status="(\w+)"\} 1/)?.[1]
  expect(await status()).toBe('pass')
  one.write('tenantwatch.yaml', one.read('tenantwatch.yaml').replace('days: 30000', 'days: 300'))
  expect(await status()).toBe('unknown')
  await one.run('sync')
  expect(await status()).toBe('fail')
})
