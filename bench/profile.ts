import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { short, table } from './support/print.ts'

/** Prints where the time of a CPU profile of a bundle went: by function and by module. */
interface Profile {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface Node {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

const most = 20

/** The bundler writes above each module where it comes from. */
function modulesOf(path: string): (line: number) => string {
  const starts = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, line) => {
      const name = /^\s*\/\/ (\S+\.[cm]?[jt]s)$/.exec(text)?.[1]
      return name === undefined ? [] : [{ line, name }]
    })
  return (line) => starts.findLast((start) => start.line <= line)?.name ?? path.replace(/^.*\/(?=node_modules\/)/, '')
}

const bundles = new Map<string, (line: number) => string>()

function placeOf(node: Node, folder: string): { name: string; module: string } {
  const { functionName, url, lineNumber } = node.callFrame
  const name = functionName === '' ? '(anonymous)' : functionName
  if (!url.startsWith('file:')) return { name, module: url === '' ? 'native' : url }
  // The benchmarks lay the bundle beside the profile; where it ran, it is gone.
  const beside = join(folder, basename(fileURLToPath(url)))
  const path = existsSync(beside) ? beside : fileURLToPath(url)
  const modules = bundles.get(path) ?? modulesOf(path)
  bundles.set(path, modules)
  return { name, module: modules(lineNumber) }
}

function show(file: string): string {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const byId = new Map(nodes.map((node) => [node.id, placeOf(node, dirname(file))]))
  const functions = new Map<string, number>()
  const modules = new Map<string, number>()
  let total = 0
  for (const [i, id] of samples.entries()) {
    const { name, module } = byId.get(id) ?? { name: '?', module: '?' }
    const ms = (timeDeltas[i] ?? 0) / 1000
    if (name === '(idle)' || name === '(program)') continue
    total += ms
    const key = `${name} · ${module}`
    functions.set(key, (functions.get(key) ?? 0) + ms)
    modules.set(module, (modules.get(module) ?? 0) + ms)
  }
  const lines = (of: ReadonlyMap<string, number>) =>
    [...of]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, ms]) => [name, short(ms), `${((100 * ms) / total).toFixed(1)} %`])
  return [
    `${file}: ${short(total)} ms at work`,
    table([['function', 'own ms', 'share'], ...lines(functions)]),
    table([['module', 'own ms', 'share'], ...lines(modules)]),
  ].join('\n\n')
}

const files = process.argv.slice(2)
const missing = files.filter((file) => !existsSync(file))
if (files.length === 0 || missing.length > 0) {
  const why = files.length === 0 ? '' : ` (${missing.join(', ')} does not exist)`
  process.stderr.write(`Name CPU profiles that "npm run bench -- --profile DIR" wrote${why}\n`)
  process.exitCode = 2
} else for (const file of files) process.stdout.write(`${show(file)}\n\n`)
