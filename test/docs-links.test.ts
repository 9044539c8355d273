import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const below = (folder: string, name: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))

const pages = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...below('docs', /\.md$/)]
const self = 'test/docs-links.test.ts'
const code = ['src', 'test', 'bench', 'tools', 'config', 'deploy'].flatMap((folder) =>
  below(folder, /\.(ts|mjs|sql|ya?ml)$/).filter((path) => path !== self),
)
const writtenByOperator = 'config/tenantwatch.yaml'

/** The text of a page without its blocks of code. */
function proseOf(page: string): string {
  return read(page).replace(/^ *```[\s\S]*?^ *```/gm, '')
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} +(.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim()
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    let free = slug
    for (let n = 1; anchors.has(free); n++) free = `${slug}-${n}`
    anchors.add(free)
  }
  return anchors
}

/** True when a file or folder exists, and its anchor where one is named. */
function leads(path: string, anchor = ''): boolean {
  if (!existsSync(join(root, path))) return false
  return anchor === '' || (path.endsWith('.md') && anchorsOf(path).has(anchor))
}

it('links to files and headings that exist', () => {
  const dead = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, target, anchor]) => !leads(target ? normalize(join(dirname(page), target)) : page, anchor))
      .map(([link]) => `${page}: ${link}`),
  )
  expect(dead).toEqual([])
})

it('names source files that exist', () => {
  const named = /`((?:src|test|bench|tools|config|deploy|docs|drizzle|\.ci)\/[\w./-]*)`/g
  const dead = pages.flatMap((page) =>
    [...proseOf(page).matchAll(named)]
      .filter(([, path = '']) => path !== writtenByOperator && !leads(path))
      .map(([path]) => `${page}: ${path}`),
  )
  expect(dead).toEqual([])
})

it('names functions, fields and keys that exist', () => {
  const words = new Set(code.flatMap((path) => read(path).match(/\w+/g) ?? []))
  const internals = pages.filter((page) => page.startsWith('docs/internals/'))
  const dead = internals.flatMap((page) =>
    [...proseOf(page).matchAll(/`(?:\.{3})?([\w.]*[a-z][A-Z]\w*)[`(]/g)]
      .filter(([, name = '']) => !name.split('.').every((word) => words.has(word)))
      .map(([name]) => `${page}: ${name}`),
  )
  expect(dead).toEqual([])
})

it('cites pages and headings that exist in comments too', () => {
  const dead = code.flatMap((path) =>
    [...read(path).matchAll(/\b((?:docs\/[\w/-]+|README|CONTRIBUTING|SECURITY)\.md)(?:#([\w-]+))?/g)]
      .filter(([, page = '', anchor]) => !leads(page, anchor))
      .map(([cited]) => `${path}: ${cited}`),
  )
  expect(dead).toEqual([])
})
