import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { processFamilies } from '../../src/metrics/process-gauges.ts'
import { lively, metricsOf, reading, records, untouched } from './support/daemon.ts'
import { parseExposition } from './support/parse.ts'
import { check, posture } from './support/posture.ts'

const ofReplicas = processFamilies.filter(({ help }) => help.includes('store.url')).map(({ name }) => name)
const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
const listed = page.matchAll(/^- `(\w+)` \(\w+(?:, )?([^)]*)\):/gm)

/** The names and labels that users depend on, from the documentation; replicas are with PostgreSQL only. */
const contract = new Map(
  [...listed].flatMap(([, name = '', labels = '']) =>
    ofReplicas.includes(name) ? [] : [[name, labels.split(', ').filter(Boolean).toSorted()] as const],
  ),
)

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
  for (const name of contract.keys()) expect(names).toContain(name)
})
