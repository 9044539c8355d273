import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { generatedFiles } from '../../tools/generated-files.ts'
import { alertNames, shippedAlerts } from './support/shipped.ts'

const root = join(import.meta.dirname, '../..')
const files = generatedFiles()
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

it.each([...files.keys()])('keeps %s as the catalogue makes it (npm run generate)', (path) => {
  expect(textOf(path)).toBe(files.get(path))
})

const sections = textOf('docs/alerts.md').split(/^## /m).slice(1)
const documented = sections.map((text) => text.slice(0, text.indexOf('\n')))
const linkOf = (alert: string) => {
  const links = shippedAlerts.filter((rule) => rule.alert === alert).map((rule) => rule.annotations?.['runbook_url'])
  expect(new Set(links).size, alert).toBe(1)
  return links[0]?.replace('https://github.com/tenantwatch/tenantwatch/blob/main/', '')
}

it('links every alert to its section, or to its check', () => {
  for (const alert of alertNames) {
    const check = checks.find((one) => `Tenantwatch${one.alert}` === alert)
    const section = documented.includes(alert)
      ? `docs/alerts.md#${alert.toLowerCase()}`
      : `docs/checks.md#${check?.id ?? 'api-client-secret-not-expir'}`
    expect([alert, linkOf(alert)]).toEqual([alert, expect.stringContaining(section)])
  }
})

it('has the sections of alerts in the order of the rules, the remedy before the cause', () => {
  expect(documented).toEqual(alertNames.filter((name) => documented.includes(name)))
  const open = ([, ...lines]: readonly string[]) =>
    lines.filter((line) => /^\*\*(?:Do|Find)/.test(line)).map((line) => line.slice(2, 4))
  for (const text of sections) expect(open(text.split('\n'))[0], text.slice(0, 40)).toBe('Do')
})
