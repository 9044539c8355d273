import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Gauge, ResourceDefinition } from '../../src/model/resource.ts'
import { resources } from '../../src/resources/index.ts'
import { scriptedResources } from '../support/engine.ts'
import { lively, metricsOf, reading, records, untouched } from './support/daemon.ts'
import { parseExposition } from './support/parse.ts'
import { check, posture } from './support/posture.ts'

/** The names and labels that users depend on, from the table. */
const table = new Map(
  readFileSync(new URL('support/contract-table.md', import.meta.url), 'utf8')
    .split('\n')
    .slice(2, -1)
    .flatMap((line) => {
      const [, names = '', labels = ''] = line.split('|')
      const sorted = labels
        .split(',')
        .map((label) => label.trim())
        .filter(Boolean)
        .toSorted()
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, sorted] as const)
    }),
)

/** The gauges of a resource that came after the table: its descriptor says them. */
const added = resources.flatMap(({ name, gauges = [] }: ResourceDefinition) =>
  scriptedResources.some((one) => one === name)
    ? []
    : gauges.map((gauge) => [gauge.name, ['tenant', ...labelsOf(gauge)].toSorted()] as const),
)

function labelsOf(gauge: Gauge): string[] {
  if (gauge.kind === 'flag') return []
  return Object.keys(gauge.by).map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

const contract = new Map([...table, ...added])

it('serves exactly the families of the contract', async () => {
  const body = await metricsOf([reading(lively, records)]).render()
  const served = [...body.matchAll(/^# TYPE (tenantwatch_\w+) /gm)].map(([, name]) => name)
  expect(served.toSorted()).toEqual([...contract.keys()].toSorted())
})

it('gives every series exactly the labels of the contract', async () => {
  const unknown = posture({ ...lively, checks: [check('user-mfa-enrolled', { status: 'unknown', reason: 'stale' })] })
  for (const view of [lively, unknown, untouched]) {
    const body = await metricsOf([reading(view, records, { 'api-client-secret-not-expired': ['bb-2'] })]).render()
    for (const { name, labels } of parseExposition(body).filter((series) => series.name.startsWith('tenantwatch_'))) {
      const family = contract.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
      const present = Object.keys(labels).filter((label) => label !== 'le')
      expect([family, present.toSorted()]).toEqual([family, contract.get(family)])
    }
  }
})

it('has a series of every family for an active tenant', async () => {
  const view = posture({ ...lively, checks: [...lively.checks, check('x', { status: 'unknown', reason: 'stale' })] })
  const body = await metricsOf([reading(view, records, { 'api-client-secret-not-expired': ['bb-2'] })]).render()
  const names = new Set(parseExposition(body).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
  for (const name of table.keys()) expect(names).toContain(name)
})

it('names the mirror as the source in the help text', async () => {
  const body = await metricsOf([reading(lively, records)]).render()
  const silent = ['build_info', 'check_threshold_', 'config_', 'evaluation_freshness_', 'store_', 'waiver_']
  for (const [, name = '', help] of body.matchAll(/^# HELP (tenantwatch_\w+) (.*)$/gm)) {
    if (silent.some((part) => name.startsWith(`tenantwatch_${part}`))) continue
    expect(help).toMatch(/mirror|Counted since the daemon started/)
  }
})
