import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { checks } from '../../src/checks/index.ts'
import { lively, metricsOf, reading, records, untouched } from '../metrics/support/daemon.ts'
import { alertNames } from '../monitoring/support/shipped.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { program } from './support/program.ts'

const run = promisify(execFile)
const rules = resolve('config/prometheus/rules.yml')
/** Series in Prometheus, and the alerts that fire over them, for `promtool test rules`. */
const scenesFolder = resolve('test/e2e/alerts')
const minutesUntilFiring = { critical: 2, high: 20, medium: 65 }

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

it.each(['config/alertmanager/example.yml', 'config/alertmanager/alertmanager.yml'])(
  'has receivers that Alertmanager accepts: %s',
  async (path) => {
    const { stdout } = await run('amtool', ['check-config', path])
    expect(stdout).toContain('SUCCESS')
  },
)

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

const scenes = readdirSync(scenesFolder).map((name) => join(scenesFolder, name))

it('ships alerts that fire and stay silent as the scenes of test/e2e/alerts say', async () => {
  const { stdout } = await run('promtool', ['test', 'rules', ...scenes])
  expect(stdout.match(/SUCCESS/g)).toHaveLength(scenes.length)
})

it('has a scene in which each alert fires, and one in which it is silent', () => {
  const queries = scenes
    .flatMap((file) => (parse(readFileSync(file, 'utf8')) as { tests: readonly Scene[] }).tests)
    .flatMap(({ promql_expr_test }) => promql_expr_test)
  const isShown = (alert: string, isFiring: boolean) =>
    queries.some((one) => one.expr.includes(`alertname="${alert}"`) && one.exp_samples.length > 0 === isFiring)
  const alwaysFires = 'TenantwatchWatchdog'
  const ofChecks = new Set(checks.map(({ alert }) => `Tenantwatch${alert}`))
  const unproven = alertNames.filter(
    (alert) => !ofChecks.has(alert) && (!isShown(alert, true) || (alert !== alwaysFires && !isShown(alert, false))),
  )
  expect(unproven).toEqual([])
})

it('fires the alert of each check by the severity of its findings, and is silent before and after them', async () => {
  const file = join(temporaryFolder(), 'checks.test.yml')
  const tests = checks.flatMap(({ id, alert }) =>
    alert === null
      ? []
      : Object.entries(minutesUntilFiring).map(([severity, wait]) => scene(id, alert, severity, wait)),
  )
  writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
  expect((await run('promtool', ['test', 'rules', file])).stdout).toContain('SUCCESS')
})

interface Scene {
  readonly promql_expr_test: readonly { readonly expr: string; readonly exp_samples: readonly unknown[] }[]
}

function scene(check: string, alert: string, severity: string, wait: number) {
  const at = 'tenant="acme",job="tenantwatch",instance="a"'
  const series = {
    'tenantwatch_build_info{job="tenantwatch",instance="a",version="1"}': '1x120',
    'up{job="tenantwatch",instance="a"}': '1x120',
    [`tenantwatch_check_enabled{${at},check="${check}"}`]: '1x120',
    [`tenantwatch_findings{${at},check="${check}",severity="${severity}"}`]: '0x10 3x90 0x20',
  }
  const look = (minute: number, isFiring: boolean) => ({
    expr: `count by (tenant, check, severity) (ALERTS{alertname="Tenantwatch${alert}",alertstate="firing"})`,
    eval_time: `${minute}m`,
    exp_samples: isFiring ? [{ labels: `{tenant="acme",check="${check}",severity="${severity}"}`, value: 1 }] : [],
  })
  return {
    name: `findings of ${check}, ${severity}`,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [look(10, false), look(12 + wait, true), look(105, false)],
  }
}
