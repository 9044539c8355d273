import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { cli } from './support/cli.ts'

const shipped = (name: string) => readFileSync(join(import.meta.dirname, '../../config', name), 'utf8')

it('writes the shipped files, without a configuration', async () => {
  const { run, env } = await cli({ simulator: null })
  env['TENANTWATCH_CONFIG'] = 'missing.yaml'
  const written = async (...args: string[]) => (await run(...args)).stdout
  expect(parse(await written('rules'))).toEqual(parse(shipped('prometheus/rules.yml')))
  expect(parse(await written('rules', '--format', 'alertmanager'))).toEqual({
    inhibit_rules: parse(shipped('alertmanager/alertmanager.yml')).inhibit_rules,
  })
  expect(await written('dashboards', 'fleet')).toBe(shipped('grafana/fleet.json'))
})

it('writes rules and dashboards for another scrape job and other runbooks', async () => {
  const { run } = await cli({ simulator: null })
  const { code, stdout } = await run('rules', '--job', 'watch', '--runbooks', 'https://wiki.example/tw/')
  expect(code).toBe(0)
  expect(stdout).toContain('up{job="watch"}')
  expect(stdout).toContain('https://wiki.example/tw/TenantwatchDown.md')
  const board = await run('dashboards', 'posture', '--job', 'watch')
  expect(board.stdout).toContain('up{job=\\"watch\\"}')
  for (const text of [stdout, board.stdout]) expect(text).not.toMatch(/job=\\?"tenantwatch/)
})

it('links to the tenant and the runbooks of the status page whose address is given', async () => {
  const { run } = await cli({ simulator: null })
  const { stdout } = await run('rules', '--page', 'https://watch.example/')
  expect(stdout).toContain('runbook_url: https://watch.example/runbook?name=TenantwatchSecretExpired\n')
  // The page does not answer then, or not for the tenant.
  const elsewhere = [
    ...stdout.matchAll(/runbook_url: https:\/\/(?!watch\.example\/)\S+\/alerts\.md#tenantwatch(\w+)\n/g),
  ]
  const linked = [...stdout.matchAll(/alert: Tenantwatch(\w+)\n(?:(?!- alert: )[\s\S])*?page_url: /g)]
  expect(elsewhere.map(([, name]) => name)).toEqual(['down', 'instancedown', 'metricsmissing', 'tenantgone'])
  expect(linked.map(([, name]) => name)).toContain('TenantsUnowned')
  for (const [, name] of elsewhere) expect(linked.map(([, other]) => other?.toLowerCase())).not.toContain(name)
  expect(stdout).toContain(
    '{{ with $labels.client_id }}{{ if not (match "^sha256:" .) }}&q={{ . }}{{ end }}{{ end }}#tenant-{{ . }}{{ end }}',
  )
  const own = await run('rules', '--page', 'https://watch.example', '--runbooks', 'https://wiki.example')
  expect(own.stdout).toContain('runbook_url: https://wiki.example/TenantwatchSecretExpired.md\n')
})

it('links alerts about one API client into the portal whose address is given', async () => {
  const { run } = await cli({ simulator: null })
  const { stdout } = await run('rules', '--portal', 'https://portal.example/clients/{clientId}')
  const linked = [...stdout.matchAll(/alert: Tenantwatch(\w+)\n(?:(?!- alert: )[\s\S])*?portal_url: /g)]
  expect(new Set(linked.map(([, name]) => name))).toEqual(
    new Set(['SecretExpired', 'SecretExpiryImminent', 'SecretExpiryLastDay', 'SecretExpiryNear']),
  )
  expect(stdout).toContain('match "^[0-9a-f-]{36}$" . }}https://portal.example/clients/{{ . }}{{ end }}{{ end }}')
})

it('links to Grafana only where its address is given, and to nothing where an address is empty', async () => {
  const { run } = await cli({ simulator: null })
  const written = async (...args: string[]) => (await run('rules', ...args)).stdout
  expect(await written()).not.toContain('dashboard_url')
  expect(await written('--grafana', 'https://grafana.example/')).toContain('https://grafana.example/d/tenantwatch-')
  expect(await written('--grafana', '', '--runbooks', '', '--page', '')).not.toMatch(/_url:/)
})

it('writes the dashboard over the views where the mirror is in PostgreSQL, and by its name', async () => {
  const { run, read, env } = await cli({ simulator: null })
  env['TENANTWATCH_STORE_URL'] = 'postgres://tenantwatch@127.0.0.1/mirror'
  expect((await run('dashboards', '--output', '.')).stdout.trim().split('\n')).toHaveLength(4)
  expect(JSON.parse(read('tenantwatch-records.json'))).toMatchObject({ uid: 'tenantwatch-records' })
  const other = await cli({ simulator: null })
  expect((await other.run('dashboards', 'records')).stdout).toBe(shipped('grafana/records.json'))
})
