import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { until } from './program.ts'

/** One series of an answer of Prometheus's API. */
export interface Found {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: readonly [number, string]
  readonly values?: readonly (readonly [number, string])[]
}

export interface Prometheus {
  /** Scrapes these addresses from now on, as instances `a`, `b` and so on; without any, the target is out of discovery. */
  scrape(...urls: readonly string[]): void
  query(expr: string): Promise<readonly Found[]>
  /** The values of every second since then, in seconds since the epoch. */
  since(expr: string, from: number): Promise<readonly Found[]>
  /** The states of an alert, `pending` and `firing`, with its labels. */
  alerts(name: string): Promise<readonly Readonly<Record<string, string>>[]>
}

const local = '127.0.0.1:0'
const second = { m: 60, h: 3600, d: 86_400, s: 1 } as const

/**
 * Makes an hour of the rules a minute, so that a test can wait for it. The days for which values are held, and what is
 * compared with the tenant's own dates, stay.
 */
export function hurried(rules: string): string {
  const document = parse(rules) as { groups: { rules: { for?: string; expr: string }[] }[] }
  const shorter = (duration: string) => {
    const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(duration) ?? []
    return `${Math.max(1, Math.round((Number(count) * second[unit as keyof typeof second]) / 60))}s`
  }
  for (const rule of document.groups.flatMap((group) => group.rules)) {
    if (rule.for !== undefined) rule.for = shorter(rule.for)
    rule.expr = rule.expr
      .replaceAll(/\[(\d+[smh])\]/g, (_, range: string) => `[${shorter(range)}]`)
      .replaceAll(/offset (\d+[smh])/g, (_, back: string) => `offset ${shorter(back)}`)
      .replaceAll(/> tenantwatch_evaluation_freshness_limit_seconds$/gm, '> 15')
      .replaceAll(/< 3600 > -300$/gm, '< 1')
  }
  return stringify(document)
}

export interface PrometheusOptions {
  /** Address of the real Alertmanager behind it. */
  readonly alertmanager?: string
  /** Of scrapes and of evaluations; default `1s`. */
  readonly interval?: string
}

/** The real Prometheus over these rules. */
export async function startPrometheus(
  folder: string,
  rules: string,
  { alertmanager, interval = '1s' }: PrometheusOptions = {},
): Promise<Prometheus> {
  mkdirSync(join(folder, 'prometheus'), { recursive: true })
  const targets = join(folder, 'targets.json')
  writeFileSync(targets, '[]')
  writeFileSync(join(folder, 'rules.yml'), rules)
  const alerting =
    alertmanager === undefined
      ? {}
      : { alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] } }
  writeFileSync(
    join(folder, 'prometheus.yml'),
    stringify({
      global: { scrape_interval: interval, evaluation_interval: interval },
      rule_files: ['rules.yml'],
      ...alerting,
      scrape_configs: [
        {
          job_name: 'tenantwatch',
          file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }],
        },
      ],
    }),
  )
  const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=prometheus', `--web.listen-address=${local}`]
  const address = await startServer('prometheus', args, folder)
  // It listens before it has opened its storage, and refuses queries until then.
  await until(async () => (await fetch(`http://${address}/-/ready`)).ok)
  const ask = async (path: string, parameters: Readonly<Record<string, string>>) => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const body = (await response.json()) as { status: string; error?: string; data: { result: readonly Found[] } }
    if (body.status !== 'success') throw new Error(`Prometheus refused ${parameters['query']}: ${body.error}`)
    return body.data.result
  }
  const query = (expr: string) => ask('query', { query: expr })
  return {
    scrape(...urls) {
      const list = urls.map((url, i) => {
        const instance = String.fromCharCode('a'.charCodeAt(0) + i)
        return { targets: [new URL(url).host], labels: { instance } }
      })
      writeFileSync(`${targets}.new`, JSON.stringify(list))
      renameSync(`${targets}.new`, targets)
    },
    query,
    since: (expr, from) =>
      ask('query_range', { query: expr, start: String(from), end: String(Date.now() / 1000), step: '1' }),
    alerts: async (name) => (await query(`ALERTS{alertname="${name}"}`)).map(({ metric }) => metric),
  }
}

export interface HeardAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: string
}

export interface Alertmanager {
  readonly address: string
  /** Alerts of this name as people would hear of them. */
  alerts(name: string): Promise<readonly HeardAlert[]>
}

export async function startAlertmanager(folder: string, config: string): Promise<Alertmanager> {
  writeFileSync(join(folder, 'alertmanager.yml'), config)
  const args = [
    '--config.file=alertmanager.yml',
    '--storage.path=alertmanager',
    `--web.listen-address=${local}`,
    '--cluster.listen-address=',
  ]
  const address = await startServer('prometheus-alertmanager', args, folder)
  return {
    address,
    async alerts(name) {
      const filter = new URLSearchParams({ filter: `alertname="${name}"` })
      const response = await fetch(`http://${address}/api/v2/alerts?${filter}`)
      const found = (await response.json()) as (HeardAlert & { readonly status: { readonly state: string } })[]
      return found.map(({ labels, annotations, status }) => ({ labels, annotations, state: status.state }))
    },
  }
}

/** Starts a server on a free port of its own choice and returns the address that it prints. */
async function startServer(program: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  let ended = false
  const closed = once(child, 'close').then(() => {
    ended = true
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return until(() => {
    if (ended) throw new Error(`${program} ended: ${log}`)
    return /msg="Listening on" address=(127\.0\.0\.1:[1-9]\d*)/.exec(log)?.[1]
  })
}
