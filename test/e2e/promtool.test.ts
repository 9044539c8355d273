import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { lively, metricsOf, reading, records, untouched } from '../metrics/support/daemon.ts'

const run = promisify(execFile)

it.each([
  ['before the first sync', reading(untouched)],
  ['in mid-life', reading(lively, records)],
])("passes promtool's linter without a word, %s", async (_, state) => {
  const { body } = await metricsOf([state]).render()
  const checking = run('promtool', ['check', 'metrics'])
  checking.child.stdin?.end(body)
  expect(await checking).toEqual({ stdout: '', stderr: '' })
})

it('ships alert rules that promtool takes', async () => {
  const { stdout } = await run('promtool', ['check', 'rules', 'config/prometheus/alerts.yml'])
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
})

it('ships alert rules that hold in their unit tests', async () => {
  await expect(run('promtool', ['test', 'rules', 'test/e2e/support/alerts.test.yml'])).resolves.toBeDefined()
})
