import { expect, it } from 'vitest'
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
