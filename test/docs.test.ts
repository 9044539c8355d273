import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { catalogue } from '../src/commands/support/configuration.ts'
import { loadSettings } from '../src/config/load-settings.ts'
import { inventories } from '../src/metrics/inventory.ts'
import { metricCatalogue } from '../tools/metric-catalogue.ts'
import { codeOf, sourceFiles } from './support/sources.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

it('knows every metric of the code in the catalogue', () => {
  const code = sourceFiles().filter(({ path }) => /^(metrics|resources)\//.test(path))
  const families = new Set(code.flatMap(({ text }) => codeOf(text).match(/(?<=')tenantwatch_\w+(?=')/g) ?? []))
  const known = metricCatalogue(inventories).map(({ name }) => name)
  expect(known).toEqual([...families].toSorted())
})

it('shows configurations that load', () => {
  const load = (text: string, env: Record<string, string> = {}) =>
    loadSettings({ file: 'a.yaml', env, catalogue, text, purpose: 'syntax' }).settings
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(read('README.md')) ?? []
  expect(load(example, { ACME_TOKEN: 'a-token-of-a-test' }).tenants[0]?.name).toBe('acme')
  const { services } = parse(read('compose.demo.yaml'), { merge: true })
  for (const [file, service] of [
    ['tenantwatch', 'tenantwatch'],
    ['replicas', 'replica-1'],
  ] as const) {
    const composed = load(read(`deploy/compose/demo/${file}.yaml`), services[service].environment)
    expect(composed.tenants[0]?.baseUrl).toBe('http://simulator:9470')
  }
  const [, real = ''] = /\n# tenantwatch\.yaml\n([\s\S]*?)```/.exec(read('docs/install.md')) ?? []
  expect(load(real).tenants[0]?.name).toBe('acme')
})
