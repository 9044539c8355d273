import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fillSections } from '../../tools/docs/page-sections.ts'
import { generatedFiles, generatedSections } from '../../tools/generated-files.ts'
import { recordViewFiles } from '../../tools/record-views.ts'
import { alertNames } from './support/shipped.ts'

const root = join(import.meta.dirname, '../..')
const files = new Map([...generatedFiles(), ...recordViewFiles()])
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

it.each(alertNames)('has a runbook with all headings for %s', (name) => {
  const lines = textOf(`docs/runbooks/${name}.md`).split('\n')
  expect(lines[0]).toBe(`# ${name}`)
  const headings = lines.filter((line) => line.startsWith('## '))
  expect(headings).toEqual(['## Meaning', '## Impact', '## Diagnosis', '## Mitigation'])
})

it('has no runbook without an alert', () => {
  const known = new Set(['README.md', ...alertNames.map((name) => `${name}.md`)])
  const pages = readdirSync(join(root, 'docs/runbooks'))
  expect(pages.filter((page) => !known.has(page))).toEqual([])
})

it('lists every runbook in the order of the rules', () => {
  const listed = [...textOf('docs/runbooks/README.md').matchAll(/^\| \[(\w+)\]\(\1\.md\)/gm)].map(([, name]) => name)
  expect(listed).toEqual(alertNames)
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
