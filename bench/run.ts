import { mkdtempDisposableSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fleet } from './benchmarks/fleet.ts'
import { postgres } from './benchmarks/postgres.ts'
import { restart } from './benchmarks/restart.ts'
import { users } from './benchmarks/users.ts'
import type { Benchmark, Options } from './support/benchmark.ts'
import { bundlePrograms } from './support/programs.ts'
import { startTenant } from './support/tenant.ts'

const benchmarks: readonly Benchmark[] = [users, restart, fleet, postgres]

const help = `npm run bench -- [name…] [options]

${benchmarks.map(({ name, about }) => `  ${name.padEnd(15)}${about}`).join('\n')}

Without a name: users.

  --users N      users of the large tenant, a multiple of 100 (100000)
  --large        the same with 1,000,000 users afterwards
  --rounds N     rounds, of which medians are shown (5)
  --tenants N    tenants of the fleet (1000)
  --minutes N    how long the fleet is measured after it is ready (2)

Needs Linux. Databases are in the folder for temporary files (TMPDIR).
`

function readArguments(args: string[]): { readonly chosen: readonly Benchmark[]; readonly options: Options } | null {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      users: text('100000'),
      large: { type: 'boolean', default: false },
      rounds: text('5'),
      tenants: text('1000'),
      minutes: text('2'),
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const number = (name: 'users' | 'rounds' | 'tenants' | 'minutes', multiple = 1) => {
    const value = Number(values[name])
    if (value > 0 && value % multiple === 0) return value
    throw new Error(`--${name} ${values[name]}: expected a multiple of ${multiple} above 0`)
  }
  const chosen = (positionals.length === 0 ? ['users'] : positionals).map((wanted) => {
    const found = benchmarks.find(({ name }) => name === wanted)
    if (found !== undefined) return found
    throw new Error(`Benchmark ${wanted}: expected one of ${benchmarks.map(({ name }) => name).join(', ')}`)
  })
  const sizes = [number('users', 100), ...(values.large ? [1_000_000] : [])]
  const [rounds, tenants, minutes] = [number('rounds'), number('tenants'), number('minutes')]
  return { chosen, options: { users: sizes, rounds, tenants, minutes } }
}

async function run(chosen: readonly Benchmark[], options: Options): Promise<void> {
  const load = (loadavg()[0] ?? Number.NaN).toFixed(1)
  const machine = `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model}), load ${load}`
  console.log(`${machine}; medians of ${options.rounds}`)
  await using programs = await bundlePrograms()
  await using tenant = await startTenant()
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tenantwatch-bench-'))
  process.once('exit', folder.remove)
  process.once('SIGINT', () => process.exit(130))
  for (const { name, about, run } of chosen) {
    const tables = await run({ options, programs, tenant, folder: folder.path })
    console.log(`\n## ${name}: ${about}\n\n${tables}`)
  }
}

try {
  const read = readArguments(process.argv.slice(2))
  if (read === null) console.log(help)
  else await run(read.chosen, read.options)
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
