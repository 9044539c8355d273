import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { lively, metricsOf, reading, records, textOf, untouched } from '../metrics/support/daemon.ts'
import { promtoolTests, unprovenAlerts } from './support/alert-cases.ts'

const run = promisify(execFile)
const rules = resolve('config/prometheus/rules.yml')

it.each([
  ['before the first sync', reading(untouched)],
  ['in mid-life', reading(lively, records)],
])("passes promtool's linter without a word, %s", async (_, state) => {
  const body = textOf(await metricsOf([state]).render())
  const checking = run('promtool', ['check', 'metrics'])
  checking.child.stdin?.end(body)
  expect(await checking).toEqual({ stdout: '', stderr: '' })
})

it('ships rules that promtool takes', async () => {
  const { stdout } = await run('promtool', ['check', 'rules', rules])
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
})

it('shows every alert firing and silent', () => {
  expect(unprovenAlerts()).toEqual([])
})

it('ships alerts that fire and stay silent as they should', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenantwatch-rules-'))
  try {
    const file = join(folder, 'alerts.test.yml')
    await writeFile(file, stringify(promtoolTests(rules)))
    const { stdout } = await run('promtool', ['test', 'rules', file])
    expect(stdout).toContain('SUCCESS')
  } finally {
    await rm(folder, { recursive: true })
  }
})
