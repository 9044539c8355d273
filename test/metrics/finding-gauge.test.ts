import { expect, it } from 'vitest'
import type { NamedFinding } from '../../src/model/finding.ts'
import { lively, metricsOf, named, reading, untouched } from './support/daemon.ts'
import { seriesOf } from './support/parse.ts'

const infos = (body: string) => body.split('\n').filter((line) => line.startsWith('tenantwatch_finding_info{'))

it('keeps the label of a hidden id, and escapes unusual entity types', async () => {
  const odd: NamedFinding = { ...named, entityType: 'lap"top\n', entityId: '' }
  const body = await metricsOf([reading(lively, {}, {}, [odd])]).render()
  const [series, ...others] = seriesOf(body, 'tenantwatch_finding_info')
  expect(others).toEqual([])
  expect(series?.labels).toMatchObject({ entity_id: '', fingerprint: named.fingerprint })
  expect(infos(body)[0]).toMatch(/^tenantwatch_finding_info\{.*entity_type="lap\\"top[^"\n]*",entity_id="",.*\} 1$/)
})

it('shows the present findings of each tenant at each scrape', async () => {
  const shown: NamedFinding[][] = [[named, { ...named, fingerprint: 'b' }], [{ ...named }]]
  const read = async () => [
    reading(untouched, {}, {}, shown[0] ?? []),
    reading({ ...untouched, tenant: 'globex' }, {}, {}, shown[1] ?? []),
  ]
  const metrics = metricsOf([], { read })
  const namesOf = async () =>
    seriesOf(await metrics.render(), 'tenantwatch_finding_info').map(({ labels }) => [
      labels['tenant'],
      labels['fingerprint'],
    ])
  const first = [
    ['acme', named.fingerprint],
    ['acme', 'b'],
    ['globex', named.fingerprint],
  ]
  expect(await namesOf()).toEqual(first)
  expect(await namesOf()).toEqual(first)
  shown[0] = shown[0]?.slice(1) ?? []
  shown[1] = []
  expect(await namesOf()).toEqual([['acme', 'b']])
})
