import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Rule {
  readonly alert: string
  readonly annotations: { readonly runbook_url: string }
}

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/runbooks')
const pages = readdirSync(folder)
const { groups }: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  readFileSync(join(root, 'config/prometheus/alerts.yml'), 'utf8'),
)
const rules = groups.flatMap((group) => group.rules)
const pageOf = (alert: string) => `${alert.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.md`

it.each(rules)('tells what to do about $alert', ({ alert }) => {
  const lines = readFileSync(join(folder, pageOf(alert)), 'utf8').split('\n')
  expect(lines[0]).toBe(`# ${alert}`)
  const headings = lines.filter((line) => line.startsWith('## '))
  expect(headings).toEqual(['## Meaning', '## Impact', '## Diagnosis', '## Mitigation'])
})

it('has no page without an alert', () => {
  expect(pages.toSorted()).toEqual(rules.map(({ alert }) => pageOf(alert)).toSorted())
})

it.each(rules)('links from $alert to the page of its own', ({ alert, annotations }) => {
  expect(annotations.runbook_url).toMatch(/\/docs\/runbooks\/[a-z-]+\.md$/)
  expect(pages).toContain(basename(annotations.runbook_url))
  expect(basename(annotations.runbook_url)).toBe(pageOf(alert))
})
