import { expect, it } from 'vitest'
import { resourceNames } from '../src/model/resource-names.ts'
import { codeOf, type SourceFile, sourceFiles } from './support/sources.ts'

const ranks: Readonly<Record<string, number>> = {
  model: 0,
  resources: 1,
  config: 2,
  api: 3,
  store: 3,
  sync: 4,
  evaluate: 4,
  schedule: 4,
  metrics: 4,
  web: 4,
  checks: 5,
  monitoring: 5,
  notify: 5,
  report: 6,
  doctor: 7,
  daemon: 8,
  commands: 9,
  'main.ts': 9,
}

const maxLines = 300
const files = sourceFiles()
const partOf = (path: string) => path.split('/')[0] ?? ''
const edges = files.flatMap(({ path, imports }) => imports.map((to) => ({ from: path, to })))
const named = (list: readonly { readonly from: string; readonly to: string }[]) =>
  list.map(({ from, to }) => `${from} -> ${to}`)

/** Text that files outside the composition root must not contain, with the exceptions. */
function placesOf(pattern: RegExp, allowed: (path: string) => boolean): string[] {
  return files
    .filter(({ path }) => !allowed(path))
    .flatMap(({ path, text }) => [...codeOf(text).matchAll(pattern)].map(([found]) => `${path}: ${found}`))
}

it('finds the sources and their imports', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(edges).toContainEqual({ from: 'commands/program.ts', to: 'model/process/io.ts' })
  expect(edges.filter(({ to }) => to.endsWith('.ts') && !files.some(({ path }) => path === to))).toEqual([])
})

it('knows the rank of every folder', () => {
  const parts = new Set(files.map(({ path }) => partOf(path)))
  expect([...parts].filter((part) => part !== 'simulator' && ranks[part] === undefined)).toEqual([])
})

it('imports from the same folder or from a lower rank only', () => {
  const bad = edges.filter(({ from, to }) => {
    const [source, target] = [partOf(from), partOf(to)]
    if (source === target || source === 'simulator' || target === 'simulator' || target === '..') return false
    if (from === 'main.ts') return target !== 'commands'
    return (ranks[source] ?? -1) <= (ranks[target] ?? 9)
  })
  expect(named(bad)).toEqual([])
})

it('leaves the folder src only for the version in package.json', () => {
  const out = edges.filter(({ to }) => to.startsWith('..'))
  expect(named(out)).toEqual(['model/process/version.ts -> ../package.json'])
})

it('keeps the simulator apart: it imports nothing of the rest, and only commands import it', () => {
  const crossing = edges.filter(({ from, to }) => (partOf(from) === 'simulator') !== (partOf(to) === 'simulator'))
  // The readings import nothing, so that help can list them without the simulator.
  const entries = new Set(['simulator/index.ts', 'simulator/readings.ts'])
  expect(named(crossing.filter(({ from, to }) => partOf(from) !== 'commands' || !entries.has(to)))).toEqual([])
  expect(edges.filter(({ from }) => from === 'simulator/readings.ts')).toEqual([])
})

it('hands the database to nobody but the mirror', () => {
  const driver = /from '(better-sqlite3|drizzle-orm|pg)[^']*'/g
  expect(placesOf(driver, (path) => partOf(path) === 'store')).toEqual([])
})

it('keeps each driver in its folder: the stores are for every database', () => {
  const isDriver = (path: string) => /^store\/(db\/)?(postgres|sqlite)\//.test(path)
  const isStore = (path: string) => partOf(path) === 'store' && !isDriver(path)
  const packages = /from '(better-sqlite3|pg|@electric-sql\/[^']*|drizzle-orm\/(?!sqlite-core')[^']*)'/g
  expect(placesOf(packages, (path) => !isStore(path))).toEqual([])
  expect(named(edges.filter(({ from, to }) => isStore(from) && isDriver(to)))).toEqual([])
})

it('names no resource in the engine, the evaluation and the mirror', () => {
  const engine = new Set(['evaluate', 'store', 'sync'])
  const generic = files.filter(({ path }) => engine.has(partOf(path)))
  const names = resourceNames.join('|')
  const tables = names.replaceAll('-', '_')
  const named = new RegExp(`'(?:${names})'|\\b(?:from|into|join|update)\\s+"?(?:${tables})\\b`, 'g')
  // A section of the configuration may have the name of a resource.
  const sections = /Pick<\s*TenantSettings,[^>]*>/g
  const found = generic.flatMap(({ path, text }) =>
    [...codeOf(text).replace(sections, '').matchAll(named)].map(([one]) => `${path}: ${one}`),
  )
  expect(found).toEqual([])
  expect(edges.filter(({ from, to }) => engine.has(partOf(from)) && /^resources\/(?!index\.ts$)/.test(to))).toEqual([])
})

it('has no circle of imports', () => {
  expect(circles(files)).toEqual([])
})

it(`has no file of more than ${maxLines} lines`, () => {
  const long = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  expect(long.filter(({ lines }) => lines > maxLines)).toEqual([])
})

it('takes time and randomness as arguments below the commands', () => {
  const roots = (path: string) => partOf(path) === 'commands' || path === 'model/process/system-clock.ts'
  const ambient = /\bDate\.now\b|\bMath\.random\b|\bnew Date\(\)|\bDate\(\)|\brandomUUID\b|\bperformance\.now\b/g
  const found = placesOf(ambient, roots)
  // The simulator's clock is an argument whose default is the machine's.
  expect(found).toEqual(['simulator/world.ts: Date.now'])
})

it('sets timers only where their length is bounded by the limit of a timer', () => {
  const found = placesOf(/\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b/g, () => false)
  expect([...new Set(found.map((place) => place.split(': ')[0]))].toSorted()).toEqual([
    'api/credentials/sources.ts',
    'api/deadline.ts',
    'checks/own/sandbox-program.ts',
    'checks/own/sandbox.ts',
    'commands/start.ts',
    'model/process/system-clock.ts',
    'simulator/wire.ts',
    'web/page/page-script.ts',
    'web/web-server.ts',
  ])
})

/** Every circle once, as the path that closes it. */
function circles(all: readonly SourceFile[]): string[] {
  const importsOf = new Map(all.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' -> '))
      return
    }
    if (done.has(path)) return
    for (const next of importsOf.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of all) visit(path, [])
  return found
}
