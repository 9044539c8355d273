import { expect, it } from 'vitest'
import { severities } from '../../../src/model/severity.ts'
import { stylesheet } from '../../../src/report/stylesheet.ts'
import { synced } from '../support/cli.ts'

const names = ['acme', 'globex']

async function written() {
  const { run } = await synced({
    simulator: { sizes: { users: 30, documents: 20 } },
    tenants: names.map((name) => ({ name })),
    more: 'checks: { document-required-present: { requirements: [{ id: soc2-report, pattern: "Secret plan*.pdf" }] } }',
  })
  return (await run('report', '--format', 'html')).stdout
}

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

it('links only within itself, to places that exist once', async () => {
  const page = await written()
  const ids = matches(page, / id="([^"]+)"/g)
  expect(ids.length).toBe(new Set(ids).size)
  const links = matches(page, /<a href="([^"]*)"/g)
  expect(page.match(/<a\b/g)?.length).toBe(links.length)
  expect(links.filter((href) => !href.startsWith('#') || !ids.includes(href.slice(1)))).toEqual([])
  for (const name of names)
    expect(links).toEqual(
      expect.arrayContaining([`#tenant-${name}`, `#findings-${name}`, `#requirements-${name}_soc2`]),
    )
})

it('groups findings by check, the highest severity first, and tells severities apart as the page does', async () => {
  const page = await written()
  const part = page.slice(page.indexOf('id="findings-acme"'), page.indexOf('id="data-acme"'))
  const groups = part.split('<h4 ').slice(1)
  const severitiesIn = groups.map((group) => matches(group, /<li><p><span class="badge \w+">(\w+)</g))
  const rank = (severity = '') => severities.indexOf(severity as (typeof severities)[number])
  const falls = (list: readonly number[]) => list.every((one, i) => i === 0 || one <= (list[i - 1] ?? 0))
  expect(severitiesIn.length).toBeGreaterThan(5)
  expect(falls(severitiesIn.map(([first]) => rank(first)))).toBe(true)
  for (const group of severitiesIn) expect(falls(group.map(rank))).toBe(true)
  expect(part).toContain('<span class="badge worst">critical</span>')
  expect(part).toContain('<span class="badge bad">high</span>')
  expect(stylesheet).toMatch(/\.badge\.worst \{ color: var\(--card\); background: var\(--bad\); \}/)
})

it('uses only classes that its stylesheet knows', async () => {
  const used = new Set(matches(await written(), / class="([^"]+)"/g).flatMap((list) => list.split(' ')))
  expect([...used].filter((name) => !stylesheet.includes(`.${name}`))).toEqual([])
})
