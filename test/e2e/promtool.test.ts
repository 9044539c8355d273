import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { startSimulator } from '../../src/simulator/index.ts'
import { lively, metricsOf, reading, records, untouched } from '../metrics/support/daemon.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { promtoolTests, unprovenAlerts } from './support/alert-cases.ts'
import { daemon, placeFor, program, until } from './support/program.ts'

const run = promisify(execFile)
const rules = resolve('config/prometheus/rules.yml')

async function lint(metrics: string) {
  const checking = run('promtool', ['check', 'metrics'])
  checking.child.stdin?.end(metrics)
  return await checking
}

it.each([
  ['before the first sync', reading(untouched)],
  ['in mid-life', reading(lively, records)],
])("passes promtool's linter without a word, %s", async (_, state) => {
  expect(await lint(await metricsOf([state]).render())).toEqual({ stdout: '', stderr: '' })
})

it.each(['config/alertmanager.example.yml', 'config/alertmanager.yml'])(
  'has receivers that Alertmanager accepts: %s',
  async (path) => {
    const { stdout } = await run('amtool', ['check-config', path])
    expect(stdout).toContain('SUCCESS')
  },
)

it("passes promtool's linter as a daemon that runs serves it, over a tenant with every problem", async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 60 } })
  onTestFinished(() => simulator.close())
  const one = await daemon(placeFor(simulator, temporaryFolder()))
  const metrics = await until(async () => {
    const { text } = await one.get('/metrics')
    return /tenantwatch_findings\{.*\} [1-9]/.test(text) && text
  })
  expect(await lint(metrics)).toEqual({ stdout: '', stderr: '' })
})

it('ships rules that promtool takes', async () => {
  const { stdout } = await run('promtool', ['check', 'rules', '--lint-fatal', rules])
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
})

it('writes rules that promtool takes, for either kind of Prometheus', async () => {
  const folder = temporaryFolder()
  const written = async (format: string) => {
    const { code, stdout } = await program({ folder, env: {} }, 'rules', '--format', format, '--label', 'team=a').ended
    expect(code).toBe(0)
    return stdout
  }
  const plain = await written('prometheus')
  writeFileSync(join(folder, 'rules.yml'), plain)
  const { stdout } = await run('promtool', ['check', 'rules', '--lint-fatal', join(folder, 'rules.yml')])
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
  // A PrometheusRule is the same under `spec`.
  const { spec, ...head } = parse(await written('operator')) as { spec: { groups: { name: string }[] } }
  expect(head).toEqual({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'tenantwatch', labels: { 'app.kubernetes.io/name': 'tenantwatch' } },
  })
  expect(new Set(spec.groups.map(({ name }) => name)).size).toBe(spec.groups.length)
  expect(spec).toEqual(parse(plain))
})

it('counts no check as passing in a text file that nothing writes any more', async () => {
  const file = join(temporaryFolder(), 'ratio.test.yml')
  const at = 'tenant="acme",job="node",instance="a"'
  const ratio = 'tenant:tenantwatch_checks_passing:ratio'
  const ratioAt = (minute: number, value: number) => ({
    expr: ratio,
    eval_time: `${minute}m`,
    exp_samples: [{ labels: `${ratio}{tenant="acme"}`, value }],
  })
  const status = (check: string, name: string) => `tenantwatch_check_status{${at},check="${check}",status="${name}"}`
  const series = {
    [status('a', 'pass')]: '1x60',
    [status('a', 'unknown')]: '0x60',
    [status('b', 'pass')]: '0x60',
    [status('b', 'unknown')]: '1x60',
    [`tenantwatch_check_enabled{${at},check="a"}`]: '1x60',
    [`tenantwatch_check_enabled{${at},check="b"}`]: '1x60',
    // Evaluated each minute until minute 20.
    [`tenantwatch_evaluation_last_timestamp_seconds{${at}}`]: '0+60x20 1200x40',
    [`tenantwatch_evaluation_freshness_limit_seconds{${at}}`]: '900x60',
  }
  const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }))
  const promql_expr_test = [ratioAt(20, 0.5), ratioAt(35, 0.5), ratioAt(36, 0)]
  const tests = [{ interval: '1m', input_series, promql_expr_test }]
  writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
  expect((await run('promtool', ['test', 'rules', file])).stdout).toContain('SUCCESS')
})

it('shows every alert firing and silent', () => {
  expect(unprovenAlerts()).toEqual([])
})

it('ships alerts that fire and stay silent as they should', async () => {
  const folder = temporaryFolder()
  const tests = promtoolTests(rules)
  const files = tests.map((one, index) => {
    const file = join(folder, `${index}.test.yml`)
    writeFileSync(file, stringify(one))
    return file
  })
  const { stdout } = await run('promtool', ['test', 'rules', ...files])
  expect(stdout.match(/SUCCESS/g)).toHaveLength(files.length)
})
