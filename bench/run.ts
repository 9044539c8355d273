import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchmarks } from './benchmarks/index.ts'
import { startApiServer } from './support/api-server.ts'
import { bundlePrograms } from './support/bundle.ts'
import { machine } from './support/machine.ts'
import { type BenchOptions, help, readOptions } from './support/options.ts'
import { short, showResult, showTargets } from './support/print.ts'
import type { Benchmark, Result } from './support/result.ts'
import { createStores } from './support/stores.ts'
import { evaluator, factsOf } from './support/targets.ts'

const say = (text: string) => void process.stdout.write(`${text}\n`)

function chosen({ only }: BenchOptions): readonly Benchmark[] {
  const unknown = only.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
  if (unknown.length === 0) {
    return benchmarks.filter(({ name, slow }) => (only.length === 0 ? slow !== true : only.includes(name)))
  }
  throw new Error(`No benchmark ${unknown.join(', ')}: there are ${benchmarks.map(({ name }) => name).join(', ')}`)
}

async function run(options: BenchOptions): Promise<void> {
  const wanted = chosen(options)
  const where = machine()
  say(`# ${short(options.records)} records, medians of ${options.rounds}; Node ${where.node}, ${where.cores} cores`)
  say(`${where.processor}, ${where.memoryGiB} GiB, load ${where.load}\n`)
  await using programs = await bundlePrograms()
  if (options.profile !== null) {
    mkdirSync(options.profile, { recursive: true })
    copyFileSync(programs.path.engine, join(options.profile, 'engine.mjs'))
  }
  await using server = await startApiServer(programs.path.server)
  using stores = createStores(server, programs, options)
  process.once('exit', () => stores[Symbol.dispose]())
  process.once('SIGINT', () => process.exit(130))
  const results = new Map<string, Result>()
  for (const benchmark of wanted) {
    const result = await benchmark.run({ options, programs, server, stores })
    results.set(benchmark.name, result)
    say(showResult(benchmark, result))
  }
  const targets = evaluator(factsOf(results))
  say(showTargets(targets, options.records))
  if (options.json === null) return
  const report = { machine: where, options, results: Object.fromEntries(results), targets }
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') say(help)
  else await run(options)
} catch (error) {
  const [what, cause] = error instanceof Error ? [error.message, error.cause] : [String(error), undefined]
  process.stderr.write(`bench: ${what}${cause === undefined ? '' : `: ${String(cause)}`}\n`)
  process.exitCode = 1
}
