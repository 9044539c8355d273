import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generatedFiles, generatedSections } from '../../src/commands/support/generated-files.ts'
import { defaultMonitoringInput } from '../../src/commands/support/monitoring-input.ts'
import { fillSections } from '../../src/monitoring/docs/page-sections.ts'
import { alertsOf } from '../../src/monitoring/rules.ts'

const root = join(import.meta.dirname, '../..')
const files = generatedFiles()
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

it.each([...files.keys()])('keeps %s as the catalogue makes it (npm run generate)', (path) => {
  expect(textOf(path)).toBe(files.get(path))
})

it.each([...generatedSections()])('keeps the sections of %s as the catalogues make them', (path, sections) => {
  expect(textOf(path)).toBe(fillSections(textOf(path), sections))
})

it('makes no section for which a page has no place', () => {
  expect(() => fillSections('# A page', { checks: '' })).toThrow('the page has no place for it')
})

it('keeps no dashboard and no rule file that the catalogue does not make', () => {
  const kept = ['config/grafana', 'config/prometheus'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /\.(json|yml)$/.test(name))
      .map((name) => `${folder}/${name}`),
  )
  expect(kept.filter((path) => !files.has(path))).toEqual([])
})

const alerts = alertsOf(defaultMonitoringInput()).map(({ name }) => name)

it.each(alerts)('has a runbook with all headings for %s', (name) => {
  const lines = textOf(`docs/runbooks/${name}.md`).split('\n')
  expect(lines[0]).toBe(`# ${name}`)
  const headings = lines.filter((line) => line.startsWith('## '))
  expect(headings).toEqual(['## Meaning', '## Impact', '## Diagnosis', '## Mitigation'])
})

it('has no runbook without an alert', () => {
  // A check whose findings are mild by default has an alert once the configuration makes them more severe.
  const generated = [...files.keys()].filter((path) => path.startsWith('docs/runbooks/'))
  const known = new Set([...alerts.map((name) => `docs/runbooks/${name}.md`), ...generated])
  const pages = readdirSync(join(root, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`)
  expect(pages.filter((page) => !known.has(page))).toEqual([])
})

it('links between pages that exist', () => {
  const pages = ['docs', 'docs/runbooks'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => ({ folder, name, text: textOf(`${folder}/${name}`) })),
  )
  const broken = pages.flatMap(({ folder, name, text }) =>
    [...text.matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(join(root, folder, target)))
      .map((target) => `${folder}/${name} -> ${target}`),
  )
  expect(broken).toEqual([])
})
